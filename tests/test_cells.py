"""Cells train as single networks do, wherever they are stacked."""

from dataclasses import replace

import pytest
import torch

from sim.core import quiet
from sim.nets.learning.cells import LAST, Cell, shown_steps, smooth, teach
from sim.nets.learning.optimisers import SGD, Adam
from sim.nets.learning.training import Schedule, train
from sim.nets.markov import Chain
from sim.nets.transformer import Architecture, Transformer

PRE = Architecture(
    depth=2, width=8, heads=1, hidden=8, length=4, vocabulary=4, causal=True
)
POST = replace(PRE, placement="post")
SEEDS = [5, 6]
CELLS = {
    "pre": Cell(architecture=PRE, schedule=Schedule(rate=0.01)),
    "post": Cell(architecture=POST, schedule=Schedule(rate=0.01)),
    "warm": Cell(architecture=POST, schedule=Schedule(rate=0.01, warmup=5)),
    "plain descent": Cell(
        architecture=POST, schedule=Schedule(rate=0.1), optimiser=SGD
    ),
    "late": Cell(architecture=POST, schedule=Schedule(rate=0.01, warmup=9)),
}


def taught(progress=quiet):
    return teach(CELLS, SEEDS, steps=12, batch=2, progress=progress)


def test_a_cell_trains_as_its_network_does_alone():
    lessons = taught()
    assert set(lessons.curves) == set(CELLS)
    batches = Chain(SEEDS, 4).sample(12, 2, 4)
    for name, cell in CELLS.items():
        alone = train(
            Transformer(cell.architecture, SEEDS),
            [cell.schedule] * len(SEEDS),
            batches,
            optimiser=cell.optimiser,
        )
        torch.testing.assert_close(lessons.curves[name].loss, alone.loss)


def test_cells_differ_by_placement_schedule_and_rule():
    ends = torch.stack([taught().final_gap(name) for name in CELLS])  # (cells, S)
    assert (ends[:, None] != ends[None]).sum() == 2 * 5 * 4


def test_the_gap_is_that_of_ten_neighbouring_steps():
    lessons = taught()
    gap = lessons.chain.gap(lessons.curves["pre"].loss)  # (steps, S)
    torch.testing.assert_close(lessons.final_gap("pre"), gap[-LAST:].mean(0))
    torch.testing.assert_close(lessons.gap("pre", 2)[1], gap[2:12].mean(0))
    assert shown_steps(lessons.gap("pre", 2), 2) == [10, 12]
    assert smooth(gap).shape == (3, 2)


def test_progress_rises_to_one():
    seen = []
    taught(seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == pytest.approx(1)


def test_a_cell_uses_adam_unless_told_otherwise():
    assert CELLS["pre"].optimiser is Adam
