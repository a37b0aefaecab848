"""What all schemas share."""

from datetime import datetime
from hashlib import sha256
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, PlainSerializer, WithJsonSchema

from question_bank.content.items import Lang

Rating = Literal["again", "hard", "good", "easy"]
Moment = Annotated[  # a time in UTC; RFC 3339 with a Z in JSON
    datetime,
    PlainSerializer(lambda at: f"{at:%Y-%m-%dT%H:%M:%SZ}", when_used="json"),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]


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
