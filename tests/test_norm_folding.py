"""Folding gains: the algebra on one matrix, torch's layers as oracle, one run in small."""

from dataclasses import replace

import pytest
import torch
from torch import nn

from sim.experiments.norm_placement.norm_folding import CLAIMS
from sim.nets import blocks
from sim.nets.architecture import Architecture, draw
from sim.nets.operators import folding
from sim.running import execute

from .judged import outcomes, told

SEEDS = [3, 2**31 - 1, 77, 12, 105]
SMALL = {"depth": 2, "width": 16, "heads": 2, "length": 4, "hidden": 2}
TINY = Architecture(depth=2, width=8, heads=2, hidden=16, length=4, vocabulary=5)


def learned(placement, spread=0.5):
    architecture = replace(TINY, placement=placement)
    return folding.learned(architecture, [5, 6], spread, draw(TINY, [5, 6]))


@pytest.fixture(scope="module")
def small():
    return execute("norm_folding", SMALL, SEEDS)


@torch.no_grad()
def test_a_folded_branch_is_torchs_layer_norm_and_linear_layer():
    net = learned("pre")
    layer, linear = nn.LayerNorm(8).double(), nn.Linear(8, 24).double()
    for new, name in (
        (layer.weight, "gain0"),
        (layer.bias, "shift0"),
        (linear.weight, "qkv"),
        (linear.bias, "qkv_bias"),
    ):
        new.copy_(net.blocks[1][name][0].T.squeeze(-1))
    x = torch.linspace(-1, 1, 40, dtype=torch.float64).view(5, 8).sin()
    expected = linear(layer(x))
    block = folding.fold(net).blocks[1]
    plain = nn.functional.layer_norm(x, (8,))
    assert torch.allclose(plain @ block["qkv"][0] + block["qkv_bias"][0], expected)
    assert torch.all(block["gain0"] == 1)
    assert torch.all(block["shift0"] == 0)


@torch.no_grad()
def test_centring_leaves_nothing_of_a_streams_mean():
    net = folding.centre(folding.fold(learned("pre")))
    ids = torch.tensor([[[0, 1, 2, 3]], [[4, 3, 2, 1]]])
    stream = net.stream(net.embed(ids))
    assert stream.mean(-1).abs().max() < 1e-12
    assert stream.abs().max() > 0.1


def test_a_seed_learns_the_same_gains_in_any_company():
    numbers = draw(TINY, [5, 6])
    pair = folding.learned(TINY, [5, 6], 0.5, numbers)
    alone = folding.learned(TINY, [6], 0.5, numbers[1:])
    assert torch.equal(pair.flat[1], alone.flat[0])
    assert pair.blocks[0]["gain0"].std() > 0.1
    assert not torch.equal(pair.blocks[0]["gain0"], pair.blocks[1]["gain0"])


@torch.no_grad()
def test_gains_that_are_all_one_fold_without_effect_in_every_placement():
    for placement in blocks.RULES:
        net = learned(placement, spread=0.0)
        before = net.flat.clone()
        assert torch.equal(folding.fold_back(folding.fold(net)).flat, before), placement


def test_every_claim_holds_in_small(small):
    assert outcomes(small) == {claim.id: "supported" for claim in CLAIMS}


@pytest.mark.parametrize("operator", ["rms", "batch", "scale", "tanh"])
def test_the_fold_is_exact_for_every_operator(operator):
    found = outcomes(execute("norm_folding", SMALL | {"operator": operator}, SEEDS))
    for name in (
        "pre_gain_folds_exactly",
        "sandwich_input_gain_folds",
        "post_gain_cannot_fold",
        "centred_writers_make_rms_equal_ln",
    ):
        assert found[name] == "supported"


def test_exchanging_the_placements_refutes_both_folds(monkeypatch):
    rules = dict(blocks.RULES)
    rules["pre"], rules["post"] = rules["post"], rules["pre"]
    monkeypatch.setattr(blocks, "RULES", rules)
    found = outcomes(execute("norm_folding", SMALL, SEEDS))
    assert found["pre_gain_folds_exactly"] == "refuted"
    assert found["post_gain_cannot_fold"] == "refuted"


def test_a_writer_left_uncentred_refutes_the_exchange_of_operators(monkeypatch):
    monkeypatch.setattr(folding, "WRITERS", folding.WRITERS[1:])
    found = outcomes(execute("norm_folding", SMALL, SEEDS))
    assert found["centred_writers_make_rms_equal_ln"] == "refuted"


def test_the_exchange_needs_a_norm_before_the_head():
    bare = SMALL | {"final_norm": "never"}
    found = outcomes(execute("norm_folding", bare, SEEDS))
    assert found["pre_gain_folds_exactly"] == "supported"
    assert found["centred_writers_make_rms_equal_ln"] == "refuted"


def test_the_same_seeds_give_the_same_bytes(small):
    assert told(execute("norm_folding", SMALL, SEEDS)) == told(small)


@pytest.mark.slow
def test_every_claim_holds_at_full_size_on_seeds_nobody_chose():
    run = execute("norm_folding", {}, [1009, 2003, 3001, 4001, 5003])
    assert set(outcomes(run).values()) == {"supported"}
