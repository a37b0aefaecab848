"""Every placement and operator in the stack, against a plain loop over single models."""

from dataclasses import replace
from functools import partial
from itertools import product

import pytest
import torch
from torch.nn import functional

from sim.nets import blocks, chance, norms
from sim.nets.transformer import Architecture, Trace, Transformer

SMALL = Architecture(
    depth=4, width=8, heads=2, hidden=12, length=4, vocabulary=5, causal=True
)
SEEDS = [11, 2**31 - 1, 5]
IDS = chance.symbols(SEEDS, 3, 4, 5)  # (S, B, T)


def norm(weights, place, x):
    """LayerNorm of one model's (N, d) by torch itself."""
    gain, shift = weights[f"gain{place}"][0], weights[f"shift{place}"][0]
    return functional.layer_norm(x, x.shape[-1:], gain, shift)


def attention(weights, x):
    query, key, value = (
        part.view(-1, 4, 2, 4).transpose(1, 2)
        for part in (x @ weights["qkv"] + weights["qkv_bias"]).chunk(3, -1)
    )
    mixed = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
    joined = mixed.transpose(1, 2).reshape(-1, 8)
    return joined @ weights["out"] + weights["out_bias"]


def feed_forward(weights, x):
    hidden = (x @ weights["up"] + weights["up_bias"]).relu()
    return hidden @ weights["down"] + weights["down_bias"]


FORMULAS = {  # of one sublayer; n, m its norms in order, g its gain
    "post": lambda x, f, n, m, g, layer: n(x + f(x)),
    "pre": lambda x, f, n, m, g, layer: x + f(n(x)),
    "gpt2": lambda x, f, n, m, g, layer: x + f(n(x)),
    "sandwich": lambda x, f, n, m, g, layer: x + m(f(n(x))),
    "output": lambda x, f, n, m, g, layer: x + n(f(x)),
    "deepnorm": lambda x, f, n, m, g, layer: n(8**0.25 * x + f(x)),
    "mix": lambda x, f, n, m, g, layer: n(x + f(x)) if layer == 1 else x + f(n(x)),
    "hybrid": lambda x, f, n, m, g, layer: (
        m(x + f(n(x))) if layer == 4 else x + f(n(x))
    ),
    "scaled": lambda x, f, n, m, g, layer: x + f(n(x)) / 2,
    "ln_scaling": lambda x, f, n, m, g, layer: x + f(n(x) / layer**0.5),
    "layer_scale": lambda x, f, n, m, g, layer: x + g * f(n(x)),
    "rezero": lambda x, f, n, m, g, layer: x + g * f(x),
    "plain": lambda x, f, n, m, g, layer: f(n(x)),
}


def block(placement, weights, layer, x):
    """One block of one model."""
    norms_ = [partial(norm, weights, i) for i in range(4) if f"gain{i}" in weights]
    each = len(norms_) // 2
    for place, branch in enumerate((attention, feed_forward)):
        n, m, *_ = *norms_[place * each :][:each], None, None
        gain = weights.get(f"branch_gain{place}")
        x = FORMULAS[placement](x, partial(branch, weights), n, m, gain, layer)
    return x


def disturbed(architecture):
    """A stack whose gains and shifts are not at their first values either."""
    net = Transformer(architecture, SEEDS, torch.float64)
    noise = chance.tensor([chance.normal(s, "noise", net.flat.shape[1]) for s in SEEDS])
    with torch.no_grad():
        net.flat += 0.1 * noise
    return net


def test_every_placement_has_a_formula_here():
    assert {*FORMULAS, "residual_dual"} == set(blocks.RULES)


@pytest.mark.parametrize("placement", FORMULAS)
def test_a_stack_computes_each_models_own_formula(placement):
    net = disturbed(replace(SMALL, placement=placement))
    stacked = net.stream(net.embed(IDS))
    for model in range(len(SEEDS)):
        x = net.embed(IDS)[model]
        for layer, part in enumerate(net.blocks, start=1):
            weights = {name: value[model] for name, value in part.items()}
            x = block(placement, weights, layer, x)
        torch.testing.assert_close(stacked[model], x)


def test_residual_dual_adds_the_normalised_sum_of_its_branches_at_the_end():
    net = disturbed(replace(SMALL, placement="residual_dual"))
    output = net.finish(net.stream(net.embed(IDS)))
    for model in range(len(SEEDS)):
        x = dual = net.embed(IDS)[model]
        for part in net.blocks:
            weights = {name: value[model] for name, value in part.items()}
            for place, f in enumerate((attention, feed_forward)):
                dual = dual + f(weights, x)
                x = norm(weights, place, x + f(weights, x))
        outer = {name: value[model] for name, value in net.outer.items()}
        torch.testing.assert_close(output[model], x + norm(outer, "", dual))


@pytest.mark.parametrize(
    ("placement", "operator"), list(product(blocks.RULES, norms.OPERATORS))
)
def test_every_placement_takes_every_operator(placement, operator):
    """A model is the same alone and in a stack, and every weight of it can learn."""
    shape = replace(SMALL, placement=placement, operator=operator)
    net = disturbed(shape)
    losses = net.losses(IDS, IDS.roll(-1, 2))
    alone = Transformer(shape, SEEDS[:1], torch.float64)
    alone.flat.data.copy_(net.flat[:1])
    torch.testing.assert_close(alone.losses(IDS[:1], IDS[:1].roll(-1, 2)), losses[:1])
    found = torch.autograd.grad(losses.sum(), net.weights)
    names = [name for part in (net.outer, *net.blocks) for name in part]
    for name, gradient in zip(names, found, strict=True):
        assert gradient.isfinite().all(), name
        assert gradient.any(), name


@pytest.mark.parametrize("init", ["xavier", "pytorch", "small", "normal"])
def test_first_weights_have_the_spread_of_their_initialisation(init):
    wide = replace(SMALL, width=64, heads=4, hidden=256, init=init)
    up = Transformer(wide, [3]).blocks[0]["up"].std().item()
    expected = {
        "xavier": (2 / 320) ** 0.5,
        "pytorch": (3 * 64) ** -0.5,
        "small": (2 / 320) ** 0.5,
        "normal": 0.02,
    }
    assert up == pytest.approx(expected[init], rel=0.03)


def test_qk_norm_bounds_every_logit_whatever_the_weights():
    largest = {}
    for qk_norm in (False, True):
        net = Transformer(replace(SMALL, qk_norm=qk_norm, causal=False), SEEDS)
        with torch.no_grad():
            for part in net.blocks:
                part["qkv"] *= 30
        trace = Trace(scores=[])
        net.stream(net.embed(IDS), trace)
        largest[qk_norm] = torch.stack(trace.scores).abs().max().item()
    assert largest[True] <= 4**0.5 + 1e-5
    assert largest[False] > 50


def test_embeddings_have_the_spread_asked_for():
    wide = replace(SMALL, width=64, embedding=0.02)
    assert Transformer(wide, SEEDS).embed(IDS).std().item() == pytest.approx(
        0.02, rel=0.1
    )


def test_rezero_starts_as_the_identity():
    net = Transformer(replace(SMALL, placement="rezero"), SEEDS)
    x = net.embed(IDS)
    assert torch.equal(net.stream(x), x)
