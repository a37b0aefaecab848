"""A checkpoint read as the other placement: the contract in small, and what is carried."""

from dataclasses import replace

import pytest
import torch

from sim.experiments.norm_placement import checkpoint_migration
from sim.experiments.norm_placement.checkpoint_migration import CLAIMS, Params
from sim.nets import blocks, chance
from sim.nets.checkpoints import evaluate, read_as
from sim.nets.transformer import Transformer
from sim.running import execute

from .judged import outcomes, told

SEEDS = [200, 7, 2**31 - 1, 41, 3]
SMALL = {"depth": 2, "width": 16, "heads": 1, "length": 4, "steps": 30, "warmup": 5}
PRE = Params(**SMALL).architecture(depth=2, causal=True)
POST = replace(PRE, placement="post")


@pytest.fixture(scope="module")
def small():
    return execute("checkpoint_migration", SMALL, SEEDS)


def test_a_run_in_small_keeps_the_contract(small):
    found = outcomes(small)
    assert set(found) == {claim.id for claim in CLAIMS}
    assert found["same_names_and_shapes"] == "supported"
    assert found["difference_grows_with_depth"] == "supported"
    assert all(len(values) == len(SEEDS) for values in small["metrics"].values())


def test_shallow_stacks_differ_less(small):
    deeper = execute("checkpoint_migration", SMALL | {"depth": 8}, SEEDS)
    shallow, deep = (run["metrics"]["untrained_cosine"] for run in (small, deeper))
    assert all(a > b for a, b in zip(shallow, deep, strict=True))


def test_reading_back_restores_every_weight_both_have():
    net = Transformer(POST, SEEDS)
    with torch.no_grad():
        net.flat += 1
    there = read_as(net, PRE, SEEDS)
    assert there.outer["gain"].eq(1).all()  # new: Pre-Norm's final norm
    back = read_as(there, POST, SEEDS)
    assert torch.equal(back.flat, net.flat)


def test_a_network_read_as_its_own_placement_computes_the_same():
    net = Transformer(PRE, SEEDS)
    batches = chance.symbols(SEEDS, 3, 5, 16)[None]
    own, other = (read_as(net, shape, SEEDS) for shape in (PRE, POST))
    assert torch.equal(evaluate(own, batches), evaluate(net, batches))
    assert not torch.allclose(evaluate(other, batches), evaluate(net, batches))


def test_placements_that_are_one_and_the_same_refute_every_difference(monkeypatch):
    monkeypatch.setitem(blocks.RULES, "post", blocks.RULES["pre"])
    found = outcomes(execute("checkpoint_migration", SMALL, SEEDS))
    for name in (
        "post_read_as_pre_differs",
        "difference_grows_with_depth",
        "migration_costs_either_way",
    ):
        assert found[name] == "refuted"


def test_the_same_seeds_give_the_same_bytes(small):
    torch.manual_seed(1)
    again = execute("checkpoint_migration", SMALL, SEEDS)
    assert torch.initial_seed() == 1
    assert told(again) == told(small)


def test_progress_rises_to_one():
    seen = []
    checkpoint_migration.run(Params(**SMALL), SEEDS, seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 1


@pytest.mark.slow
def test_what_holds_at_full_size_on_seeds_nobody_chose():
    run = execute("checkpoint_migration", {}, [1009, 2003, 3001, 4001, 5003])
    found = outcomes(run)
    assert found.pop("migration_destroys_training") != "supported"
    assert set(found.values()) == {"supported"}
