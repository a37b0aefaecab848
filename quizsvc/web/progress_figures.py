"""Pure but for the language: progress as figures."""

from collections.abc import Sequence
from datetime import date

from quizsvc.practice.progress import Ahead, Bin, Day, Week
from quizsvc.web.curves import Figure, axis, figure, series
from quizsvc.web.words import _


def calibration(bins: Sequence[Bin]) -> Figure:
    """The share of right answers against the predicted chance of one."""
    ends = [min(0.5, bins[0].predicted), *(b.predicted for b in bins), 1.0]
    inside = sum(b.share.low <= b.predicted <= b.share.high for b in bins)
    alt = _(
        "In %(inside)s of %(groups)s groups the prediction lies within the 95 %% interval of what was right.",
        inside=inside,
        groups=len(bins),
    )
    return figure(
        "calibration",
        title=_("Are the predictions right?"),
        alt=alt,
        x=axis(_("predicted chance of a right answer")),
        y=axis(_("share answered right")),
        series=[
            series(
                _(
                    "your answers, with %(level)s interval, N %(count)s",
                    level=_("%(share)s %%", share=95),
                    count=sum(b.share.answers for b in bins),
                ),
                "1",
                [b.predicted for b in bins],
                [b.share.right / b.share.answers for b in bins],
                ([b.share.low for b in bins], [b.share.high for b in bins]),
            ),
            series(_("if every prediction were right"), "t", ends, ends),
        ],
        kind="points",
    )


def weeks(found: Sequence[Week], names: Sequence[str]) -> Figure:
    """The share of right answers by week, beside the predicted one."""
    right = [week.share.right / week.share.answers for week in found]
    alt = _(
        "Right went from %(first)s to %(last)s, predicted from %(before)s to %(after)s.",
        first=format(right[0], ".2f"),
        last=format(right[-1], ".2f"),
        before=format(found[0].predicted, ".2f"),
        after=format(found[-1].predicted, ".2f"),
    )
    places = list(range(len(found)))
    return figure(
        "weeks",
        title=_("Remembered by week"),
        alt=alt,
        x=axis(_("week from"), names),
        y=axis(_("share answered right")),
        series=[
            series(
                _(
                    "your answers, with %(level)s interval",
                    level=_("%(share)s %%", share=95),
                ),
                "1",
                places,
                right,
                (
                    [week.share.low for week in found],
                    [week.share.high for week in found],
                ),
            ),
            series(_("predicted"), "2", places, [week.predicted for week in found]),
        ],
    )


def forecast(found: Sequence[Ahead], today: date) -> Figure:
    """How much would be recalled on days to come if nothing were asked any more."""
    shares = [100 * one.recall.known / one.recall.questions for one in found]
    alt = _(
        "Without another look recall falls from %(first)s %% of all questions tomorrow to %(last)s %% in %(days)s days.",
        first=format(shares[0], ".0f"),
        last=format(shares[-1], ".0f"),
        days=(found[-1].day - today).days,
    )
    return figure(
        "forecast",
        title=_("If you stopped today"),
        alt=alt,
        x=axis(_("days from today")),
        y=axis(_("questions recalled, in percent")),
        series=[
            series(
                _("of all questions"),
                "1",
                [(one.day - today).days for one in found],
                [round(share, 2) for share in shares],
            ),
            series(
                _("of those you have met"),
                "2",
                [(one.day - today).days for one in found],
                [round(100 * (one.recall.mean or 0.0), 2) for one in found],
            ),
        ],
    )


def days(found: Sequence[Day]) -> Figure:
    """Answers a day."""
    counts = [day.right + day.wrong for day in found]
    alt = _(
        "%(answers)s answers on %(days)s of the last %(all)s days, at most %(most)s on one.",
        answers=sum(counts),
        days=sum(count > 0 for count in counts),
        all=len(found),
        most=max(counts),
    )
    ago = [place - len(found) + 1 for place in range(len(found))]
    return figure(
        "days",
        title=_("Answers per day"),
        alt=alt,
        x=axis(_("days before today")),
        y=axis(_("answers")),
        series=[
            series(_("all answers"), "1", ago, counts),
            series(_("of them right"), "2", ago, [day.right for day in found]),
        ],
    )
