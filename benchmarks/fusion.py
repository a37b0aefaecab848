"""Norms and fusion in time, on one thread: torch's own kernels, in float32 and at inference.

RMSNorm against LayerNorm, one projection matrix against three, and a residual connection
with its norm as torch.compile fuses it against the same operations one after another. That
needs a C++ compiler; where none works the rows are left out, with a word about why.
"""

import sys
from collections.abc import Callable, Mapping
from functools import partial
from statistics import median
from time import perf_counter
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

Run = Callable[[], Any]
ROWS, WIDTH = 4096, 512
REPEATS = 3
CALLS = 5
GENERATOR = torch.Generator().manual_seed(0)


def draw(*shape: int) -> Tensor:
    return torch.randn(*shape, generator=GENERATOR)


@torch.inference_mode()
def rows() -> list[dict[str, Any]]:
    """Calls in a second, median of interleaved repeats."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        return [
            _compared(name, ours, peer) for name, (ours, peer) in comparisons().items()
        ]
    finally:
        torch.set_num_threads(threads)


def comparisons() -> Mapping[str, tuple[Run, Run]]:
    """For each row what is ours and what is the peer."""
    x, branch = draw(ROWS, WIDTH), draw(ROWS, WIDTH)
    gain, shift = 1 + 0.1 * draw(WIDTH), 0.1 * draw(WIDTH)
    matrix = draw(WIDTH, 3 * WIDTH) * WIDTH**-0.5
    parts = [part.contiguous() for part in matrix.chunk(3, -1)]
    found: dict[str, tuple[Run, Run]] = {
        "RMSNorm (peer: LayerNorm)": (
            partial(functional.rms_norm, x, (WIDTH,), gain),
            partial(functional.layer_norm, x, (WIDTH,), gain, shift),
        ),
        "queries, keys, values from one matrix (peer: three)": (
            lambda: x @ matrix,
            lambda: [x @ part for part in parts],
        ),
    }
    for name, block in (("Pre-Norm", pre), ("Post-Norm", post)):
        eager = partial(block, x, branch, gain, shift)
        compiled = partial(torch.compile(block), x, branch, gain, shift)
        try:
            torch.testing.assert_close(compiled(), eager())
        except RuntimeError as error:  # of which a compiler's failure is one
            first = str(error).partition("\n")[0]
            print(f"fusion: nothing is compiled here: {first}", file=sys.stderr)
            break
        found[f"residual and norm compiled, {name} (peer: eager)"] = compiled, eager
    return found


def pre(x: Tensor, branch: Tensor, gain: Tensor, shift: Tensor) -> tuple[Tensor, ...]:
    """The stream, and what the next branch reads."""
    total = x + branch
    return total, functional.layer_norm(total, (WIDTH,), gain, shift)


def post(x: Tensor, branch: Tensor, gain: Tensor, shift: Tensor) -> tuple[Tensor, ...]:
    """The stream, which is also what the next branch reads."""
    return (functional.layer_norm(x + branch, (WIDTH,), gain, shift),)


def _compared(name: str, ours: Run, peer: Run) -> dict[str, Any]:
    spent: dict[Run, list[float]] = {ours: [], peer: []}
    for run in spent:
        run()
    for _ in range(REPEATS):
        for run, times in spent.items():
            times.append(_seconds(run))
    fast, slow = (1 / median(times) for times in spent.values())
    return {
        "name": f"{name}, {ROWS} × {WIDTH}, one thread",
        "ours": fast,
        "peer": slow,
        "ratio": fast / slow,
        "unit": "calls/s",
    }


def _seconds(run: Run) -> float:
    start = perf_counter()
    for _ in range(CALLS):
        run()
    return (perf_counter() - start) / CALLS
