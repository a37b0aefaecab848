"""New rows, inserted without the unit of work: its bookkeeping costs more than they do."""

from functools import cache
from typing import Any, TypeVar, cast

from sqlalchemy import Insert, Table, insert
from sqlalchemy.orm import Session, make_transient_to_detached
from sqlalchemy.orm.attributes import instance_dict, manager_of_class

from question_bank.base import Base

Row = TypeVar("Row", bound=Base)


def write(session: Session, kind: type[Base], **values: Any) -> None:
    """Insert a row that nobody in this transaction looks at as an object."""
    session.connection().execute(_insert(kind), values)


def written(session: Session, kind: type[Row], **values: Any) -> Row:
    """Insert a row, every column given, and keep it in the session."""
    write(session, kind, **values)
    row: Row = manager_of_class(kind).new_instance()
    instance_dict(row).update(values)
    make_transient_to_detached(row)
    session.add(row)
    return row


@cache
def _insert(kind: type[Base]) -> Insert:
    return insert(cast(Table, kind.__table__))
