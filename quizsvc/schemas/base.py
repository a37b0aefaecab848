"""What all schemas share."""

import re
from datetime import date, datetime
from hashlib import sha256
from typing import Annotated, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    WithJsonSchema,
)

from question_bank.content.items import Lang

Rating = Literal["again", "hard", "good", "easy"]
Moment = Annotated[  # a time in UTC; RFC 3339 with a Z in JSON
    datetime,
    PlainSerializer(lambda at: f"{at:%Y-%m-%dT%H:%M:%SZ}", when_used="json"),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]


DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


def _written(value: object) -> object:
    """Only 2026-03-02 is a day: no number, and no moment."""
    if value is not None and not (isinstance(value, str) and DAY.fullmatch(value)):
        raise ValueError("Write a day as 2026-03-02.")
    return value


Day = Annotated[date, BeforeValidator(_written)]


class In(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Out(BaseModel):
    model_config = ConfigDict(from_attributes=True, frozen=True)

    @property
    def etag(self) -> str:
        """What tells this representation from any other."""
        return sha256(self.model_dump_json().encode()).hexdigest()[:32]


class PageIn(In):
    limit: int = Field(50, ge=1, le=100)
    after: str | None = Field(None, max_length=300)


class LangIn(In):
    lang: Lang = "en"
