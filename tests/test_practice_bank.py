"""The bank as rows: the revision of a question that is shown now."""

import pytest
from sqlalchemy.orm import Session

from quizsvc.practice import published
from quizsvc.refusals import NotFound

from .practice_factories import AT, make_question


def test_what_is_published_is_the_current_revision(session: Session) -> None:
    make_question(session, "retired").retired_at = AT
    question = make_question(session, "new")
    session.flush()
    assert published(session, "new") is question.current
    for slug in ("unknown", "retired"):
        with pytest.raises(NotFound) as refusal:
            published(session, slug)
        assert refusal.value.code == "unknown-question"
