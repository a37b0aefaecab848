"""Feedback: everything an answer earns, in the language asked for."""

import pytest
from sqlalchemy.orm import Session

from quizsvc.models import Answer, Presentation, User
from quizsvc.practice import (
    Submission,
    feedback,
    mark_answer,
    submit_answer,
    undo,
)

from .practice_factories import AT, DAY, ask, ids, make_question, make_user


def choose(session: Session, user: User, shown: Presentation, *names: str) -> Answer:
    said = Submission(choices=ids(shown, *names))
    return submit_answer(session, user, shown.id, said, at=AT)


def write(session: Session, user: User, text: str) -> Answer:
    shown = ask(session, user)
    return submit_answer(session, user, shown.id, Submission(text=text), at=AT)


def test_feedback_tells_every_choice_in_the_order_it_was_shown(
    session: Session,
) -> None:
    user = make_user(session)
    make_question(session)
    shown = ask(session, user)
    view = feedback(session, choose(session, user, shown, "outside"), lang="en")
    assert [choice.id for choice in view.choices] == [c for c, _ in shown.choices]
    told = {c.text: (c.correct, c.chosen, c.rationale) for c in view.choices}
    assert told == {
        "inside (en)": (True, False, "inside: en"),
        "outside (en)": (False, True, "outside: en"),
        "nowhere (en)": (False, False, "nowhere: en"),
        "both (en)": (False, False, "both: en"),
    }
    assert (view.score, view.correct, view.scoring) == (0.0, False, "all-or-nothing")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_feedback_explains_in_the_language_asked_for(
    session: Session, lang: str
) -> None:
    user = make_user(session)
    make_question(session)
    given = choose(session, user, ask(session, user, lang="en"), "inside")
    view = feedback(session, given, lang=lang)
    assert view.lang == lang
    assert (view.stem, view.short) == (f"Stem ({lang})", f"Short ({lang})")
    assert (view.detailed, view.full) == (f"Detailed ({lang})", f"Full ({lang})")
    assert view.hook == f"Hook ({lang})"
    assert view.pitfalls == [(f"Belief ({lang})", f"Why ({lang})")]
    assert view.references == [("Paper", "https://example.org", lang)]


def test_feedback_falls_back_to_the_language_the_question_was_shown_in(
    session: Session,
) -> None:
    user = make_user(session)
    make_question(session, langs=["en"])
    given = choose(session, user, ask(session, user), "inside")
    assert feedback(session, given, lang="zh").lang == "en"


def test_a_follow_up_leads_only_to_a_question_that_can_be_met(session: Session) -> None:
    user = make_user(session)
    question = make_question(session)
    make_question(session, "gone").retired_at = AT
    given = choose(session, user, ask(session, user), "inside")
    assert feedback(session, given, lang="en").follow_ups == [
        ("This again? (en)", question.slug),
        ("Gone? (en)", None),
        ("And then? (en)", None),
    ]


def test_feedback_is_about_the_revision_that_was_shown(session: Session) -> None:
    user = make_user(session)
    question = make_question(session)
    shown = ask(session, user)
    question.current = make_question(session, "other", key=["x"], others=["y"]).current
    session.flush()
    view = feedback(session, choose(session, user, shown, "inside"), lang="en")
    assert {choice.text for choice in view.choices if choice.correct} == {"inside (en)"}


def test_feedback_tells_how_the_card_moved(session: Session) -> None:
    user = make_user(session)
    make_question(session)
    first = feedback(
        session, choose(session, user, ask(session, user), "inside"), lang="en"
    ).review
    assert first is not None
    assert (first.rating, first.interval_days) == ("good", 1)
    assert first.due == AT.date() + DAY
    assert (first.predicted, first.stability_before) == (None, None)
    shown = ask(session, user, at=AT + DAY)
    said = Submission(choices=ids(shown, "outside"))
    given = submit_answer(session, user, shown.id, said, at=AT + DAY)
    second = feedback(session, given, lang="en").review
    assert second is not None
    assert second.rating == "again"
    assert second.stability_before == first.stability_after
    assert second.stability_after < first.stability_after
    assert second.predicted == pytest.approx(0.9, abs=0.02)
    assert not second.undone
    undo(session, user, second.id, at=AT + DAY)
    undone = feedback(session, given, lang="en").review
    assert undone is not None
    assert undone.undone


def test_an_open_answer_gets_hints_and_no_verdict(session: Session) -> None:
    user = make_user(session)
    make_question(session, type="open", points=["gradients", "depth", "warmup"])
    text = "First, phrase of gradients. Then, mistake about depth."
    view = feedback(session, write(session, user, text), lang="en")
    hints = {
        point.text: (point.matched, point.contradicted) for point in view.key_points
    }
    assert hints["warmup (en)"] == (None, None)
    matched, contradicted = hints["gradients (en)"]
    assert matched is not None
    assert "phrase of gradients" in matched
    assert contradicted is None
    matched, contradicted = hints["depth (en)"]
    assert matched is None
    assert contradicted is not None
    assert "mistake about depth" in contradicted
    assert not any(point.ticked for point in view.key_points)
    assert (view.text, view.score, view.correct, view.review) == (
        text,
        None,
        None,
        None,
    )


def test_ticked_points_are_told_after_marking(session: Session) -> None:
    user = make_user(session)
    make_question(session, type="open", points=["one", "two"])
    given = write(session, user, "An answer.")
    ticks = ids(given.presentation, "two")
    mark_answer(session, user, given.id, ticks, "easy", at=AT)
    view = feedback(session, given, lang="zh")
    assert [(p.id, p.text, p.ticked) for p in view.key_points] == [
        (given.presentation.key_points[0][0], "one (zh)", False),
        (ticks[0], "two (zh)", True),
    ]
    assert view.review is not None
    assert view.review.rating == "easy"
