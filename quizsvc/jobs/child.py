"""One run in one process of its own, with limits, so that nothing it does hurts a worker.

Children are forked from a server process that has the libraries loaded already: a start
takes milliseconds, and the worker itself never loads them.
"""

import json
import os
import resource
import signal
import threading
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext
from multiprocessing.forkserver import ensure_running
from pathlib import Path
from typing import Any

from quizsvc.settings import Settings
from sim.core import THREADS

PRELOAD = ["torch", "numpy", "sim.running", "quizsvc.jobs.child"]
ENVIRONMENT = {
    **dict.fromkeys(
        ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1"
    ),
    # glibc keeps what a step has freed for the next one, and asks the system only once
    "MALLOC_MMAP_THRESHOLD_": str(32 * 2**20),
    "MALLOC_TRIM_THRESHOLD_": str(2**30),
}
START_SECONDS = 60  # for the server process to load the libraries, once
NICE = 10  # pages, and the reader's own work, come first
MARGIN = 5  # seconds between the wall limit, which the worker keeps, and the CPU limit

Ask = tuple[str, Mapping[str, Any], Sequence[int]]  # name, parameters, seeds
Progress = Callable[[float], None]
Target = Callable[[str, Mapping[str, Any], Sequence[int], Progress], Mapping[str, Any]]


class UnusableError(Exception):
    """The experiment cannot use these parameters; the message says why in one line."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What one run may use."""

    seconds: float = Settings.run_seconds
    memory_mb: int = Settings.run_memory_mb  # beside the libraries


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How a child ended: with a result, with a reason, or (neither) without a word."""

    result: Mapping[str, Any] | None = None
    error: str | None = None
    trace: str | None = None  # for the log alone


def execute(
    name: str, params: Mapping[str, Any], seeds: Sequence[int], progress: Progress
) -> Mapping[str, Any]:
    """What a child does: run the experiment. Only here is it imported."""
    from sim import running

    try:
        return running.execute(name, params, seeds, progress)
    except running.InputError as refusal:
        raise UnusableError(str(refusal)) from refusal


@cache
def server() -> ForkServerContext:
    """The process that children are forked from; it begins to load the libraries."""
    os.environ.update(ENVIRONMENT)  # read by the libraries when they load
    context = get_context("forkserver")
    context.set_forkserver_preload(PRELOAD)
    ensure_running()
    return context


class Child:
    """A run on its way: ask it for ``progress`` and ``outcome``, or ``kill`` it."""

    def __init__(
        self,
        ask: Ask,
        limits: Limits,
        target: Target = execute,
    ) -> None:
        self.progress = 0.0
        self._limits = limits
        self._outcome: Outcome | None = None
        self._deadline = time.monotonic() + START_SECONDS
        self._started = False
        self._pipe, inside = server().Pipe()
        self._process = server().Process(
            target=_work,
            args=(inside, target, ask, limits),
            daemon=True,
        )
        self._process.start()
        inside.close()
        self.pid = self._process.pid or 0  # known once started

    def outcome(self, wait: float = 0) -> Outcome | None:
        """How the run ended; None while it runs. Waits up to ``wait`` seconds for news."""
        alive = (
            self._process.is_alive()
        )  # asked first: its last words may lie in the pipe
        with suppress(EOFError, OSError):  # it is gone
            while self._outcome is None and self._pipe.poll(wait):
                self._hear(json.loads(self._pipe.recv_bytes()))
                wait = 0
        if self._outcome is None and not alive:
            overdrawn = self._process.exitcode == -signal.SIGXCPU
            self._outcome = Outcome(error=self._too_long() if overdrawn else None)
        if self._outcome is None and time.monotonic() > self._deadline:
            self._outcome = Outcome(error=self._too_long())
        if self._outcome is not None:
            self.kill()
        return self._outcome

    def kill(self) -> None:
        """End the child at once, and whatever it has started."""
        if self._pipe.closed:
            return
        with suppress(ProcessLookupError):  # its group may outlive it
            os.killpg(self.pid, signal.SIGKILL)
        self._process.kill()  # if it had no group of its own yet
        self._process.join()
        self._pipe.close()

    def _too_long(self) -> str:
        return f"The run was stopped: it took longer than {self._limits.seconds:g} seconds."

    def _hear(self, message: Mapping[str, Any]) -> None:
        if not self._started:
            self._started = True
            self._deadline = time.monotonic() + self._limits.seconds
        self.progress = message.get("progress", self.progress)
        if "result" in message or "error" in message:
            self._outcome = Outcome(**message)


def _work(pipe: Connection, target: Target, ask: Ask, limits: Limits) -> None:
    os.setsid()  # a terminal's Ctrl-C is the worker's business
    os.nice(NICE)
    threading.Thread(target=_die_with_worker, args=(pipe,), daemon=True).start()
    told = 0.0

    def tell(**message: Any) -> None:
        pipe.send_bytes(json.dumps(message, allow_nan=False).encode())

    def progress(done: float) -> None:
        nonlocal told
        if time.monotonic() - told > 0.1:
            told = time.monotonic()
            tell(progress=min(max(float(done), 0.0), 1.0))

    try:
        progress(0)
        _limit(resource.RLIMIT_CORE, 0)
        _limit(resource.RLIMIT_CPU, (int(limits.seconds) + MARGIN) * THREADS)
        if statm := _address_space():
            _limit(resource.RLIMIT_AS, statm + limits.memory_mb * 2**20)
        tell(result=target(*ask, progress))
    except Exception as error:
        _limit(resource.RLIMIT_AS, resource.RLIM_INFINITY)  # room to say what happened
        tell(error=_sentence(error, limits), trace=traceback.format_exc())


def _die_with_worker(pipe: Connection) -> None:
    pipe.poll(None)  # the worker says nothing: news can only be that it is gone
    os.killpg(0, signal.SIGKILL)


def _limit(kind: int, value: int) -> None:
    """Set a soft limit, within the hard one."""
    _, hard = resource.getrlimit(kind)
    if hard != resource.RLIM_INFINITY:
        value = hard if value == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(kind, (value, hard))


def _address_space() -> int:
    """Bytes mapped so far: a library built for GPUs alone may take gigabytes. 0 where the
    system does not tell; such systems do not honour the limit either."""
    with suppress(OSError):
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[0]
        return int(pages) * resource.getpagesize()
    return 0


def _sentence(error: Exception, limits: Limits) -> str:
    if isinstance(error, UnusableError):
        return f"The experiment cannot use these parameters: {error}."
    # torch reports a failed allocation as a RuntimeError
    if isinstance(error, MemoryError) or "can't allocate memory" in str(error):
        return (
            f"The run needed more than the {limits.memory_mb} MB of memory it may use."
        )
    return f"The experiment stopped with an error ({type(error).__name__})."
