"""Scaled branches: the contract in small, closed forms, and what breaks them."""

from dataclasses import replace

import pytest
import torch

from sim.experiments.norm_placement.residual_scaling import CLAIMS, Params
from sim.nets import altered, blocks, chance, probes
from sim.nets.transformer import Transformer
from sim.running import execute

from .judged import outcomes, told

SEEDS = [200, 7, 2**31 - 1, 41, 3]
SMALL = {"depth": 24, "width": 32, "length": 4}


@pytest.fixture(scope="module")
def small():
    return execute("residual_scaling", SMALL, SEEDS)


def test_the_claims_hold_in_small(small):
    found = outcomes(small)
    assert set(found) == {claim.id for claim in CLAIMS}
    del found["ln_scaling_logarithmic"]  # single narrow networks stray too far
    assert set(found.values()) == {"supported"}


def test_the_same_seeds_give_the_same_bytes(small):
    assert told(execute("residual_scaling", SMALL, SEEDS)) == told(small)


@pytest.mark.parametrize(
    ("rules", "refuted"),
    [
        ({"sandwich": "pre"}, ["peri_larger_at_start", "peri_growth_weight_free"]),
        ({"pre": "sandwich"}, ["peri_larger_at_start", "pre_growth_follows_weights"]),
        ({"gpt2": "pre"}, ["half_depth_scaling_bounded"]),
        ({"post": "pre"}, ["post_weight_free"]),
        ({"rezero": "layer_scale"}, ["rezero_is_identity", "rezero_only_alpha_learns"]),
    ],
    ids=str,
)
def test_another_placement_under_the_name_refutes_its_claims(
    rules, refuted, monkeypatch
):
    swapped = dict(blocks.RULES)
    swapped |= {name: blocks.RULES[other] for name, other in rules.items()}
    monkeypatch.setattr(blocks, "RULES", swapped)
    found = outcomes(execute("residual_scaling", SMALL | {"depth": 16}, SEEDS))
    assert {found[name] for name in refuted} == {"refuted"}


def test_gains_of_order_one_are_not_proportional():
    found = outcomes(execute("residual_scaling", SMALL | {"epsilon": 1.0}, SEEDS))
    assert found["layer_scale_gradient_proportional"] == "refuted"


def test_multiplied_relu_branches_grow_with_the_square_of_both_matrices():
    """Closed form: feed-forward alone, two matrices, so a factor of f⁴ in mean square."""
    architecture = Params(width=16, length=2).architecture(depth=1)
    ids = chance.symbols([5], 4, 2, architecture.vocabulary)

    def branch(factor):
        net = altered.mix(Transformer(architecture, [5]), "none")
        growth = probes.growth(altered.multiply(net, factor), ids)
        return growth.feed_forward.item() ** 2

    assert branch(3) == pytest.approx(3**4 * branch(1), rel=1e-4)


@torch.no_grad()
def test_layer_scale_of_one_is_pre_norm():
    architecture = Params(width=16, length=2).architecture(depth=3)
    ids = chance.symbols([5], 4, 2, architecture.vocabulary)
    scaled = Transformer(replace(architecture, placement="layer_scale"), [5])
    torch.testing.assert_close(
        altered.set_gains(scaled, 1.0).logits(ids),
        Transformer(architecture, [5]).logits(ids),
    )


@pytest.mark.slow
def test_every_claim_holds_at_full_size_on_seeds_nobody_chose():
    found = outcomes(execute("residual_scaling", {}, [1009, 2003, 3001, 4001, 5003]))
    assert set(found.values()) == {"supported"}
