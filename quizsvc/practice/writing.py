"""New rows, inserted without the unit of work: its bookkeeping costs more than they do."""

from functools import cache
from typing import Any, TypeVar, cast

from sqlalchemy import Insert, Table, insert
from sqlalchemy.orm import Session, make_transient_to_detached

from question_bank.base import Base

Row = TypeVar("Row", bound=Base)


def write(session: Session, kind: type[Base], **values: Any) -> None:
    """Insert a row that nobody in this transaction looks at as an object."""
    session.connection().execute(_insert(kind), values)


def written(session: Session, row: Row) -> Row:
    """Insert a row whose columns are all set, and keep it in the session."""
    values = {k: v for k, v in vars(row).items() if k != "_sa_instance_state"}
    write(session, type(row), **values)
    make_transient_to_detached(row)
    session.add(row)
    return row


@cache
def _insert(kind: type[Base]) -> Insert:
    return insert(cast(Table, kind.__table__))
