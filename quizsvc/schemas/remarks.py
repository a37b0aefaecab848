"""The flag and the note that a candidate keeps beside a question."""

from pydantic import Field

from quizsvc.practice.remarks import MAX_NOTE
from quizsvc.schemas.base import In, Moment, Out


class RemarkIn(In):
    """What is left out stays as it is."""

    flagged: bool = Field(False, strict=True)
    note: str = Field("", max_length=MAX_NOTE)


class RemarkOut(Out):
    flagged: bool
    note: str
    written_at: Moment | None  # when the note was last changed; None without one
