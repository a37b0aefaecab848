"""Sublayers and projections as kernels: what they move, fused or not, and what comes out."""

from collections.abc import Sequence
from functools import partial

import torch
from torch import Tensor

from sim.nets import blocks, chance, norms
from sim.nets.blocks import Placement
from sim.nets.norms import Operator
from sim.nets.operators import traffic
from sim.nets.operators.traffic import BRANCH, Kernel, Machine
from sim.nets.probes import apart

SUBLAYERS = 3


class Chain:
    """Feed-forward sublayers in a row, one chain for each seed, with random gains."""

    def __init__(
        self, seeds: Sequence[int], operator: Operator, rows: int, width: int
    ) -> None:
        draw = partial(chance.normals, seeds)
        self.operator = operator
        self.x = draw("rows", rows, width)  # (S, N, d)
        self.learned = [
            first + 0.3 * draw(name, 1, columns)
            for name, (columns, first) in norms.initial(operator, width).items()
        ]  # (S, 1, d or 1) each
        self.weights = {
            "up": draw("up", width, width) * width**-0.5,
            "up_bias": draw("up_bias", 1, width),
            "down": draw("down", width, width) * width**-0.5,
            "down_bias": draw("down_bias", 1, width),
        }

    def run(
        self, placement: Placement, tile: int, *, fused: bool
    ) -> tuple[Machine, Tensor]:
        """What moves between the first two branches, and how far the output is from that
        of ``blocks.residual``, (S,).
        """
        rule = blocks.RULES[placement](1, 1)
        kernels = traffic.program(rule, SUBLAYERS, self._norm, self._branch)
        plan = traffic.stages(kernels, fused=fused)
        machines = traffic.execute(plan, {"x": self.x}, tile)
        first = [stage[0].name for stage in plan].index(BRANCH)
        (output,) = kernels[-1].writes
        exact = self.x
        for _ in range(SUBLAYERS):
            maps = [partial(self._normed, *self.learned)] * rule.norms
            exact = blocks.residual(rule, exact, self._mapped, maps)
        return machines[first + 1], apart(machines[-1].memory[output], exact)

    def _norm(self, read: str, write: str) -> Kernel:
        return Kernel(
            name="norm",
            reads=(read,),
            writes=(write,),
            compute=lambda x, *learned: (self._normed(*learned, x),),
            holds=self.learned,
        )

    def _branch(self, read: str, write: str) -> Kernel:
        return Kernel(
            name=BRANCH,
            reads=(read,),
            writes=(write,),
            compute=lambda x: (self._mapped(x),),
        )

    def _normed(self, *given: Tensor) -> Tensor:
        *learned, x = given
        gain, shift, slope = (*learned, *[None] * 3)[:3]
        return norms.norm(x, self.operator, gain, shift, slope)

    def _mapped(self, x: Tensor) -> Tensor:
        return blocks.feed_forward(self.weights, x, "relu")


def projections(
    seeds: Sequence[int], rows: int, width: int, tile: int
) -> tuple[float, Tensor]:
    """Queries, keys and values from one matrix and from three: the ratio of what moves, and
    how far the results are apart, (S,).
    """
    x = chance.normals(seeds, "rows", rows, width)  # (S, N, d)
    matrix = chance.normals(seeds, "projections", width, 3 * width)  # (S, d, 3d)
    one = Kernel(
        name="project",
        reads=("x",),
        writes=("query", "key", "value"),
        compute=lambda x, matrix: (x @ matrix).chunk(3, -1),
        holds=(matrix,),
    )
    three = [
        Kernel(
            name="project",
            reads=("x",),
            writes=(name,),
            compute=lambda x, part: (x @ part,),
            holds=(part,),
        )
        for name, part in zip(one.writes, matrix.chunk(3, -1), strict=True)
    ]
    fused, apiece = (
        traffic.execute([plan], {"x": x}, tile)[0] for plan in ([one], three)
    )
    both = [
        torch.cat([machine.memory[name] for name in one.writes], -1)
        for machine in (fused, apiece)
    ]
    return fused.moved / apiece.moved, apart(*both)
