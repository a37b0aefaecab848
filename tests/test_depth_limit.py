"""The depth limit: the contract in small, and that the deepest stack decides."""

from dataclasses import replace

import pytest

from sim.experiments.norm_placement import depth_limit
from sim.experiments.norm_placement.depth_limit import CLAIMS, Params
from sim.nets.controls import BATCH, SYMBOLS
from sim.nets.learning.training import Schedule, train
from sim.nets.markov import Chain
from sim.nets.transformer import Transformer
from sim.running import execute

from .judged import outcomes, told

SEEDS = [200, 7, 2**31 - 1, 41, 3]
SMALL = {"depth": 4, "width": 16, "heads": 1, "length": 4, "hidden": 1, "steps": 30}


@pytest.fixture(scope="module")
def small():
    return execute("depth_limit", SMALL, SEEDS)


def test_a_run_in_small_keeps_the_contract(small):
    assert set(outcomes(small)) == {claim.id for claim in CLAIMS}
    assert all(len(values) == len(SEEDS) for values in small["metrics"].values())
    depths, deepest, blocks = small["figures"]
    assert depths["series"][0]["x"] == [1, 2, 4]
    assert len(deepest["series"]) == 3
    assert blocks["series"][0]["x"] == [1, 2, 3, 4]


def test_a_gap_is_that_of_one_stack_trained_alone(small):
    params = Params(**SMALL)
    chain = Chain(SEEDS, SYMBOLS)
    batches = chain.sample(params.steps, BATCH, params.length)
    pre = params.architecture(depth=2, causal=True)
    net = Transformer(replace(pre, placement="deepnorm"), SEEDS)
    schedule = Schedule(rate=params.rate, warmup=params.warmup)
    curves = train(net, [schedule] * len(SEEDS), batches)
    gap = chain.gap(curves.loss)[-10:].mean(0)
    found = small["metrics"]["deepnorm_middle_gap"]
    assert found == pytest.approx(gap.tolist(), rel=1e-3)


def test_where_nothing_is_deep_post_norm_trains_too():
    """So the claim that deep Post-Norm is stuck can fail."""
    given = SMALL | {"width": 32, "rate": 0.004, "steps": 80, "warmup": 10}
    shallow = outcomes(execute("depth_limit", given, SEEDS))
    assert shallow["deep_post_stuck_even_warm"] == "refuted"
    assert shallow["shallow_post_trains"] == "supported"


def test_post_norm_in_pre_norms_place_is_found_out(small, monkeypatch):
    monkeypatch.setattr(
        depth_limit, "replace", lambda pre, **_: replace(pre, placement="post")
    )
    broken = execute("depth_limit", SMALL, SEEDS)["metrics"]
    assert broken["post_deep_gap"] == small["metrics"]["post_deep_gap"]
    assert broken["pre_deep_gap"] == broken["deepnorm_deep_gap"]
    assert broken["pre_deep_gap"] != small["metrics"]["pre_deep_gap"]


def test_the_same_seeds_give_the_same_bytes(small):
    assert told(execute("depth_limit", SMALL, SEEDS)) == told(small)


@pytest.mark.slow
def test_every_claim_holds_at_full_size():
    run = execute("depth_limit", {}, [1009, 2003, 3001, 4001, 5003])
    assert set(outcomes(run).values()) == {"supported"}
