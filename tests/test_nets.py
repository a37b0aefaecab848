"""The stack of Transformers: torch's encoder layer as oracle, weights, independence."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy

from sim.nets import chance, probes
from sim.nets.transformer import Architecture, Trace, Transformer, branch_gains, draw

SMALL = Architecture(
    depth=2, width=8, heads=2, hidden=12, length=4, vocabulary=5, causal=True
)
SEEDS = [11, 2**31 - 1, 11]


def data(architecture, seeds, batch=3):
    ids = chance.symbols(seeds, batch, architecture.length + 1, 5)
    return ids[..., :-1], ids[..., 1:]


def torchs_own(net, model):
    """The same network out of torch's encoder layers: logits for (B, T) symbols."""
    architecture = net.architecture
    layers = []
    for weights in net.blocks:
        layer = nn.TransformerEncoderLayer(
            architecture.width,
            architecture.heads,
            architecture.hidden,
            dropout=0,
            batch_first=True,
            norm_first=architecture.placement == "pre",
            dtype=torch.float64,
        )
        part = {name: value[model].detach() for name, value in weights.items()}
        layer.load_state_dict(
            {
                "self_attn.in_proj_weight": part["qkv"].mT,
                "self_attn.in_proj_bias": part["qkv_bias"][0],
                "self_attn.out_proj.weight": part["out"].mT,
                "self_attn.out_proj.bias": part["out_bias"][0],
                "linear1.weight": part["up"].mT,
                "linear1.bias": part["up_bias"][0],
                "linear2.weight": part["down"].mT,
                "linear2.bias": part["down_bias"][0],
                "norm1.weight": part["gain0"][0],
                "norm1.bias": part["shift0"][0],
                "norm2.weight": part["gain1"][0],
                "norm2.bias": part["shift1"][0],
            }
        )
        layers.append(layer)
    outer = {name: value[model].detach() for name, value in net.outer.items()}

    def logits(ids):
        x = outer["token"][ids] + outer["position"]
        for layer in layers:
            x = layer(x, src_mask=net.mask)
        if architecture.ends_in_norm:
            x = nn.functional.layer_norm(x, x.shape[-1:])
        return x @ outer["head"] + outer["head_bias"]

    return layers, logits


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("placement", ["post", "pre"])
def test_loss_and_gradients_are_those_of_torchs_encoder_layers(placement, causal):
    architecture = replace(SMALL, placement=placement, causal=causal, init="pytorch")
    net = Transformer(architecture, SEEDS, torch.float64)
    ids, targets = data(architecture, SEEDS)
    losses = net.losses(ids, targets)
    ours = torch.autograd.grad(losses.sum(), [block["down"] for block in net.blocks])
    for model in range(len(SEEDS)):
        layers, logits = torchs_own(net, model)
        loss = cross_entropy(logits(ids[model]).flatten(0, 1), targets[model].flatten())
        torch.testing.assert_close(losses[model], loss)
        theirs = torch.autograd.grad(loss, [layer.linear2.weight for layer in layers])
        for mine, other in zip(ours, theirs, strict=True):
            torch.testing.assert_close(mine[model], other.mT)


def test_a_model_is_the_same_alone_and_in_a_stack():
    ids, targets = data(SMALL, SEEDS)
    together = Transformer(SMALL, SEEDS).losses(ids, targets)
    alone = Transformer(SMALL, SEEDS[1:2]).losses(ids[1:2], targets[1:2])
    torch.testing.assert_close(together[1:2], alone)
    assert together[0] == together[2] != together[1]


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(
    ("length", "batch"),
    [(4, 8), (4, 3), (5, 6), (16, 2), (7, 1)],
    ids=["four share a product", "a few", "odd lengths", "long", "one alone"],
)
def test_a_sequence_attends_to_itself_alone_whoever_shares_its_product(
    length, batch, causal
):
    shape = replace(SMALL, length=length, causal=causal)
    net = Transformer(shape, SEEDS, torch.float64)
    ids = chance.symbols(SEEDS, batch, length, 5)
    together = net.output(ids)  # (M, B·T, d)
    for sequence, rows in enumerate(torch.split(together, length, 1)):
        alone = net.output(ids[:, sequence : sequence + 1])
        torch.testing.assert_close(rows, alone)
    torch.testing.assert_close(together, net.output(ids, Trace(scores=[])))


def test_some_of_the_models_share_the_memory_of_all():
    net = Transformer(SMALL, SEEDS)
    last = net.among(slice(1, 3))
    ids, targets = data(SMALL, SEEDS)
    assert torch.equal(last.losses(ids[1:], targets[1:]), net.losses(ids, targets)[1:])
    with torch.no_grad():
        last.blocks[1]["down"].zero_()
    assert not net.blocks[1]["down"][1:].any()
    assert net.blocks[1]["down"][0].all()


