"""How long the service takes to answer, and what its web processes hold in memory.

The peer is the goal: three seconds from the command to the first answer on an empty
data folder, 120 MB resident in each web process.
"""

import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

SECONDS, MEGABYTES = 3.0, 120.0


def rows() -> list[dict[str, Any]]:
    starts, sizes = zip(*(measure() for _ in range(3)), strict=True)
    start, size = statistics.median(starts), max(sizes)
    return [
        {
            "name": "first start to first answer (peer: the goal)",
            "ours": start,
            "peer": SECONDS,
            "ratio": SECONDS / start,
            "unit": "s",
        },
        {
            "name": "largest web process, resident (peer: the goal)",
            "ours": size,
            "peer": MEGABYTES,
            "ratio": MEGABYTES / size,
            "unit": "MB",
        },
    ]


def measure() -> tuple[float, float]:
    """Seconds until the ready line, and MB of the largest gunicorn process."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    with tempfile.TemporaryDirectory() as data:
        began = time.monotonic()
        service = subprocess.Popen(
            [
                str(Path(sys.executable).with_name("quizsvc")),
                *("serve", "--port", str(port), "--data", data),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        try:
            assert service.stdout is not None
            service.stdout.readline()
            ready = time.monotonic() - began
            return ready, max(resident(pid) for pid in web_processes(service.pid))
        finally:
            service.terminate()
            service.wait(timeout=15)


def web_processes(parent: int) -> list[int]:
    """The gunicorn processes below ``parent``."""
    found, left = [], [parent]
    while left:
        pid = left.pop()
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        left += map(int, children)
        if b"gunicorn" in Path(f"/proc/{pid}/cmdline").read_bytes():
            found.append(pid)
    return found


def resident(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
