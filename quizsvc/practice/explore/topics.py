"""How firm each topic is at each level: tomorrow, and on the day of the interview."""

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from math import inf
from statistics import mean
from typing import Literal, NamedTuple

from sqlalchemy.orm import Session

from question_bank.content import LEVELS, TOPICS
from quizsvc.models import User
from quizsvc.practice.explore.listing import Listed, everything
from quizsvc.practice.users import calibration
from quizsvc.scheduling.calibration import Calibration, predicted
from quizsvc.scheduling.days import study_day
from quizsvc.scheduling.log import State
from quizsvc.scheduling.memory import retrievability

Mastery = Literal["unmet", "thin", "partial", "good", "firm"]
BOUNDS: dict[Mastery, float] = {"firm": 0.9, "good": 0.7, "partial": 0.4, "thin": 0.0}


class Cell(NamedTuple):
    """The questions of a topic at a level, or of all its levels."""

    questions: int
    met: int
    tomorrow: float | None  # mean recall of those met; None for none
    then: float | None  # the same on the interview date, without another look
    share: float  # of all its questions, how many would be recalled tomorrow

    @property
    def mastery(self) -> Mastery:
        """A word for ``share``: a topic is not mastered by one question known well, nor
        by one that was answered wrong last.
        """
        if not self.met:
            return "unmet"
        return next(word for word, least in BOUNDS.items() if self.share >= least)


class Row(NamedTuple):
    topic: str
    levels: dict[str, Cell]  # those that have questions
    all: Cell


class TopicMap(NamedTuple):
    rows: list[Row]  # in the order of the bank
    levels: list[str]
    day: date
    interview: date | None  # None without one to come


def topic_map(session: Session, user: User, *, at: datetime) -> TopicMap:
    """The map of every published question on a study day."""
    day = study_day(at, user.time_zone, user.rollover_hour)
    on = user.interview_date
    interview = on if on is not None and on > day else None
    bank, known = everything(session, user, at=at), calibration(user)
    return mapped(bank, day, interview, known)


def mapped(
    bank: Sequence[Listed], day: date, interview: date | None, known: Calibration
) -> TopicMap:
    """The map of a bank, for a candidate with that calibration."""
    levels: list[str] = [
        level for level in LEVELS if any(one.level == level for one in bank)
    ]

    def cell(some: Iterable[Listed]) -> Cell:
        return _cell(list(some), interview, known)

    rows = []
    for topic in TOPICS:
        here = [one for one in bank if one.topic == topic]
        cells = {n: cell(x for x in here if x.level == n) for n in levels}
        if here:
            some = {n: one for n, one in cells.items() if one.questions}
            rows.append(Row(topic, some, cell(here)))
    return TopicMap(rows, levels, day, interview)


def _cell(some: list[Listed], interview: date | None, known: Calibration) -> Cell:
    tomorrow = [one.recall for one in some if one.recall is not None]
    right = [one.recall for one in some if one.recall is not None and not one.wrong]
    met = [one.state for one in some if one.state is not None]
    then = [_then(state, interview, known) for state in met] if interview else []
    return Cell(
        questions=len(some),
        met=len(met),
        tomorrow=mean(tomorrow) if tomorrow else None,
        then=mean(then) if then else None,
        share=sum(right) / len(some) if some else 0.0,
    )


def at_interview(user: User, one: Listed, *, at: datetime) -> float | None:
    """Recall of a question on the interview date; None without one to come, or unmet."""
    on, day = user.interview_date, study_day(at, user.time_zone, user.rollover_hour)
    if one.state is None or on is None or on <= day:
        return None
    return _then(one.state, on, calibration(user))


def _then(state: State, on: date, known: Calibration) -> float:
    """Recall on a later day, when today's form is gone."""
    return predicted(known, retrievability(state.elapsed(on), state.stability), inf)
