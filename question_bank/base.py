"""What every table of the project shares: metadata, key and time types."""

import secrets
from datetime import UTC, datetime
from typing import Annotated, Any, ClassVar

from sqlalchemy import JSON, DateTime, Dialect, MetaData, String, TypeDecorator
from sqlalchemy.orm import DeclarativeBase, mapped_column


class UtcDateTime(TypeDecorator[datetime]):
    """An aware UTC datetime, also on SQLite, which forgets the zone."""

    impl = DateTime
    cache_ok = True

    def process_bind_param(
        self, value: datetime | None, dialect: Dialect
    ) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("naive datetime")
        return value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(
        self, value: datetime | None, dialect: Dialect
    ) -> datetime | None:
        return value and value.replace(tzinfo=UTC)


class Base(DeclarativeBase):
    metadata: ClassVar[MetaData] = MetaData(
        naming_convention={
            "ix": "ix_%(column_0_N_label)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map: ClassVar[dict[Any, Any]] = {
        datetime: UtcDateTime,
        dict[str, Any]: JSON,
        list[Any]: JSON,
        list[str]: JSON,
    }


def new_id(prefix: str) -> str:
    """An opaque id with 128 random bits: it tells neither order nor number."""
    return f"{prefix}_{secrets.token_hex(16)}"


Key = Annotated[int, mapped_column(primary_key=True)]
Slug = Annotated[str, mapped_column(String(100))]
Name = Annotated[str, mapped_column(String(40))]
"""A short word from a fixed list, or an identifier."""
