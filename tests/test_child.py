"""A run has a process of its own, and nothing that happens there hurts the worker."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from quizsvc.jobs.child import NICE, Child, Limits, Outcome, execute
from sim.core import THREADS

from .runs import has_ended, until
from .targets import (
    answer_nan,
    error,
    fill_with_numpy,
    fill_with_torch,
    fork_and_sleep,
    leave,
    leave_a_child,
    measure,
    never,
    refuse,
    spin,
    tell_cpu_limit,
    tell_niceness,
    tell_threads,
)

NAME = "batch_independence"
SEEDS = (0, 1, 2, 3, 4)


@pytest.fixture
def children() -> Iterator[list[Child]]:
    started: list[Child] = []
    yield started
    for child in started:
        child.kill()


def start(children: list[Child], target: Any, **limits: Any) -> Child:
    child = Child((NAME, {"depth": 3}, SEEDS), Limits(**limits), target)
    children.append(child)
    return child


def end(child: Child) -> Outcome:
    """Wait for the outcome."""
    while (outcome := child.outcome(wait=1)) is None:
        pass
    return outcome


def test_the_result_comes_back_as_json(children: list[Child]) -> None:
    child = start(children, measure)
    result = {"name": NAME, "params": {"depth": 3}, "seeds": list(SEEDS)}
    assert end(child) == Outcome(result=result)
    assert child.outcome() == Outcome(result=result)


def test_progress_is_heard_while_it_runs(children: list[Child]) -> None:
    child = start(children, fork_and_sleep)
    while not child.progress:
        assert child.outcome(wait=1) is None
    grandchild = round(child.progress * 2**32)
    child.kill()
    until(lambda: has_ended(grandchild))  # what it started goes with it


def test_a_child_leaves_the_processor_to_the_pages(children: list[Child]) -> None:
    told = end(start(children, tell_niceness)).result
    assert told == {"nice": min(os.nice(0) + NICE, 19)}


def test_a_child_has_one_thread_and_a_group_of_its_own(children: list[Child]) -> None:
    assert end(start(children, tell_threads)).result == {"threads": 1, "group": True}


def test_what_a_child_leaves_behind_goes_too(children: list[Child]) -> None:
    child = start(children, leave_a_child)
    until(lambda: has_ended(child.pid))
    result = end(child).result
    assert result is not None
    until(lambda: has_ended(result["pid"]))


def test_all_threads_may_compute_until_the_wall_limit(children: list[Child]) -> None:
    result = end(start(children, tell_cpu_limit, seconds=20)).result
    assert result is not None
    assert result["seconds"] > 20 * THREADS


@pytest.mark.parametrize("target", [never, spin])
def test_a_run_is_stopped_at_the_wall_limit(children: list[Child], target: Any) -> None:
    child = start(children, target, seconds=0.3)
    assert end(child).error == "The run was stopped: it took longer than 0.3 seconds."
    assert has_ended(child.pid)


@pytest.mark.parametrize("target", [fill_with_numpy, fill_with_torch])
def test_a_run_cannot_take_more_memory(children: list[Child], target: Any) -> None:
    outcome = end(start(children, target, memory_mb=500))
    sentence = "The run needed more than the 500 MB of memory it may use."
    assert outcome.error == sentence


def test_an_error_is_one_sentence_for_people_and_a_trace_for_the_log(
    children: list[Child],
) -> None:
    outcome = end(start(children, error))
    sentence = "The experiment stopped with an error (ZeroDivisionError)."
    assert outcome.error == sentence
    assert outcome.trace is not None
    assert "secret detail" in outcome.trace


def test_a_result_that_is_no_json_is_an_error(children: list[Child]) -> None:
    outcome = end(start(children, answer_nan))
    assert outcome.error == "The experiment stopped with an error (ValueError)."


def test_parameters_that_do_not_fit_together_are_explained(
    children: list[Child],
) -> None:
    sentence = "The experiment cannot use these parameters: width: must be a multiple of heads."
    assert end(start(children, refuse)).error == sentence


def test_a_child_that_dies_has_no_last_words(children: list[Child]) -> None:
    child = start(children, never)
    os.kill(child.pid, signal.SIGKILL)
    assert end(child) == Outcome()
    assert end(start(children, leave)) == Outcome()


def test_a_real_experiment_is_judged(children: list[Child]) -> None:
    child = Child((NAME, {}, SEEDS), Limits(), execute)
    children.append(child)
    result = end(child).result
    assert result is not None
    assert result["seeds"] == list(SEEDS)
    assert {"metrics", "verdicts", "figures", "seconds", "params"} <= set(result)


def test_a_real_experiment_refuses_what_it_does_not_know(children: list[Child]) -> None:
    child = Child((NAME, {"no_such": 1}, SEEDS), Limits(), execute)
    children.append(child)
    sentence = end(child).error
    assert sentence is not None
    assert sentence.startswith("The experiment cannot use these parameters: no_such")


ORPHAN = """
import os, sys, time
from quizsvc.jobs.child import Child, Limits
from tests.targets import never
child = Child(("x", {}, ()), Limits(), never)
while child.outcome(wait=1) is None:
    print(child.pid, flush=True)
"""


def test_a_child_does_not_outlive_its_worker() -> None:
    worker = subprocess.Popen([sys.executable, "-c", ORPHAN], stdout=subprocess.PIPE)
    assert worker.stdout is not None
    pid = int(worker.stdout.readline())
    assert not has_ended(pid)
    worker.kill()
    worker.wait()
    worker.stdout.close()
    until(lambda: has_ended(pid))
