"""The editions of the bank and of the catalogue: how long what was read stays true."""

from sqlalchemy import ScalarSelect, select
from sqlalchemy.orm import Session

from question_bank.base import new_id
from question_bank.models import Edition

BANK, CATALOGUE = "bank", "catalogue"


def token(name: str) -> ScalarSelect[str | None]:
    """The token of an edition, as a column; NULL where nothing was ever put there."""
    return select(Edition.token).where(Edition.name == name).scalar_subquery()


def renew(session: Session, name: str, *, changed: bool) -> None:
    """Give an edition that has ``changed`` a new token, and one that has none its first."""
    row = session.get(Edition, name)
    if row is None:
        session.add(Edition(name=name, token=new_id("ed")))
    elif changed:
        row.token = new_id("ed")
    session.flush()
