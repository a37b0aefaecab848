"""Figures in questions: of a run that is new to the candidate, pinned, and nameless."""

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from question_bank.models import Figure
from quizsvc import lab
from quizsvc.models import Presentation, Run, User
from quizsvc.practice import (
    NotComputed,
    Submission,
    due,
    feedback,
    shown,
    submit_answer,
)
from quizsvc.practice.measured import VARIANTS

from .api_helpers import COIN
from .measured import finish, succeed
from .practice_factories import AT, ask, ids, make_question, make_user
from .web_helpers import FIGURE

MINUTE = timedelta(minutes=1)


@pytest.fixture
def user(session: Session) -> User:
    lab.store_catalogue(session, [COIN])
    user = make_user(session)
    make_figure(session)
    return user


def make_figure(session: Session, slug: str = "norm-position", **facts: Any) -> None:
    values = {"experiment": "coin", "figure": "share", "params": {"bias": 0.75}} | facts
    make_question(session, slug, figure=Figure(**values))


def seeds(session: Session, presentation: Presentation) -> tuple[int, ...]:
    assert presentation.figure_run_id
    return tuple(session.get_one(Run, presentation.figure_run_id).seeds)


def waiting(session: Session) -> list[tuple[int, ...]]:
    runs = session.scalars(select(Run).where(Run.state == "queued"))
    return [tuple(run.seeds) for run in runs]


def test_the_figure_of_a_finished_run_is_shown_without_its_name(
    session: Session, user: User
) -> None:
    run = finish(session, at=AT, bias=0.75)
    finish(session, at=AT, figure=None)
    view = shown(session, ask(session, user))
    assert view["figure"] == {k: v for k, v in FIGURE.items() if k != "id"}
    assert not any(word in str(view) for word in ("coin", run.id, "0.75"))


def test_the_feedback_shows_the_same_figure_and_where_it_is_from(
    session: Session, user: User
) -> None:
    run = finish(session, at=AT, bias=0.75)
    pres = ask(session, user)
    finish(session, at=AT, bias=0.75, seeds=VARIANTS[1], figure=FIGURE | {"kind": "x"})
    said = Submission(choices=ids(pres, "inside"))
    view = feedback(
        session, submit_answer(session, user, pres.id, said, at=AT), lang="en"
    )
    assert view.figure
    assert (view.figure.data, view.figure.run_id) == (FIGURE, run.id)
    assert (view.figure.experiment, view.figure.id) == ("coin", "share")
    assert view.figure.params == {"bias": 0.75}


@pytest.mark.parametrize("drawn", [None, FIGURE | {"id": "other"}])
def test_without_its_figure_a_question_is_not_asked(
    session: Session, user: User, drawn: dict[str, Any] | None
) -> None:
    finish(session, at=AT, bias=0.75, figure=drawn)
    finish(session, at=AT)
    assert due(session, user, at=AT) == []
    with pytest.raises(NotComputed):
        ask(session, user)


def test_each_showing_asks_for_a_run_with_fresh_seeds_one_at_a_time(
    session: Session, user: User
) -> None:
    finish(session, at=AT, bias=0.75)
    for _ in range(3):
        assert seeds(session, ask(session, user)) == VARIANTS[0]
        assert waiting(session) == [VARIANTS[1]]
    [fresh] = session.scalars(select(Run).where(Run.state == "queued"))
    assert (fresh.priority, fresh.params["bias"]) == (lab.START_UP, 0.75)


def test_the_next_showing_has_seeds_that_were_not_met(
    session: Session, user: User
) -> None:
    other = make_user(session, "bea")
    finish(session, at=AT, bias=0.75)
    met = []
    for number in range(12):
        at = AT + number * MINUTE
        met.append(seeds(session, ask(session, user, at=at)))
        for run in session.scalars(select(Run).where(Run.state == "queued")):
            succeed(session, run)
    assert len(set(met[:5])) == 5
    assert met[5:10] == met[:5]  # all are met: the one met longest ago
    assert session.scalar(select(func.count()).select_from(Run)) == len(VARIANTS)
    assert seeds(session, ask(session, other)) == VARIANTS[0]


def test_while_a_figure_is_left_that_was_not_met_no_run_is_asked_for(
    session: Session, user: User
) -> None:
    for some in VARIANTS[:3]:
        finish(session, at=AT, bias=0.75, seeds=some)
    ask(session, user)
    assert waiting(session) == []
    ask(session, user, at=AT + MINUTE)
    assert waiting(session) == []
    ask(session, user, at=AT + 2 * MINUTE)
    assert waiting(session) == [VARIANTS[3]]


def test_a_variant_that_failed_does_not_stand_in_the_way(
    session: Session, user: User
) -> None:
    finish(session, at=AT, bias=0.75)
    lab.submit(session, "coin", {"bias": 0.75}, VARIANTS[1], at=AT).run.state = "failed"
    session.flush()
    ask(session, user)
    assert waiting(session) == [VARIANTS[2]]


def test_figures_met_in_another_question_are_new_in_this_one(
    session: Session, user: User
) -> None:
    make_figure(session, "other")
    for some in VARIANTS[:2]:
        finish(session, at=AT, bias=0.75, seeds=some)
    assert seeds(session, ask(session, user)) == VARIANTS[0]
    assert seeds(session, ask(session, user, "other")) == VARIANTS[0]
    assert seeds(session, ask(session, user)) == VARIANTS[1]
