"""What progress is told from: the lines of the review log, and the cards."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import NamedTuple

from quizsvc.practice.bank import Held
from quizsvc.scheduling import candidate
from quizsvc.scheduling.calibration import PRIOR, Calibration
from quizsvc.scheduling.log import State
from quizsvc.scheduling.memory import Rating


class Entry(NamedTuple):
    """A review that counts; a log is a list of them in its order."""

    question_id: int
    rating: int
    study_day: date
    predicted: float | None  # recall just before; None for a card never met
    chance: float  # of a right answer by one who knows nothing
    confidence: str | None  # sure | unsure | dont-know
    seconds: float | None  # None where nobody measured
    given_at: datetime  # reviewed then, or later if it had to be marked
    stability: float  # days, just after

    @property
    def right(self) -> bool:
        return self.rating != Rating.AGAIN


class Card(NamedTuple):
    """A published question, and what is known of it now."""

    id: int
    slug: str
    title: Mapping[str, str]  # by language
    topic: str
    level: str
    state: State | None
    calibration: Calibration = PRIOR  # of the candidate

    def recall(self, day: date) -> float:
        """The calibrated chance of recall on a study day; 0 for a card never met."""
        if self.state is None:
            return 0.0
        return candidate.recall(self.state, day, self.calibration)


def card_of(one: Held, known: Calibration) -> Card:
    """The card that a candidate with that calibration holds."""
    cover = one.cover
    return Card(
        one.id, one.slug, cover.title, cover.topic, cover.level, one.state, known
    )
