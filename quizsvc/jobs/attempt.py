"""One attempt at one run, from the claim to the record.

The only way a run is run: :func:`begin`, then :meth:`Attempt.step` until it is over. The
supervisor goes it with several at a time, :func:`run_job` with one.
"""

import time
from datetime import UTC, datetime, timedelta
from logging import getLogger

from sqlalchemy import Engine

from quizsvc.db import writing
from quizsvc.jobs import queue
from quizsvc.jobs.child import Child, Limits, Outcome, Target, execute
from quizsvc.models import Run
from sim import registry

log = getLogger(__name__)

LEASE = timedelta(seconds=15)
HEARTBEAT = 0.5  # seconds; also the longest a cancel goes unnoticed
CHANGED = "The experiment changed since this run was asked for; ask for it again."


class Attempt:
    """A claimed run and the child that computes it: call :meth:`step` until it is over."""

    def __init__(
        self, engine: Engine, run: Run, limits: Limits, target: Target
    ) -> None:
        self._engine = engine
        self._run_id = run.id
        self._number = run.attempt
        self._beat = time.monotonic()
        self.child = Child((run.experiment, run.params, run.seeds), limits, target)

    def step(self, wait: float = 0) -> bool:
        """Hear the child (up to ``wait`` seconds), keep the lease; True when all is over.

        After an error of the database the next step tries again.
        """
        outcome = self.child.outcome(wait)
        if outcome is not None:
            self._record(outcome)
            return True
        if time.monotonic() - self._beat < HEARTBEAT:
            return False
        if self._keep():
            self._beat = time.monotonic()
            return False
        self.give_back()
        return True

    def give_back(self) -> None:
        """Kill the child; the run waits again, or is cancelled if that was asked for."""
        self.child.kill()
        with writing(self._engine) as session:
            queue.give_back(session, self._run_id, self._number, at=datetime.now(UTC))
            session.commit()

    def _keep(self) -> bool:
        with writing(self._engine) as session:
            kept = queue.heartbeat(
                session,
                self._run_id,
                self._number,
                progress=self.child.progress,
                at=datetime.now(UTC),
                lease=LEASE,
            )
            session.commit()
        return kept

    def _record(self, outcome: Outcome) -> None:
        if outcome.trace:
            log.error("%s failed:\n%s", self._run_id, outcome.trace)
        mine, at = (self._run_id, self._number), datetime.now(UTC)
        with writing(self._engine) as session:
            if outcome.result is not None:
                queue.finish(session, *mine, outcome.result, at=at)
            elif outcome.error is not None:
                queue.fail(session, *mine, outcome.error, at=at)
            else:
                log.warning("%s: attempt %d died", *mine)
                queue.lose(session, *mine, at=at)
            session.commit()


def begin(
    engine: Engine,
    *,
    limits: Limits,
    target: Target = execute,
    run_id: str | None = None,
) -> Attempt | None:
    """Claim the next waiting run (or that one) and start it; None when nothing waits.

    A run of an experiment whose source has changed fails at once.
    """
    with writing(engine) as session:
        while run := queue.claim(
            session, at=datetime.now(UTC), lease=LEASE, run_id=run_id
        ):
            if _is_current(run):
                session.expunge(run)  # read on without a transaction
                break
            queue.fail(session, run.id, run.attempt, CHANGED, at=datetime.now(UTC))
        session.commit()
    return None if run is None else Attempt(engine, run, limits, target)


def run_job(
    engine: Engine,
    run_id: str,
    *,
    limits: Limits | None = None,
    target: Target = execute,
) -> bool:
    """Run one waiting run to its end, here; False if it did not wait.

    What a carrier of ids calls, as ``quizsvc worker --run`` does: lost, late and doubled
    messages change nothing.
    """
    attempt = begin(engine, limits=limits or Limits(), target=target, run_id=run_id)
    if attempt is None:
        return False
    try:
        while not attempt.step(wait=HEARTBEAT):
            pass
    except BaseException:
        attempt.give_back()
        raise
    return True


def _is_current(run: Run) -> bool:
    if run.experiment not in registry.names():
        return False
    return registry.source_hash(run.experiment) == run.source_hash
