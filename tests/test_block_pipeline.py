"""The inside of one block: the way through it is the block's own, and its claims."""

from dataclasses import replace

import pytest
import torch

from sim.experiments.norm_placement.block_pipeline import CLAIMS
from sim.nets import blocks, chance, pipeline
from sim.nets.transformer import Architecture, Transformer
from sim.running import execute

from .judged import outcomes, told

SEEDS = [200, 7, 2**31 - 1, 41, 3]
SMALL = {"depth": 4, "layer": 4, "width": 32, "length": 4}
SHAPE = Architecture(
    depth=4, width=16, heads=2, hidden=32, length=4, vocabulary=16, operator="rms"
)


@pytest.fixture(scope="module")
def small():
    return execute("block_pipeline", SMALL, SEEDS)


@pytest.mark.parametrize("placement", blocks.RULES)
def test_the_way_through_a_block_is_what_the_network_computes(placement):
    net = Transformer(replace(SHAPE, placement=placement), SEEDS)
    ids = chance.symbols(SEEDS, 3, 4, 16)
    found, output = pipeline.walk(net, ids, 2)
    computed = net.finish(net.stream(net.embed(ids)))
    torch.testing.assert_close(output, computed, rtol=1e-5, atol=1e-5)
    assert set(found) <= set(pipeline.STEPS)


def test_a_gradient_on_the_way_is_what_a_finite_change_there_does():
    net = Transformer(SHAPE, SEEDS[:1], torch.float64)
    ids = chance.symbols(SEEDS[:1], 1, 4, 16)
    readout = torch.randn(1, 4, 16, dtype=torch.float64)
    of = pipeline.follow(net, ids, readout, 4)
    step = 1e-6 * torch.randn(1, 4, 16, dtype=torch.float64)
    end = of.data[of.end(1)]
    changed = (net.finish(end + step) - net.finish(end - step)) * readout / 2
    expected = (of.gradient[of.end(1)] * step).sum()
    assert changed.sum().item() == pytest.approx(expected.item(), rel=1e-5)


def test_the_claims_hold_in_small(small):
    assert set(outcomes(small)) == {claim.id for claim in CLAIMS}
    assert set(outcomes(small).values()) == {"supported"}


def test_every_placement_with_a_residual_connection_is_shown_in_order(small):
    flow = small["figures"][0]
    names = [series["name"]["en"] for series in flow["series"][::2]]
    assert len(names) == len(set(names)) == len(blocks.RULES) - 1
    does = [step["does"] for step in flow["steps"]]
    pre, post = names.index("Pre-Norm"), names.index("Post-Norm")
    ways = {
        name: [does[place] for place in flow["series"][2 * which]["x"]]
        for name, which in (("pre", pre), ("post", post))
    }
    assert ways["pre"] == ["in", *["read", "norm", "map", "keep", "add"] * 2]
    assert ways["post"] == ["in", *["read", "map", "keep", "add", "norm"] * 2]


def test_the_gradient_is_relative_to_the_block_s_output(small):
    for series in small["figures"][0]["series"][1::2]:
        assert series["y"][-1] == pytest.approx(1.0)


def test_the_same_seeds_give_the_same_bytes(small):
    assert told(execute("block_pipeline", SMALL, SEEDS)) == told(small)


def test_swapping_the_placements_refutes_the_claims(monkeypatch):
    rules = dict(blocks.RULES)
    rules["pre"], rules["post"] = rules["post"], rules["pre"]
    monkeypatch.setattr(blocks, "RULES", rules)
    found = outcomes(execute("block_pipeline", SMALL, SEEDS))
    assert found.pop("gradient_splits_exactly") == "supported"
    assert set(found.values()) == {"refuted"}


def test_a_block_above_the_last_is_the_last(small):
    above = execute("block_pipeline", SMALL | {"layer": 24}, SEEDS)
    assert above["metrics"] == small["metrics"]


@pytest.mark.slow
def test_every_claim_holds_at_full_size_on_seeds_nobody_chose():
    run = execute("block_pipeline", {}, [1009, 2003, 3001, 4001, 5003])
    assert set(outcomes(run).values()) == {"supported"}
