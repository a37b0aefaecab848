"""Processes that belong to a command: started again when they die, gone when it goes."""

import ctypes
import logging
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Self

log = logging.getLogger(__name__)

LONGEST_DELAY = 10.0  # seconds between two starts of what keeps failing
STABLE = 30.0  # seconds after which an end is an accident, not a habit
PR_SET_PDEATHSIG = 1  # <linux/prctl.h>


def log_to_stderr() -> None:
    """What a process that runs for long has to tell."""
    form = "%(asctime)s %(levelname)s %(name)s: %(message)s"
    logging.basicConfig(level=logging.INFO, format=form)
    logging.getLogger("alembic").setLevel(logging.WARNING)


class Stop:
    """Set by SIGTERM, SIGINT and SIGHUP.

    Not a threading.Event: a signal that comes while the event's own lock is held would
    wait for that lock for ever.
    """

    def __init__(self) -> None:
        self._read, self._write = os.pipe()
        self._interrupts = False
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self._set)

    def wait(self, timeout: float) -> bool:
        """Sleep for so many seconds or until the signal; whether it came."""
        return bool(select.select([self._read], [], [], timeout)[0])

    @contextmanager
    def interrupting(self) -> Iterator[None]:
        """A block that the signal ends at once, whatever it is at."""
        self._interrupts = True
        try:
            yield
        except KeyboardInterrupt:
            pass
        finally:
            self._interrupts = False

    def _set(self, _number: int, _frame: object) -> None:
        os.write(self._write, b".")
        if self._interrupts:
            raise KeyboardInterrupt


def start(
    command: Sequence[str],
    environment: Mapping[str, str],
    *,
    stdout: int | None = None,
    stderr: int | None = None,
    pass_fds: Sequence[int] = (),
) -> subprocess.Popen[bytes]:
    """Start a Python module in a session of its own that ends with this process."""
    return subprocess.Popen(  # noqa: S603 - our own commands
        [sys.executable, "-m", *command],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=stderr,
        pass_fds=pass_fds,
        start_new_session=True,
        preexec_fn=_end_with_parent(os.getpid()),
    )


class Service:
    """A process that ought to run as long as this one."""

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        pass_fds: Sequence[int] = (),
    ) -> None:
        self._command = command
        self._environment = environment
        self._pass_fds = pass_fds
        self._failures = 0
        self._due: float | None = None
        self._start()

    def tend(self) -> None:
        """Start the process again if it ended: at first soon, then ever later."""
        now = time.monotonic()
        if self._due is not None:
            if now >= self._due:
                self._due = None
                self._start()
        elif (status := self.process.poll()) is not None:
            _end_group(self.process)
            self._failures = 0 if now - self._born > STABLE else self._failures + 1
            delay = min(0.25 * 2**self._failures, LONGEST_DELAY)
            message = "%s ended (status %d) and starts again in %.1f s"
            log.warning(message, self._command[0], status, delay)
            self._due = now + delay

    def _start(self) -> None:
        self._born = time.monotonic()
        self.process = start(self._command, self._environment, pass_fds=self._pass_fds)


class Household:
    """Services that start one by one and end together when the block is left."""

    def __init__(self, environment: Mapping[str, str], patience: float) -> None:
        self._environment = environment
        self._patience = patience
        self._services: list[Service] = []

    def __enter__(self) -> Self:
        return self

    def add(self, command: Sequence[str], pass_fds: Sequence[int] = ()) -> Service:
        service = Service(command, self._environment, pass_fds)
        self._services.append(service)
        return service

    def tend(self) -> None:
        for service in self._services:
            service.tend()

    def __exit__(self, *_: object) -> None:
        """Ask all to end; after so many seconds end them and what they started."""
        processes = [service.process for service in self._services]
        running = [process for process in processes if process.poll() is None]
        for process in running:
            process.terminate()
        end = time.monotonic() + self._patience
        for process in running:
            with suppress(subprocess.TimeoutExpired):
                process.wait(max(0, end - time.monotonic()))
            _end_group(process)
            process.wait()


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """End what a process has left behind in its session."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _end_with_parent(parent: int) -> Callable[[], None] | None:
    """What a child does first: have Linux end it when its parent dies, even by SIGKILL."""
    if sys.platform != "linux":
        return None
    prctl = ctypes.CDLL(None, use_errno=True).prctl

    def ask() -> None:
        prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:  # it died before we asked
            os._exit(1)

    return ask
