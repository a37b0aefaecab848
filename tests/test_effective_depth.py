"""Effective depth: the contract in small, and what leaving out and exchanging mean."""

from dataclasses import replace

import pytest
import torch

from sim.experiments.norm_placement import effective_depth
from sim.experiments.norm_placement.effective_depth import (
    CLAIMS,
    Params,
    swapped,
    without,
)
from sim.nets import blocks, chance
from sim.nets.transformer import Trace, Transformer
from sim.running import execute

from .judged import outcomes, told

SEEDS = [200, 7, 2**31 - 1, 41, 3]
SMALL = {
    "depth": 4,
    "width": 16,
    "heads": 1,
    "length": 4,
    "steps": 60,
    "warmup": 20,
    "rate": 0.005,
}
PRE = Params(**SMALL).architecture(depth=4, causal=True)
IDS = chance.symbols(SEEDS, 3, 4, 16)


@pytest.fixture(scope="module")
def small():
    return execute("effective_depth", SMALL, SEEDS)


def test_a_run_in_small_keeps_the_contract(small):
    found = outcomes(small)
    assert set(found) == {claim.id for claim in CLAIMS}
    assert found["pre_late_drop_cheap"] == "supported"
    assert found["angle_falls_after_training"] == "supported"


@pytest.mark.parametrize("placement", ["pre", "post"])
def test_without_the_last_layer_the_stream_before_it_comes_out(placement):
    net = Transformer(replace(PRE, placement=placement), SEEDS)
    trace = Trace()
    net.stream(net.embed(IDS), trace)
    shorter = without(net, 3)
    assert torch.equal(shorter.stream(net.embed(IDS)), trace.streams[-2])
    assert len(net.blocks) == 4


def test_a_layer_that_does_nothing_is_left_out_without_a_trace():
    net = Transformer(PRE, SEEDS)
    with torch.no_grad():
        net.blocks[1]["out"].zero_()
        net.blocks[1]["down"].zero_()
    assert torch.allclose(net.logits(IDS), without(net, 1).logits(IDS), atol=1e-6)
    assert not torch.allclose(net.logits(IDS), without(net, 2).logits(IDS), atol=1e-2)


def test_exchanging_twice_restores_the_network():
    net = Transformer(PRE, SEEDS)
    once = swapped(net, 1)
    assert not torch.equal(once.logits(IDS), net.logits(IDS))
    assert torch.equal(swapped(once, 1).logits(IDS), net.logits(IDS))


def test_swapping_the_placements_refutes_what_is_said_of_pre_norm(monkeypatch):
    rules = dict(blocks.RULES)
    rules["pre"], rules["post"] = rules["post"], rules["pre"]
    monkeypatch.setattr(blocks, "RULES", rules)
    found = outcomes(execute("effective_depth", SMALL, SEEDS))
    assert found["angle_falls_after_training"] == "refuted"
    assert found["late_drop_costs_post_more"] != "supported"


def test_the_same_seeds_give_the_same_bytes(small):
    assert told(execute("effective_depth", SMALL, SEEDS)) == told(small)


def test_progress_rises_to_one():
    seen = []
    effective_depth.run(Params(**SMALL | {"steps": 30}), SEEDS, seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 1


@pytest.mark.slow
def test_late_layers_of_pre_norm_are_dispensable_at_full_size():
    found = outcomes(execute("effective_depth", {}, [1009, 2003, 3001, 4001, 5003]))
    for honest in ("post_late_drop_costly", "early_drop_costly"):
        assert found.pop(honest) != "refuted"
    assert set(found.values()) == {"supported"}
