"""Warmup in fine-tuning: the contract in small, and what the second task is."""

import numpy as np
import pytest

from sim.experiments.norm_placement import fine_tuning_warmup
from sim.experiments.norm_placement.fine_tuning_warmup import CLAIMS, Params, shifted
from sim.nets.markov import Chain
from sim.running import execute

from .judged import outcomes, told

SEEDS = [200, 7, 2**31 - 1, 41, 3]
SMALL = {
    "depth": 1,
    "width": 16,
    "heads": 1,
    "length": 4,
    "steps": 60,
    "warmup": 5,
    "tuning": 30,
}


@pytest.fixture(scope="module")
def small():
    return execute("fine_tuning_warmup", SMALL, SEEDS)


def test_a_run_in_small_keeps_the_contract(small):
    assert set(outcomes(small)) == {claim.id for claim in CLAIMS}
    assert all(len(values) == len(SEEDS) for values in small["metrics"].values())


def test_one_layer_gains_nothing_from_warmup_wherever_its_norm_stands(small):
    """So the claim that Post-Norm gains can fail."""
    found = outcomes(small)
    assert found["post_gains_from_warmup"] == "refuted"
    assert found["pre_changes_little"] == "supported"


def test_without_a_first_training_nothing_is_transferred():
    hardly = execute("fine_tuning_warmup", SMALL | {"rate": 0.0001}, SEEDS)
    assert outcomes(hardly)["both_transfer"] != "supported"


def test_the_second_chain_keeps_floor_and_frequencies_and_moves_half_of_them():
    chain = Chain(SEEDS, 16)
    other = shifted(chain, SEEDS)
    assert np.allclose(other.matrix.sum(1), 1)
    assert np.allclose(other.matrix.sum(2), 1)
    entropy = -(other.matrix * np.log(other.matrix)).sum(2).mean(1)
    assert entropy == pytest.approx(chain.floor.tolist())
    moved = (other.matrix != chain.matrix).any(1).sum(1)
    assert moved.tolist() == [8] * len(SEEDS)


def test_the_same_seeds_give_the_same_bytes(small):
    assert told(execute("fine_tuning_warmup", SMALL, SEEDS)) == told(small)


def test_without_warmup_steps_both_cells_are_one(monkeypatch):
    monkeypatch.setattr(fine_tuning_warmup, "SHARE", 0.0)
    same = execute("fine_tuning_warmup", SMALL, SEEDS)["metrics"]
    assert same["post_cold_minus_warm"] == pytest.approx([0.0] * len(SEEDS), abs=1e-6)
    assert same["pre_cold_minus_warm"] == pytest.approx([0.0] * len(SEEDS), abs=1e-6)


def test_progress_rises_to_one():
    seen = []
    fine_tuning_warmup.run(Params(**SMALL), SEEDS, seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == pytest.approx(1)


@pytest.mark.slow
def test_both_placements_transfer_at_full_size():
    run = execute("fine_tuning_warmup", {}, [1009, 2003, 3001, 4001, 5003])
    found = outcomes(run)
    assert found["both_transfer"] == "supported"
    assert found["pre_changes_little"] == "supported"
