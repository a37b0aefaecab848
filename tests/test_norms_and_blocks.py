"""Norm operators and placements: torch's own as oracle, and identities."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn
from torch.nn.functional import batch_norm

from sim.nets import blocks, norms
from sim.nets.operators import jacobians

MEASURING = ("layer", "rms", "batch", "scale")


def normal(*shape, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, dtype=torch.float64, generator=generator)


@pytest.mark.parametrize("model", [0, 1])
def test_each_model_has_its_own_gain_and_shift(model):
    x, gain, shift = normal(2, 5, 8), normal(2, 1, 8, seed=1), normal(2, 1, 8, seed=2)
    torchs = nn.LayerNorm(8, dtype=torch.float64)
    torchs.load_state_dict({"weight": gain[model, 0], "bias": shift[model, 0]})
    ours = norms.norm(x, "layer", gain, shift)[model]
    torch.testing.assert_close(ours, torchs(x[model]))


def test_rms_norm_is_that_of_torch():
    x, gain = normal(1, 5, 8), normal(1, 1, 8, seed=1)
    torchs = nn.RMSNorm(8, eps=norms.EPS, dtype=torch.float64)
    torchs.load_state_dict({"weight": gain[0, 0]})
    torch.testing.assert_close(norms.norm(x, "rms", gain, None)[0], torchs(x[0]))


def test_batch_norm_is_that_of_torch_on_each_model_alone():
    x = normal(3, 6, 4)
    for ours, rows in zip(norms.normalise(x, "batch"), x, strict=True):
        torch.testing.assert_close(ours, batch_norm(rows, None, None, training=True))


def test_scale_norm_is_rms_norm_with_one_gain():
    x = normal(2, 5, 9)
    _, gain = norms.initial("scale", 9)["gain"]
    ours = norms.normalise(x, "scale") * gain
    torch.testing.assert_close(ours, norms.normalise(x, "rms", eps=0.0))


def test_layer_norm_of_a_constant_row_is_zero():
    assert norms.normalise(torch.full((1, 2, 8), 3.5), "layer").abs().max() == 0


@given(st.integers(0, 10**6), st.floats(0.1, 10))
def test_layer_norms_gradient_is_orthogonal_to_ones_and_to_its_output(seed, size):
    x = (normal(1, 1, 8, seed=seed) * size).requires_grad_()
    y = norms.normalise(x, "layer", eps=0.0)
    (gradient,) = torch.autograd.grad((y * normal(1, 1, 8, seed=seed + 1)).sum(), x)
    assert abs(gradient.sum()) < 1e-9
    assert abs((gradient * y).sum()) < 1e-9


@pytest.mark.parametrize("operator", MEASURING)
def test_gradients_match_finite_differences(operator):
    x = normal(2, 3, 5).requires_grad_()
    assert torch.autograd.gradcheck(lambda x: norms.normalise(x, operator), (x,))


@pytest.mark.parametrize("operator", MEASURING)
@pytest.mark.parametrize("size", [0.1, 1.0, 30.0])
def test_a_norms_jacobian_shrinks_as_its_input_grows(operator, size):
    scale = jacobians.scale(normal(12) * size + size, operator)
    assert scale.item() == pytest.approx(1)


def double(x):
    return 2 * x


def halve(x):
    return x / 2


def plus_one(x):
    return x + 1


@pytest.mark.parametrize(
    ("placement", "norms_", "expected"),
    [  # branch 2x, norms in order; x = 3, second layer of four
        ("post", [plus_one], 3 + 2 * 3 + 1),
        ("pre", [plus_one], 3 + 2 * (3 + 1)),
        ("sandwich", [plus_one, halve], 3 + 2 * (3 + 1) / 2),
        ("output", [halve], 3 + 2 * 3 / 2),
        ("deepnorm", [plus_one], 8**0.25 * 3 + 2 * 3 + 1),
        ("residual_dual", [plus_one], 3 + 2 * 3 + 1),
        ("ln_scaling", [plus_one], 3 + 2 * (3 + 1) / math.sqrt(2)),
        ("gpt2", [plus_one], 3 + 2 * (3 + 1)),
        ("rezero", [], 3 + 0 * 2 * 3),
        ("layer_scale", [plus_one], 3 + 0.1 * 2 * (3 + 1)),
        ("scaled", [plus_one], 3 + 2 * (3 + 1) / math.sqrt(4)),
        ("plain", [plus_one], 2 * (3 + 1)),
    ],
)
def test_every_placement_is_its_formula(placement, norms_, expected):
    rule = blocks.RULES[placement](2, 4)
    assert rule.norms == len(norms_)
    x = torch.full((1, 1, 1), 3.0)
    gain = None if rule.gain is None else torch.tensor(rule.gain)
    y = blocks.residual(rule, x, double, norms_, gain)
    assert y.item() == pytest.approx(expected)


def test_mix_ln_is_post_norm_in_its_first_quarter_only():
    rules = [blocks.RULES["mix"](layer, 8) for layer in range(1, 9)]
    assert rules == [blocks.POST] * 2 + [blocks.PRE] * 6


def test_a_hybrid_normalises_every_fourth_sum_again():
    rules = [blocks.RULES["hybrid"](layer, 8) for layer in range(1, 9)]
    assert [rule.outer for rule in rules] == [False, False, False, True] * 2
    assert all(rule.before for rule in rules)


def test_only_streams_that_end_unnormalised_need_a_final_norm():
    ends = {name for name, rule in blocks.RULES.items() if not rule(6, 6).final_norm}
    assert ends == {"post", "deepnorm"}


def test_deepnorm_has_its_authors_constants():
    rule = blocks.RULES["deepnorm"](1, 6)
    assert rule.skip == pytest.approx(1.861, abs=1e-3)
    assert rule.shrink == pytest.approx(0.380, abs=1e-3)


@pytest.mark.parametrize("activation", blocks.ACTIVATIONS)
def test_an_activations_gain_is_what_sampling_finds(activation):
    z = normal(400_000) * 0.8**0.5
    sampled = blocks.ACTIVATIONS[activation](z).square().mean().item()
    assert blocks.activation_gain(activation, 0.8) == pytest.approx(sampled, rel=0.02)


def test_relu_keeps_half_of_the_mean_square():
    assert blocks.activation_gain("relu", 1.0) == pytest.approx(0.5)
