"""Optimiser steps: the contract in small, and what makes its claims fail."""

import pytest

from sim.experiments.norm_placement import optimiser_steps
from sim.experiments.norm_placement.optimiser_steps import CLAIMS, Params
from sim.nets.learning.optimisers import SGD
from sim.running import execute

from .judged import outcomes, told

SEEDS = [200, 7, 2**31 - 1, 41, 3]
SMALL = {"depth": 1, "width": 16, "heads": 1, "length": 2, "hidden": 1, "steps": 30}


@pytest.fixture(scope="module")
def small():
    return execute("optimiser_steps", SMALL, SEEDS)


def test_a_run_in_small_keeps_the_contract(small):
    assert set(outcomes(small)) == {claim.id for claim in CLAIMS}
    assert all(len(values) == len(SEEDS) for values in small["metrics"].values())
    assert len({figure["id"] for figure in small["figures"]}) == 7


def test_the_arithmetic_holds_at_any_size(small):
    found = outcomes(small)
    trained = {claim.id for claim in CLAIMS if claim.over == "median"}
    assert {v for name, v in found.items() if name not in trained} == {"supported"}


def test_the_schedule_and_the_memory_follow_their_parameters(small):
    given = {"noam_width": 128, "noam_warmup": 1000, "beta2": 0.9}
    other = execute("optimiser_steps", SMALL | given, SEEDS)
    metrics = other["metrics"]
    assert metrics["noam_peak"] == pytest.approx([128_000**-0.5] * 5)
    assert metrics["noam_peak_step"] == [1000] * 5
    assert metrics["untuned_warmup_steps"] == [20] * 5
    assert small["metrics"]["untuned_warmup_steps"] == [40] * 5
    assert outcomes(other)["noam_peak"] == "refuted"


def test_a_single_layer_gains_nothing_from_warmup(small):
    """So the claim that gradient descent needs it for Post-Norm can fail."""
    assert outcomes(small)["sgd_post_needs_warmup_too"] == "refuted"


def test_plain_descent_in_adams_place_is_found_out(monkeypatch):
    monkeypatch.setattr(optimiser_steps, "Adam", SGD)
    broken = execute("optimiser_steps", SMALL, SEEDS)
    assert outcomes(broken)["adam_first_step_is_rate"] == "refuted"


def test_the_same_seeds_give_the_same_bytes(small):
    assert told(execute("optimiser_steps", SMALL, SEEDS)) == told(small)


def test_progress_rises_to_one():
    seen = []
    optimiser_steps.run(Params(**SMALL), SEEDS, seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == pytest.approx(1)


@pytest.mark.slow
def test_no_claim_is_refuted_at_full_size():
    found = outcomes(execute("optimiser_steps", {}, [1009, 2003, 3001, 4001, 5003]))
    assert found.pop("sgd_post_needs_warmup_too") != "refuted"
    assert set(found.values()) == {"supported"}
