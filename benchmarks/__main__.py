"""``make bench``: run every benchmark, print its table, and keep it in results.md.

The peer is another program, measured beside ours, or a goal where the row says so.
"""

import argparse
import importlib
import platform
import re
import sys
from datetime import UTC, datetime
from importlib.metadata import distributions
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
    for name in wanted:
        print(f"{name} …", file=sys.stderr, flush=True)
        rows: list[Row] = importlib.import_module(f"benchmarks.{name}").rows()
        table = render(rows)
        print(f"{table}\n", flush=True)
        keep(name, table)


def keep(name: str, table: str) -> None:
    """Put a benchmark's last table into the results, under its name and the day."""
    kept = RESULTS.read_text(encoding="utf-8") if RESULTS.exists() else ""
    parts = dict(re.findall(r"^## (\w+)\n\n(.*?)\n*(?=^## |\Z)", kept, re.M | re.S))
    parts[name] = f"{datetime.now(UTC):%Y-%m-%d}\n\n{table}"
    tables = [f"## {one}\n\n{parts[one]}\n" for one in NAMES if one in parts]
    RESULTS.write_text("\n".join([header(), *tables]), encoding="utf-8")


def render(rows: list[Row]) -> str:
    lines = ["| what | ours | peer | ratio | unit |", "|---|---:|---:|---:|---|"]
    lines += [
        f"| {r['name']} | {r['ours']:.4g} | {r['peer']:.4g} | {r['ratio']:.2f} | {r['unit']} |"
        for r in rows
    ]
    return "\n".join(lines)


def header() -> str:
    there = {one.metadata["Name"].lower(): one.version for one in distributions()}
    versions = ", ".join(f"{name} {there[name]}" for name in PACKAGES if name in there)
    return (
        f"# Benchmarks\n\n`make bench`, or `python -m benchmarks NAME` for one: {cores()} cores, "
        f"{platform.machine()}, Python {platform.python_version()}; {versions}.\n\n"
        "Ours and the peer take turns, at least three times; medians are shown. Where the row says "
        "that the peer is a goal, it is a fixed number, not a measurement. A ratio above 1 "
        "means ours is that many times faster, except where the row says what it divides.\n"
    )


def cores() -> int:
    import os

    return os.cpu_count() or 1


if __name__ == "__main__":
    main()
