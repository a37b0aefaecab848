"""Readings of a stack of models are those of a monitor on torch's own encoder."""

import pytest
import torch
from torch import nn

from sim.nets import chance
from sim.nets.learning.optimisers import SGD
from sim.nets.monitoring import vitals
from sim.nets.probes import Monitor
from sim.nets.transformer import Architecture, Transformer

SEEDS = [3, 8]
RATE = 0.1


def architecture(placement):
    return Architecture(
        depth=3,
        width=16,
        heads=2,
        hidden=32,
        length=4,
        vocabulary=5,
        placement=placement,
        causal=True,
    )


class Encoder(nn.Module):
    """One model of a stack as torch's own layers."""

    def __init__(self, net, model):
        super().__init__()
        shape = net.architecture
        self.outer = {n: w[model].detach().clone() for n, w in net.outer.items()}
        self.final = shape.ends_in_norm
        layers = [
            nn.TransformerEncoderLayer(
                shape.width,
                shape.heads,
                shape.hidden,
                dropout=0,
                batch_first=True,
                norm_first=shape.placement == "pre",
            )
            for _ in net.blocks
        ]
        for layer, weights in zip(layers, net.blocks, strict=True):
            part = {name: w[model].detach().clone() for name, w in weights.items()}
            attention = layer.self_attn
            with torch.no_grad():
                attention.in_proj_weight.copy_(part["qkv"].T)
                attention.out_proj.weight.copy_(part["out"].T)
                layer.linear1.weight.copy_(part["up"].T)
                layer.linear2.weight.copy_(part["down"].T)
                layer.linear1.bias.zero_()
                layer.linear2.bias.zero_()
        self.layers = nn.ModuleList(layers)

    def forward(self, ids):
        x = self.outer["token"][ids] + self.outer["position"]
        length = ids.shape[-1]
        mask = torch.full((length, length), -torch.inf).triu(1)
        for layer in self.layers:
            x = layer(x, src_mask=mask)
        x = nn.functional.layer_norm(x, x.shape[-1:]) if self.final else x
        return x @ self.outer["head"]


@pytest.mark.parametrize("placement", ["pre", "post"])
def test_both_read_the_same_numbers(placement):
    net = Transformer(architecture(placement), SEEDS)
    batch = chance.symbols(SEEDS, 6, 5, 5)
    models = [Encoder(net, model) for model in range(len(SEEDS))]
    rates = torch.full((len(SEEDS), 1), RATE)
    found = vitals.step(net, SGD(net.flat), rates, batch)
    readings = found.readings()
    for model, symbols, loss, ours in zip(
        models, batch, found.loss, readings, strict=True
    ):
        optimizer = torch.optim.SGD(model.parameters(), lr=RATE)
        with Monitor(model) as monitor:
            logits = model(symbols[:, :-1])
            theirs = nn.functional.cross_entropy(
                logits.flatten(0, 1), symbols[:, 1:].flatten()
            )
            theirs.backward()
            optimizer.step()
            read = monitor.read()
        assert loss.item() == pytest.approx(theirs.item(), rel=1e-5)
        for own, other in zip(ours.layers, read.layers, strict=True):
            renamed = (other.branches["self_attn"], other.branches["linear2"])
            assert tuple(own.branches.values()) == pytest.approx(renamed, rel=1e-4)
            for name in ("input", "logit", "rms", "gradient", "update"):
                expected = getattr(other, name)
                assert getattr(own, name) == pytest.approx(expected, rel=1e-3), name


def test_a_step_trains_as_the_training_loop_does():
    net, twin = (Transformer(architecture("pre"), SEEDS) for _ in range(2))
    batch = chance.symbols(SEEDS, 6, 5, 5)
    vitals.step(net, SGD(net.flat), torch.full((2, 1), RATE), batch)
    losses = twin.losses(batch[..., :-1], batch[..., 1:])
    found = torch.autograd.grad(losses.sum(), twin.weights)
    moved = twin.flat - RATE * torch.cat([part.flatten(1) for part in found], 1)
    assert torch.allclose(net.flat, moved, atol=1e-6)
