"""Experiments run by a command, each in a process of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from quizsvc.cli import processes
from quizsvc.cli.refusal import Refusal

if TYPE_CHECKING:
    from question_bank.verify import Given, RunKey
    from sim.core import Progress

MOST = 8  # processes, each with one thread and up to a gigabyte


def known_claims() -> dict[str, Mapping[str, Any]]:
    """Each ``experiment.claim`` with the JSON Schema of the experiment's parameters.

    Raises Refusal when the experiments cannot be loaded.
    """
    from sim import registry

    entries = registry.kept()
    if entries is None:
        done = _sim("catalogue")
        if done.returncode:
            raise Refusal(f"The experiments cannot be loaded.\n{done.stderr.strip()}")
        entries = [registry.Entry(**entry) for entry in json.loads(done.stdout)]
    return {
        f"{entry.name}.{claim['id']}": entry.schema
        for entry in entries
        for claim in entry.claims
    }


def run_all(keys: "Sequence[RunKey]") -> "dict[RunKey, Given]":
    """What each run gives: as many at a time as there are cores, long ones first."""
    from sim import registry

    seconds = {entry.name: entry.seconds for entry in registry.kept() or ()}
    longest = sorted(keys, key=lambda key: -seconds.get(key.experiment, 0))
    at_once = min(os.cpu_count() or 1, MOST)
    given = {}
    with ThreadPoolExecutor(at_once) as pool, _bar(len(keys)) as progress:
        waiting = {pool.submit(run, key): key for key in longest}
        for done in as_completed(waiting):
            given[waiting[done]] = done.result()
            progress(len(given) / len(keys))
    return given


def run(key: "RunKey") -> "Given":
    """What an experiment gives at its default seeds; of a failed run, the last line."""
    from question_bank.verify import Given

    options = [
        f"--{name.replace('_', '-')}={_option(value)}"
        for name, value in key.params.items()
    ]
    done = _sim("run", key.experiment, "--json", *options)
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        return Given(verdicts={}, metrics={}, figures=(), failure=reason)
    result: Mapping[str, Any] = json.loads(done.stdout)
    return Given(
        verdicts={verdict["claim"]: verdict for verdict in result["verdicts"]},
        metrics=result["metrics"],
        figures=[figure["id"] for figure in result["figures"]],
    )


def _sim(*arguments: str) -> subprocess.CompletedProcess[str]:
    """``python -m sim``, ended."""
    process = processes.start(
        ["sim", *arguments],
        os.environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    out, err = process.communicate()
    return subprocess.CompletedProcess(
        arguments, process.returncode, out.decode(), err.decode(errors="replace")
    )


def _option(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(map(_option, value))
    return value if isinstance(value, str) else json.dumps(value)


@contextmanager
def _bar(runs: int) -> "Iterator[Progress]":
    """A bar on a terminal's standard error, nothing elsewhere."""
    if not sys.stderr.isatty():
        yield lambda _fraction: None
        return
    label = f"{runs} runs"
    with click.progressbar(
        length=runs, label=label, file=sys.stderr, show_pos=True
    ) as bar:
        yield lambda fraction: bar.update(round(runs * fraction) - bar.pos)
