"""Whether the service is up."""

from typing import Literal

from quizsvc.schemas.base import Out


class HealthOut(Out):
    status: Literal["ok"]


class ReadyOut(Out):
    status: Literal["ready", "not-ready"]
    database: bool
    migrated: bool
    worker: bool