@pytest.mark.parametrize("placement", ["post", "sandwich", "scaled", "plain"])
@pytest.mark.parametrize("operator", ["layer", "rms", "none"])
def test_placements_and_operators_share_the_weights_of_a_seed(placement, operator):
    pre = Transformer(SMALL, SEEDS)
    other = Transformer(replace(SMALL, placement=placement, operator=operator), SEEDS)
    for mine, its in zip(pre.blocks, other.blocks, strict=True):
        for name in ("qkv", "out", "up", "down"):
            assert torch.equal(mine[name], its[name])
    assert torch.equal(pre.outer["token"], other.outer["token"])


def test_a_shallower_stack_has_the_first_weights_of_a_deeper_one():
    numbers = draw(SMALL, SEEDS)
    deep = Transformer(SMALL, SEEDS, numbers=numbers)
    for shared in (numbers, None):
        shallow = Transformer(replace(SMALL, depth=1), SEEDS, numbers=shared)
        for name, weight in shallow.blocks[0].items():
            assert torch.equal(weight, deep.blocks[0][name])


def test_deepnorm_shrinks_all_but_queries_and_keys():
    pre = Transformer(SMALL, SEEDS).blocks[0]
    deep = Transformer(replace(SMALL, placement="deepnorm"), SEEDS).blocks[0]
    factor = (8 * 2) ** -0.25
    query, key, value = (deep["qkv"] / pre["qkv"]).chunk(3, -1)
    assert torch.equal(query, torch.ones_like(query))
    assert torch.equal(key, torch.ones_like(key))
    torch.testing.assert_close(value, torch.full_like(value, factor))
    torch.testing.assert_close(deep["down"], pre["down"] * factor)


@pytest.mark.parametrize("part", ["in_proj_weight", "linear1", "linear2", "out_proj"])
def test_the_variances_of_the_pytorch_initialisation_are_pytorchs(part):
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(64, 4, 256)
    theirs = {
        "in_proj_weight": layer.self_attn.in_proj_weight,
        "linear1": layer.linear1.weight,
        "linear2": layer.linear2.weight,
        "out_proj": layer.self_attn.out_proj.weight,
    }[part]
    ours = {"in_proj_weight": "qkv", "linear1": "up", "linear2": "down"}
    wide = replace(SMALL, width=64, heads=4, hidden=256, init="pytorch")
    matrix = Transformer(wide, [5]).blocks[0][ours.get(part, "out")]
    assert matrix.std().item() == pytest.approx(theirs.std().item(), rel=0.05)


def test_the_embedding_has_unit_variance():
    wide = replace(SMALL, width=64, length=8)
    net = Transformer(wide, range(8))
    x = net.embed(chance.symbols(range(8), 16, 8, 5))
    assert probes.mean_square(x).mean().item() == pytest.approx(1, rel=0.1)


def test_theory_of_the_branches_is_what_equal_tokens_measure():
    wide = replace(SMALL, width=64, hidden=64, heads=4, placement="post")
    assert branch_gains(wide) == pytest.approx((1.0, 0.5))
    net = Transformer(wide, range(20))
    trace = Trace()
    row = torch.from_numpy(chance.normal(1, "row", 20, 1, 64))
    net.stream(torch.nn.functional.layer_norm(row, (64,)).expand(-1, 4, -1), trace)
    attention, forward = (probes.mean_square(b).mean() for b in trace.branches[:2])
    assert attention.item() == pytest.approx(1.0, rel=0.15)
    assert forward.item() == pytest.approx(0.5, rel=0.15)


def test_cutting_branches_leaves_what_stands_on_the_skip_path():
    ids = chance.symbols(SEEDS, 3, 4, 5)
    readout = torch.from_numpy(np.stack([chance.normal(s, "r", 12, 8) for s in SEEDS]))
    for placement, carried in (("pre", True), ("post", False)):
        net = Transformer(replace(SMALL, placement=placement), SEEDS)
        cut = probes.gradients(net, ids, readout, cut=True)
        whole = probes.gradients(net, ids, readout)
        assert torch.equal(cut.streams[0], cut.streams[-1]) is carried
        assert not cut.down.any()
        assert whole.down.all()


def test_slopes_are_exponents():
    x = [1, 2, 4, 9]
    powers = torch.tensor([[3 * v**-0.5, v**2.0] for v in x])
    torch.testing.assert_close(
        probes.log_slope(x, powers.double()),
        torch.tensor([-0.5, 2.0], dtype=torch.float64),
    )


def test_angles_are_parts_of_a_half_turn():
    right, left = torch.tensor([[[1.0, 0.0]]]), torch.tensor([[[-1.0, 0.0]]])
    up = torch.tensor([[[0.0, 2.0]]])
    assert probes.angle(right, up).item() == pytest.approx(0.5)
    assert probes.angle(right, left).item() == pytest.approx(1)


def test_purposes_of_a_seed_are_independent_of_each_other():
    weights, rows = (chance.normal(7, purpose, 1000) for purpose in ("weights", "rows"))
    assert abs(np.corrcoef(weights, rows)[0, 1]) < 0.15
    assert np.array_equal(weights, chance.normal(7, "weights", 1000))
    assert not np.array_equal(chance.normal(-7, "weights", 1000), weights)
