"""Pure but for the language: the plan as figures."""

from quizsvc.practice import Plan
from quizsvc.web.curves import Figure, axis, figure, series
from quizsvc.web.words import _


def course(plan: Plan) -> Figure:
    """Recall from today until the day that is forecast, in percent."""
    ahead = [(point.date - plan.today).days for point in plan.course]
    columns = [
        [round(100 * value, 2) for value in column]
        for column in zip(*(point[1:] for point in plan.course), strict=True)
    ]
    planned, low, high, untouched = columns
    alt = _(
        "Recall goes from %(first)s %% today to %(last)s %% on the last day as planned, and to %(none)s %% if nothing is asked any more.",
        first=format(planned[0], ".0f"),
        last=format(planned[-1], ".0f"),
        none=format(untouched[-1], ".0f"),
    )
    return figure(
        "course",
        title=_("Recall until the day"),
        alt=alt,
        x=axis(_("days from today")),
        y=axis(_("questions recalled, in percent")),
        series=[
            series(
                _("as planned, with %(level)s band", level=_("%(share)s %%", share=90)),
                "1",
                ahead,
                planned,
                (low, high),
            ),
            series(_("if nothing is asked any more"), "2", ahead, untouched),
        ],
    )


def load(plan: Plan) -> Figure:
    """Answers a day from today until the day that is forecast."""
    ahead = [(day.date - plan.today).days for day in plan.days]
    reviews = [day.reviews for day in plan.days]
    new = [day.new for day in plan.days]
    alt = _(
        "About %(first)s answers today and %(last)s on the last day, at most %(most)s.",
        first=format(reviews[0] + new[0], ".0f"),
        last=format(reviews[-1] + new[-1], ".0f"),
        most=format(max(a + b for a, b in zip(reviews, new, strict=True)), ".0f"),
    )
    return figure(
        "load",
        title=_("What the days bring"),
        alt=alt,
        x=axis(_("days from today")),
        y=axis(_("answers a day")),
        series=[
            series(_("to questions met before"), "1", ahead, reviews),
            series(_("to new questions"), "2", ahead, new),
        ],
    )


def minutes(plan: Plan) -> Figure:
    """Minutes a day as planned, beside those that the goal has."""
    ahead = [(day.date - plan.today).days for day in plan.days]
    planned = [round(day.minutes, 1) for day in plan.days]
    most = plan.goal.minutes_per_day
    alt = _(
        "About %(first)s minutes today, %(last)s on the last day; your goal has %(most)s.",
        first=format(planned[0], ".0f"),
        last=format(planned[-1], ".0f"),
        most=most,
    )
    return figure(
        "minutes",
        title=_("Minutes a day"),
        alt=alt,
        x=axis(_("days from today")),
        y=axis(_("minutes")),
        series=[
            series(_("as planned"), "1", ahead, planned),
            series(_("your goal"), "t", [ahead[0], ahead[-1]], [most, most]),
        ],
    )
