"""What a revision says is read once and stays apart from what others say."""

from sqlalchemy.orm import Session

from question_bank.content import content_hash
from question_bank.models import Question
from question_bank.published import content

from .factories import make_item
from .practice_factories import make_question


def hash_of(question: Question) -> str:
    assert question.current is not None
    return question.current.content_hash


def test_content_is_read_once(session: Session) -> None:
    wanted = hash_of(make_question(session))
    assert content(session, wanted) is content(session, wanted)


def test_each_revision_keeps_its_own_content(session: Session) -> None:
    one, two = make_question(session, "one"), make_question(session, "two", key=["x"])
    assert content(session, hash_of(one)).slug == "one"
    assert content(session, hash_of(two)).key == {"x"}


def test_the_same_words_under_another_slug_are_another_question() -> None:
    assert content_hash(make_item("one")) != content_hash(make_item("two"))
