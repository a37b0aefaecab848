"""A decoder: between self-attention and feed-forward, each layer attends to a memory."""

from collections.abc import Mapping
from functools import partial

import torch
from torch import Tensor

from sim.nets import blocks
from sim.nets.transformer import Transformer


def streams(
    own: Transformer, across: Transformer, x: Tensor, memory: Tensor
) -> list[Tensor]:
    """x_0 … x_L of decoders, for a first stream (M, B·T, d) and memories (M, B, S, d).

    Self-attention and feed-forward are one stack's; attention to the memory, and the norms
    of that sublayer, are another's of the same architecture.
    """
    architecture = own.architecture
    heads = architecture.heads
    found = [x]
    for layer, rule in enumerate(architecture.rules):
        mine, other = own.blocks[layer], across.blocks[layer]
        sublayers: tuple[tuple[blocks.Map, Mapping[str, Tensor], int], ...] = (
            (partial(blocks.attention, mine, heads=heads, mask=own.mask), mine, 0),
            (partial(cross_attention, other, memory=memory, heads=heads), other, 0),
            (
                partial(blocks.feed_forward, mine, activation=architecture.activation),
                mine,
                1,
            ),
        )
        for branch, weights, place in sublayers:
            places = range(place * rule.norms, (place + 1) * rule.norms)
            maps = [partial(own.norm, weights, str(i)) for i in places]
            gain = weights.get(f"branch_gain{place}")
            x = blocks.residual(rule, x, branch, maps, gain)  # (M, N, d)
        found.append(x)
    return found


def cross_attention(
    weights: Mapping[str, Tensor], x: Tensor, memory: Tensor, heads: int
) -> Tensor:
    """Attention of rows (M, B·T, d) to their own sequence's memory (M, B, S, d).

    Without the biases of queries, keys and values, which are zero before training.
    """
    models, rows, width = x.shape
    batch, size = memory.shape[1], width // heads
    query_map, key_map, value_map = weights["qkv"].chunk(3, -1)  # each (M, d, d)
    queries, keys, values = (
        torch.bmm(read.flatten(1, -2), each)
        .view(models, batch, -1, heads, size)
        .transpose(2, 3)  # (M, B, H, T or S, d/H)
        for read, each in ((x, query_map), (memory, key_map), (memory, value_map))
    )
    scores = queries @ keys.mT * size**-0.5  # (M, B, H, T, S)
    mixed = (scores.softmax(-1) @ values).transpose(2, 3)  # (M, B, T, H, d/H)
    joined = mixed.reshape(models, rows, width)  # (M, N, d)
    return torch.baddbmm(weights["out_bias"], joined, weights["out"])  # (M, N, d)
