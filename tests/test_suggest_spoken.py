"""How many of the points that candidates make in their own words are hinted at."""

import tomllib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

from question_bank.content import read_pack
from question_bank.content.items import KeyPointText, Lang
from question_bank.suggest import Suggestion, suggest
from question_bank.transfer import pack_folder

FILE = Path(__file__).with_name("spoken_answers.toml")
QUESTIONS = {question.slug: question for question in read_pack(pack_folder()).questions}


@dataclass(frozen=True)
class Spoken:
    """An answer to an open question, and the names of the points it makes."""

    slug: str
    lang: Lang
    text: str
    made: list[str]


ANSWERS = [Spoken(**one) for one in tomllib.loads(FILE.read_text())["answers"]]


def points(spoken: Spoken) -> dict[str, KeyPointText]:
    return QUESTIONS[spoken.slug].texts[spoken.lang].key_points


def hint(spoken: Spoken, name: str) -> Suggestion:
    """As after an answer: phrases of every language count."""
    said = [t.key_points[name] for t in QUESTIONS[spoken.slug].texts.values()]
    return suggest(
        spoken.text,
        [phrase for point in said for phrase in point.phrases],
        [phrase for point in said for phrase in point.misconceptions],
    )


def hints(answers: list[Spoken]) -> Counter[tuple[bool, bool]]:
    """How many points there are by (the answer makes it, it is hinted at)."""
    return Counter(
        (name in spoken.made, hint(spoken, name).matched is not None)
        for spoken in answers
        for name in points(spoken)
    )


def test_every_open_question_is_answered_twice_in_chinese_and_once_in_english() -> None:
    given = Counter((spoken.slug, spoken.lang) for spoken in ANSWERS)
    for slug, question in QUESTIONS.items():
        if question.type == "open":
            assert given[slug, "zh"] >= 2
            assert given[slug, "en"] >= 1
    assert all(set(spoken.made) <= points(spoken).keys() for spoken in ANSWERS)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_most_points_made_are_hinted_at_and_hardly_any_others(lang: str) -> None:
    counted = hints([spoken for spoken in ANSWERS if spoken.lang == lang])
    assert counted[True, True] >= 0.7 * (counted[True, True] + counted[True, False])
    assert counted[False, True] <= 0.05 * (counted[False, True] + counted[False, False])


def test_no_point_made_is_taken_for_its_opposite() -> None:
    assert not [
        (spoken.slug, name)
        for spoken in ANSWERS
        for name in spoken.made
        if hint(spoken, name).contradicted
    ]
