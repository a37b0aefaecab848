"""Vanishing in training: what is watched is what it says, and a calm run shows none."""

from dataclasses import replace

import pytest
import torch

from sim.experiments.norm_placement import vanishing_in_training
from sim.experiments.norm_placement.vanishing_in_training import (
    CLAIMS,
    EVERY,
    Inputs,
    Params,
    received,
)
from sim.nets import norms
from sim.nets.transformer import Transformer
from sim.running import execute

from .judged import outcomes, told

SEEDS = [200, 7, 2**31 - 1, 41, 3]
SMALL = {"depth": 2, "width": 16, "heads": 1, "length": 4, "hidden": 1, "steps": 30}


@pytest.fixture(scope="module")
def small():
    return execute("vanishing_in_training", SMALL, SEEDS)


def test_a_run_in_small_keeps_the_contract(small):
    assert set(outcomes(small)) == {claim.id for claim in CLAIMS}
    assert all(len(values) == len(SEEDS) for values in small["metrics"].values())
    bottom, inputs, blocks = small["figures"]
    assert inputs["series"][0]["x"] == [0, 10, 20, 29]
    assert [len(series["x"]) for series in blocks["series"]] == [2] * 4
    assert bottom["series"][0]["x"][0] == 10


@pytest.mark.parametrize("placement", ["pre", "post"])
def test_what_is_watched_is_what_the_norms_receive(placement, monkeypatch):
    pre = Params(**SMALL).architecture(depth=2, causal=True)
    net = Transformer(replace(pre, placement=placement), [5, 6])
    ids = torch.randint(16, (2, 3, 4), generator=torch.Generator().manual_seed(0))
    seen, original = [], norms.norm

    def spy(x, *rest):
        seen.append(x.detach().square().mean((1, 2)).sqrt())
        return original(x, *rest)

    monkeypatch.setattr(norms, "norm", spy)
    found = received(net, ids)
    assert len(seen) == 4
    torch.testing.assert_close(found.float(), torch.stack(seen))


def test_a_watch_looks_at_every_tenth_step_and_the_last():
    net = Transformer(Params(**SMALL).architecture(depth=2, causal=True), [5, 6])
    inputs = Inputs(
        net=net, batches=torch.zeros(2 * EVERY + 3, 2, 1, 5, dtype=torch.int64)
    )
    for step in range(len(inputs.batches)):
        inputs.watch(step)
    assert len(inputs.seen) == 4


def test_a_calm_run_leaves_every_gradient_alive(small):
    """So the claims about cold Post-Norm can fail."""
    calm = execute("vanishing_in_training", SMALL | {"rate": 0.0005}, SEEDS)
    assert outcomes(calm)["cold_post_bottom_vanishes"] == "refuted"
    assert outcomes(calm)["cold_ln_input_grows"] == "refuted"
    assert outcomes(calm)["balanced_at_start"] == "supported"


def test_the_start_does_not_depend_on_the_schedule(small):
    warmer = execute("vanishing_in_training", SMALL | {"warmup": 3}, SEEDS)["metrics"]
    for name in ("norm_input_at_start", "first_over_last_at_start"):
        assert warmer[name] == small["metrics"][name]
    assert warmer["warm_bottom"] != small["metrics"]["warm_bottom"]


def test_the_same_seeds_give_the_same_bytes(small):
    assert told(execute("vanishing_in_training", SMALL, SEEDS)) == told(small)


def test_progress_rises_to_one():
    seen = []
    vanishing_in_training.run(Params(**SMALL), SEEDS, seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == pytest.approx(1)


@pytest.mark.slow
def test_every_claim_holds_at_full_size():
    run = execute("vanishing_in_training", {}, [1009, 2003, 3001, 4001, 5003])
    assert set(outcomes(run).values()) == {"supported"}
