"""Attention logits as torch's own module and hand-made ones compute them."""

import contextlib

import pytest
import torch
from torch import nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

from sim.nets.probes import Monitor

WIDTH, HEADS, LENGTH = 16, 2, 5


def inputs(batch=3):
    return torch.randn(batch, LENGTH, WIDTH, generator=torch.Generator().manual_seed(1))


def logits_of(attention, x, hidden=None):
    """Largest |q·k|/√h of nn.MultiheadAttention on (B, T, d), spelt out."""
    query, key, _ = (x @ attention.in_proj_weight.T + attention.in_proj_bias).chunk(
        3, -1
    )
    heads = attention.num_heads
    largest = []
    for q, k in zip(query.chunk(heads, -1), key.chunk(heads, -1), strict=True):
        scores = (q @ k.mT).abs() / (x.shape[-1] // heads) ** 0.5
        largest.append(scores if hidden is None else scores.masked_fill(hidden, 0))
    return torch.stack(largest).max().item()


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("need_weights", [True, False])
@pytest.mark.parametrize("mask", ["none", "causal", "additive", "padding"])
def test_logits_of_stock_attention(training, need_weights, mask):
    torch.manual_seed(0)
    attention = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True).train(training)
    nn.init.normal_(attention.in_proj_bias)
    causal = torch.ones(LENGTH, LENGTH, dtype=torch.bool).triu(1)
    padding = torch.zeros(3, LENGTH, dtype=torch.bool)
    padding[0, 2:] = True
    given, hidden = {
        "none": ({}, None),
        "causal": ({"attn_mask": causal}, causal),
        "additive": (
            {"attn_mask": torch.zeros(5, 5).masked_fill(causal, -1e9)},
            causal,
        ),
        "padding": ({"key_padding_mask": padding}, padding[:, None]),
    }[mask]
    x = inputs()
    with torch.no_grad():
        expected = logits_of(attention, x, hidden)
        with Monitor(attention) as monitor:
            attention(x, x, x, need_weights=need_weights, **given)
            found = monitor.read()["model"].logit
    assert found == pytest.approx(expected, rel=1e-5)


class Calls(nn.Module):
    """One call of a function of torch as a layer."""

    def __init__(self, call):
        super().__init__()
        self.call, self.gain = call, nn.Parameter(torch.ones(()))

    def forward(self, x):
        return self.call(self.gain * x)


def products(x):
    return functional.scaled_dot_product_attention(query=x, key=x, value=x)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (products, lambda x: x @ x.mT / WIDTH**0.5),
        (lambda x: functional.softmax(input=x, dim=-1), lambda x: x),
        (lambda x: torch.softmax(input=x, dim=-1), lambda x: x),
        (lambda x: x.softmax(dim=-1), lambda x: x),
    ],
)
def test_arguments_may_be_given_by_keyword(call, expected, dtype):
    x = inputs().to(dtype)
    with Monitor(Calls(call)) as monitor:
        monitor.seen[0].module(x)
    found = monitor.read()["model"].logit
    assert found == pytest.approx(expected(x).abs().max().item(), rel=1e-6)


@pytest.mark.parametrize("shape", [(0, LENGTH, WIDTH), (3, 0, WIDTH)])
@pytest.mark.parametrize("call", [products, lambda x: x.softmax(-1)])
def test_of_nothing_there_is_no_logit(call, shape):
    with Monitor(Calls(call)) as monitor:
        assert monitor.seen[0].module(torch.ones(shape)).shape == shape
    assert monitor.read()["model"].logit is None


@pytest.mark.parametrize("padded", [True, False])
def test_stock_attention_takes_an_empty_batch(padded):
    attention = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True)
    padding = torch.zeros(0, LENGTH, dtype=torch.bool) if padded else None
    x = inputs()[:0]
    with Monitor(attention) as monitor:
        attention(x, x, x, need_weights=padded, key_padding_mask=padding)
    assert monitor.read()["model"].logit is None


class Attention(nn.Module):
    """Attention as people write it, by hand or through torch's product."""

    def __init__(self, kind):
        super().__init__()
        self.kind = kind
        self.inner = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True)

    def forward(self, x):
        qkv = functional.linear(x, self.inner.in_proj_weight, self.inner.in_proj_bias)
        q, k, v = (
            part.view(len(x), LENGTH, HEADS, -1).transpose(1, 2)
            for part in qkv.chunk(3, -1)
        )
        if self.kind == "product":
            y = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            scores = q @ k.mT / q.shape[-1] ** 0.5
            causal = torch.ones(LENGTH, LENGTH, dtype=torch.bool).triu(1)
            y = scores.masked_fill(causal, -torch.inf).softmax(-1) @ v
        return self.inner.out_proj(y.transpose(1, 2).flatten(2))


