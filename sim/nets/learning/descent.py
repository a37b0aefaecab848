"""Gradient descent on matrices that feed a norm: where a step points and what it leaves."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from sim.nets import chance, norms
from sim.nets.norms import Operator


@dataclass(frozen=True, kw_only=True)
class Path:
    """What each step saw before it moved the weights, (steps, S) each."""

    squares: Tensor  # ‖W‖², and once more after the last step: (steps + 1, S)
    pulls: Tensor  # squared length of the gradient
    cosines: Tensor  # between the weights and the gradient

    def angles(self, rate: float) -> Tensor:
        """Length of each step along the gradient over that of the weights, (steps, S)."""
        return rate * (self.pulls / self.squares[:-1]).sqrt()


def descend(  # noqa: PLR0913 - each keyword is one setting of the run
    seeds: Sequence[int],
    operator: Operator,
    *,
    width: int,
    rows: int,
    steps: int,
    rate: float,
    decay: float = 0.0,
) -> Path:
    """Train W (S, d, d) in float64 so that norm(x W) meets targets, on fresh Gaussian rows.

    The loss of a row is half the squared distance to a Gaussian target; W loses
    ``rate · decay`` of itself in every step, apart from the gradient.
    """
    start = chance.normals(seeds, "matrix", width, width)  # (S, d, d)
    weights = start.double() * width**-0.5
    streams = [chance.generator(seed, "batches") for seed in seeds]
    squares, pulls, cosines = [_square(weights)], [], []
    for _ in range(steps):
        drawn = [rng.standard_normal((2, rows, width)) for rng in streams]
        x, target = chance.tensor(drawn, 1)  # (S, N, d) each
        leaf = weights.detach().requires_grad_()
        y = norms.normalise(x @ leaf, operator, eps=0.0)  # (S, N, d)
        loss = (y - target).square().sum() / (2 * rows)  # seeds never mix
        (gradient,) = torch.autograd.grad(loss, leaf)  # (S, d, d)
        inner = (weights * gradient).sum((1, 2))  # (S,)
        pulls.append(_square(gradient))
        cosines.append(inner / (squares[-1] * pulls[-1]).sqrt())
        weights = weights * (1 - rate * decay) - rate * gradient
        squares.append(_square(weights))
    return Path(
        squares=torch.stack(squares),
        pulls=torch.stack(pulls),
        cosines=torch.stack(cosines),
    )


def _square(matrix: Tensor) -> Tensor:
    return matrix.square().sum((1, 2))
