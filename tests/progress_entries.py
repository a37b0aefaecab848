"""Lines of a review log and cards, as progress is told from them."""

from datetime import UTC, date, datetime, time, timedelta

from hypothesis import strategies as st

from quizsvc.practice.progress import Card, Entry
from quizsvc.scheduling.log import State

TODAY = date(2026, 3, 4)  # a Wednesday
DAY = timedelta(days=1)
NOON = time(12, tzinfo=UTC)


def entry(ago: int = 0, rating: int = 3, question: int = 1, **facts: object) -> Entry:
    values: dict[str, object] = {
        "question_id": question,
        "rating": rating,
        "study_day": TODAY - ago * DAY,
        "predicted": 0.9,
        "chance": 0.0,
        "confidence": None,
        "seconds": 10.0,
        "given_at": datetime.combine(TODAY - ago * DAY, NOON),
        "stability": 5.0,
    }
    return Entry(**(values | facts))  # type: ignore[arg-type]


def card(number: int = 1, stability: float | None = 5.0, **facts: object) -> Card:
    state = None
    if stability is not None:
        state = State(stability, 5.0, TODAY - 5 * DAY, TODAY, 1, 0)
    values: dict[str, object] = {
        "id": number,
        "slug": f"question-{number:03}",
        "title": {"en": "Title"},
        "topic": "depth",
        "level": "easy",
        "state": state,
    }
    return Card(**(values | facts))  # type: ignore[arg-type]


entries = st.builds(
    Entry,
    question_id=st.integers(1, 6),
    rating=st.integers(1, 4),
    study_day=st.dates(TODAY - 200 * DAY, TODAY + DAY),
    predicted=st.none() | st.floats(0, 1),
    chance=st.floats(0, 1, exclude_max=True),
    confidence=st.sampled_from([None, "sure", "unsure", "dont-know"]),
    seconds=st.none() | st.floats(0, 90_000),
    given_at=st.datetimes(timezones=st.just(UTC)),
    stability=st.floats(0.001, 36500),
)
logs = st.lists(entries, max_size=60)