class Block(nn.Module):
    """A Pre-Norm block that returns a tuple and takes its input by keyword."""

    def __init__(self, kind):
        super().__init__()
        self.norm = nn.LayerNorm(WIDTH)
        self.attention = Attention(kind)
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 32), nn.ReLU(), nn.Linear(32, WIDTH))

    def forward(self, *, hidden_states):
        x = hidden_states + self.attention(self.norm(hidden_states))
        return x + self.mlp(x), {"cache": None}


class Model(nn.Module):
    def __init__(self, kind, *, shared=False):
        super().__init__()
        torch.manual_seed(0)
        self.position = nn.Parameter(torch.zeros(LENGTH, WIDTH))
        self.embed = nn.Linear(WIDTH, WIDTH)
        blocks = [Block(kind)] * 3 if shared else [Block(kind) for _ in range(3)]
        self.trunk = nn.ModuleDict({"blocks": nn.ModuleList(blocks)})
        self.head = nn.Linear(WIDTH, 2)

    def forward(self, x):
        x = self.embed(x) + self.position
        for block in self.trunk["blocks"]:
            x, _ = block(hidden_states=x)
        return self.head(x)


@pytest.mark.parametrize("kind", ["product", "by hand"])
def test_a_hand_made_model_is_read_to_its_embedding_and_head(kind):
    model = Model(kind)
    with torch.no_grad(), Monitor(model) as monitor:
        model(inputs())
    reading = monitor.read()
    blocks = [f"trunk.blocks.{i}" for i in range(3)]
    assert [layer.name for layer in reading.layers] == ["embed", *blocks, "head"]
    first = reading[blocks[0]]
    assert set(first.branches) == {"attention", "mlp"}
    with torch.no_grad():
        block = model.trunk["blocks"][0]
        x = block.norm(model.embed(inputs()) + model.position)
        hidden = torch.ones(LENGTH, LENGTH, dtype=torch.bool).triu(1)
        expected = logits_of(block.attention.inner, x, hidden)
    assert first.logit == pytest.approx(expected, rel=1e-5)


def test_a_shared_block_is_one_layer_and_reports_its_largest_values():
    model = Model("product", shared=True)
    with Monitor(model) as monitor:
        model(inputs())
        reading = monitor.read()
    with torch.no_grad():
        x, sizes = model.embed(inputs()) + model.position, []
        for block in model.trunk["blocks"]:
            x, _ = block(hidden_states=x)
            sizes.append(x.square().mean().sqrt().item())
    names = [layer.name for layer in reading.layers]
    assert names == ["embed", "trunk.blocks.0", "head"]
    assert reading["trunk.blocks.0"].rms == pytest.approx(max(sizes), rel=1e-5)


class Raising(nn.Linear):
    def forward(self, x):
        y = super().forward(x)
        if x.shape[-2] == 2:
            raise ValueError("no pairs")
        return y


def test_a_layer_that_raises_is_not_running_afterwards():
    model = nn.Sequential(Raising(4, 4), nn.Linear(4, 4), nn.Linear(4, 4))
    with Monitor(model) as monitor:
        with pytest.raises(ValueError, match="no pairs"):
            model(torch.ones(3, 2, 4))
        torch.softmax(torch.full((3, 2, 4), 9.0), -1)
        model(torch.ones(3, 3, 4))
        torch.softmax(torch.full((3, 2, 4), 9.0), -1)
    reading = monitor.read()
    assert [layer.name for layer in reading.layers] == ["0", "1", "2"]
    assert {layer.logit for layer in reading.layers} == {None}
    assert reading["0"].rms is not None


def test_a_hook_that_raises_before_a_layer_starts_ends_no_layer():
    model, calls = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4)), []

    def refuse(_module, _args):
        calls.append(None)
        if len(calls) > 1:
            raise ValueError("once only")

    model[0].register_forward_pre_hook(refuse)
    with Monitor(model) as monitor:
        model(torch.ones(2, 4))
        monitor.read()
        with pytest.raises(ValueError, match="once only"):
            model(torch.ones(2, 4))
        assert monitor.read().layers == []


def test_a_recomputation_cut_short_leaves_no_layer_running():
    model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))
    with Monitor(model) as monitor:
        y = checkpoint(model, torch.ones(3, 2, 4), use_reentrant=False)
        y.square().mean().backward()
        torch.softmax(torch.full((3, 2, 4), 9.0), -1)
    assert [layer.logit for layer in monitor.read().layers] == [None, None]


class Interrupted(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Calls(self.interrupt)

    def interrupt(self, _x):
        raise KeyboardInterrupt

    def forward(self, x):
        with contextlib.suppress(KeyboardInterrupt):
            self.inner(x)
        return x


def test_an_interrupt_inside_a_layer_ends_with_the_layer_around_it():
    model = Interrupted()
    with Monitor(model, layers=["", "inner"]) as monitor:
        model(torch.ones(3, 2, 4))
        torch.softmax(torch.full((3, 2, 4), 9.0), -1)
        (layer,) = monitor.read().layers
        assert (layer.rms, layer.logit) == (1.0, None)
