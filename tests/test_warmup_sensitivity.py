"""Warmup sensitivity: the contract in small; what is learnt takes the full size."""

import pytest

from sim.core import Outcome, Result, judge, quiet
from sim.experiments.norm_placement import warmup_sensitivity
from sim.experiments.norm_placement.warmup_sensitivity import CLAIMS, Params
from sim.running import execute

from .judged import outcomes, told

SEEDS = [200, 7, 2**31 - 1, 41, 3]
SMALL = {"depth": 1, "width": 16, "heads": 1, "length": 4, "steps": 30, "warmup": 5}


@pytest.fixture(scope="module")
def small():
    return execute("warmup_sensitivity", SMALL, SEEDS)


def test_a_run_in_small_keeps_the_contract(small):
    assert {v["claim"] for v in small["verdicts"]} == {claim.id for claim in CLAIMS}
    assert all(len(values) == len(SEEDS) for values in small["metrics"].values())
    assert 2 <= len(small["figures"]) <= 4


def test_a_network_of_one_layer_trains_wherever_its_norm_stands(small):
    """So the claim that cold Post-Norm is stuck can fail."""
    verdicts = outcomes(small)
    shallow = execute("warmup_sensitivity", SMALL | {"steps": 150}, SEEDS)
    later = outcomes(shallow)
    assert later["post_cold_stuck"] == "refuted"
    assert verdicts["post_warm_trains"] == "refuted"


def test_the_same_seeds_give_the_same_bytes(small):
    assert told(execute("warmup_sensitivity", SMALL, SEEDS)) == told(small)


def test_a_seed_gives_the_same_values_in_any_company(small):
    turned = execute("warmup_sensitivity", SMALL, SEEDS[::-1])["metrics"]
    for name, values in small["metrics"].items():
        assert values[::-1] == pytest.approx(turned[name], rel=1e-2, abs=1e-3), name


def test_progress_rises_to_one():
    seen = []
    warmup_sensitivity.run(Params(**SMALL), SEEDS, seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == pytest.approx(1)


def test_without_warmup_steps_the_warmed_cells_are_the_cold_ones():
    same = execute("warmup_sensitivity", SMALL | {"warmup": 1}, SEEDS)["metrics"]
    assert same["pre_warm_minus_cold"] == [0.0] * len(SEEDS)
    assert same["post_warm_gap"] == pytest.approx(same["post_cold_gap"], abs=1e-6)


def test_one_stray_seed_does_not_decide_a_claim_about_the_median():
    claim = next(claim for claim in CLAIMS if claim.id == "post_warm_trains")
    stray = Result(metrics={claim.metric: [0.3] * 8 + [0.9]})
    assert judge(claim, stray).outcome is Outcome.SUPPORTED


def test_a_diverged_run_is_neither_steady_nor_spiked():
    diverging = Params.model_construct(**dict(Params(**SMALL)) | {"rate": 1e30})
    result = warmup_sensitivity.run(diverging, SEEDS, quiet)
    judged = {claim.id: judge(claim, result).outcome for claim in CLAIMS}
    undecided = {k for k, v in judged.items() if v is Outcome.INCONCLUSIVE}
    assert undecided >= {"pre_cold_steady", "post_cold_spikes", "vanishing_develops"}
    assert judged["pre_cold_trains"] is Outcome.REFUTED


@pytest.mark.slow
def test_only_the_spikes_of_cold_post_norm_are_refuted_at_full_size():
    run = execute("warmup_sensitivity", {}, [1009, 2003, 3001, 4001, 5003])
    judged = outcomes(run)
    assert judged.pop("post_cold_spikes") != "supported"
    assert set(judged.values()) == {"supported"}
