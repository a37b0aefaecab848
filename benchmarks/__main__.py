"""``make bench``: run every benchmark, print a table, and keep it in results.md.

The peer is another program, measured beside ours, or a goal where the row says so.
"""

import argparse
import importlib
import platform
import sys
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TypedDict

NAMES = (
    "memory",
    "scheduling",
    "due_queue",
    "prediction",
    "interview",
    "gradient_flow",
    "tiny_block",
    "training",
    "fusion",
    "answers",
    "startup",
)
PACKAGES = (
    "flask",
    "sqlalchemy",
    "gunicorn",
    "torch",
    "numpy",
    "fsrs",
    "fsrs-rs-python",
)
RESULTS = Path(__file__).with_name("results.md")


class Row(TypedDict):
    """One comparison of ours with the peer, in ``unit``; ratio as goals state it."""

    name: str
    ours: float
    peer: float
    ratio: float
    unit: str


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"some of {', '.join(NAMES)}"
    )
    wanted = parser.parse_args().names or NAMES
    if unknown := set(wanted) - set(NAMES):
        parser.error(
            f"no benchmark {', '.join(sorted(unknown))}; there are: {', '.join(NAMES)}"
        )
    rows: list[Row] = []
    for name in wanted:
        print(f"{name} …", file=sys.stderr, flush=True)
        rows += importlib.import_module(f"benchmarks.{name}").rows()
    table = render(rows)
    print(table)
    if tuple(wanted) == NAMES:
        RESULTS.write_text(f"{header()}\n{table}\n", encoding="utf-8")


def render(rows: list[Row]) -> str:
    lines = ["| what | ours | peer | ratio | unit |", "|---|---:|---:|---:|---|"]
    lines += [
        f"| {r['name']} | {r['ours']:.4g} | {r['peer']:.4g} | {r['ratio']:.2f} | {r['unit']} |"
        for r in rows
    ]
    return "\n".join(lines)


def header() -> str:
    versions = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    return (
        f"# Benchmarks\n\n`make bench` on {datetime.now(UTC):%Y-%m-%d}: {cores()} cores, "
        f"{platform.machine()}, Python {platform.python_version()}; {versions}.\n\n"
        "Ours and the peer take turns, three times; medians are shown. Where the row says "
        "that the peer is a goal, it is a fixed number, not a measurement. A ratio above 1 "
        "means ours is that many times faster, except where the row says what it divides.\n"
    )


def cores() -> int:
    import os

    return os.cpu_count() or 1


if __name__ == "__main__":
    main()
