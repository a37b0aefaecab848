"""Whether the process lives and whether the service can do its work."""

from datetime import UTC, datetime
from typing import Any

from alembic.migration import MigrationContext
from apiflask import APIBlueprint
from sqlalchemy.exc import SQLAlchemyError

from quizsvc import db, lab
from quizsvc.migrating import head
from quizsvc.schemas import HealthOut, ReadyOut

bp = APIBlueprint("health", __name__, tag="Health")


@bp.get("/healthz")
@bp.output(HealthOut)
def healthz() -> dict[str, str]:
    """The process answers."""
    return {"status": "ok"}


@bp.get("/readyz")
@bp.output(ReadyOut)
@bp.doc(responses={503: "Service Unavailable"})
def readyz() -> tuple[dict[str, Any], int]:
    """The database answers, is migrated, and a worker was seen in the last 15 seconds."""
    checks = {"database": False, "migrated": False, "worker": False}
    try:
        session = db.session()
        context = MigrationContext.configure(session.connection())
        checks["database"] = True
        checks["migrated"] = context.get_current_revision() == head()
        checks["worker"] = lab.worker_seen(session, at=datetime.now(UTC))
    except SQLAlchemyError:
        db.session().rollback()
    ready = all(checks.values())
    status = "ready" if ready else "not-ready"
    return {"status": status, **checks}, 200 if ready else 503
