"""The training loop and its task: torch's Adam as oracle, schedules, a chain's entropy."""

import math
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torch

from sim.core import quiet
from sim.nets.learning import training
from sim.nets.learning.optimisers import BETAS, SGD, Adam, RAdam, rectification
from sim.nets.learning.training import OVERFLOWED, Schedule, Training, train, train_all
from sim.nets.markov import Chain
from sim.nets.transformer import Architecture, Transformer

SMALL = Architecture(
    depth=1, width=8, heads=1, hidden=8, length=4, vocabulary=4, causal=True
)
SEEDS = [5, 6]


def batches(steps, seeds=SEEDS):
    return Chain(seeds, 4).sample(steps, 2, 4)


def trained(schedules, steps=3, seeds=SEEDS):
    net = Transformer(SMALL, seeds)
    before = net.flat.detach().clone()
    curves = train(net, schedules, batches(steps, seeds))
    return net.flat.detach() - before, curves


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (SGD, torch.optim.SGD),
        (Adam, partial(torch.optim.Adam, betas=BETAS)),
        (RAdam, partial(torch.optim.RAdam, betas=BETAS)),
    ],
)
def test_a_rule_moves_weights_as_torchs_does(ours, theirs):
    generator = torch.Generator().manual_seed(0)
    weights = torch.randn(2, 6, generator=generator)
    rows = [torch.nn.Parameter(row.clone()) for row in weights]
    rates = [0.1, 0.01]
    torchs = theirs(
        [{"params": [row], "lr": lr} for row, lr in zip(rows, rates, strict=True)]
    )
    rule = ours(weights)
    for step in range(1, 9):
        gradient = torch.randn(2, 6, generator=generator)
        # torch's RAdam adapts a step later than the paper's: let nothing move there.
        at = torch.tensor([0.0, 0.0] if step == 5 else rates)[:, None]
        rule.step(gradient, at)
        for row, its, group, lr in zip(
            rows, gradient, torchs.param_groups, at, strict=True
        ):
            row.grad, group["lr"] = its.clone(), lr.item()
        torchs.step()
    torch.testing.assert_close(weights, torch.stack([row.detach() for row in rows]))


def test_rectification_rises_from_the_fifth_step_to_one():
    factors = [rectification(step, 0.999) for step in (1, 4, 5, 100, 100_000)]
    assert factors[:2] == [0, 0]
    assert factors[2:] == sorted(factors[2:])
    assert 0 < factors[2] < 0.05
    assert factors[3] == pytest.approx(0.215, abs=0.001)
    assert factors[4] == pytest.approx(1)


def test_each_model_follows_its_own_schedule():
    cold, warm = Schedule(rate=0.01), Schedule(rate=0.01, warmup=10)
    moved, _ = trained([cold, warm], steps=1)
    largest = moved.abs().amax(
        1
    )  # Adam's first step is the rate, whatever the gradient
    torch.testing.assert_close(largest, torch.tensor([0.01, 0.001]), rtol=0.02, atol=0)


def test_a_model_trains_alike_alone_and_in_a_stack():
    schedules = [Schedule(rate=0.01), Schedule(rate=0.02, warmup=2, clip=0.1)]
    together, curves = trained(schedules)
    alone, curve = trained(schedules[1:], seeds=SEEDS[1:])
    torch.testing.assert_close(together[1:], alone, rtol=1e-4, atol=1e-6)
    torch.testing.assert_close(curves.loss[:, 1:], curve.loss)


def test_it_does_not_matter_how_many_models_take_turns_in_a_step(monkeypatch):
    seeds = list(range(5))
    schedules = [Schedule(rate=0.01, warmup=place) for place in seeds]
    weights, curves = trained(schedules, seeds=seeds)
    for room in (1, 2 * 2 * 4 * 3 * SMALL.width * 4):  # for one model, for two
        monkeypatch.setattr(training, "CACHE", room)
        again, found = trained(schedules, seeds=seeds)
        torch.testing.assert_close(again, weights, rtol=1e-4, atol=1e-6)
        torch.testing.assert_close(found.loss, curves.loss)
        torch.testing.assert_close(found.blocks, curves.blocks)


def test_the_same_seeds_train_to_the_same_bytes():
    first, again = (trained([Schedule(rate=0.01)] * 2) for _ in range(2))
    assert torch.equal(first[0], again[0])
    assert torch.equal(first[1].loss, again[1].loss)


def test_stacks_trained_together_train_as_each_alone():
    schedules = [Schedule(rate=0.01)] * 2
    places = ("post", "pre", "plain")

    def training(place):
        net = Transformer(replace(SMALL, placement=place), SEEDS)
        return Training(net=net, schedules=schedules, batches=batches(3))

    seen = []
    together = train_all([training(place) for place in places], seen.append)
    for place, curves in zip(places, together, strict=True):
        alone = training(place)
        expected = train(alone.net, schedules, alone.batches)
        assert torch.equal(curves.loss, expected.loss)
    assert seen == sorted(seen)
    assert seen[-1] == pytest.approx(1)


def test_clipping_changes_the_weights_but_not_the_norms_on_record():
    free, unclipped = trained([Schedule(rate=0.01)] * 2, steps=2)
    held, clipped = trained([Schedule(rate=0.01, clip=0.01)] * 2, steps=2)
    assert torch.equal(unclipped.gradient[0], clipped.gradient[0])
    assert (clipped.gradient > 0.01).all()
    assert not torch.equal(free, held)


def test_the_blocks_are_parts_of_the_whole_gradient():
    net = Transformer(replace(SMALL, depth=3), SEEDS)
    curves = train(net, [Schedule(rate=0.01)] * 2, batches(2))
    assert curves.blocks.shape == (2, 3, 2)
    assert torch.equal(curves.bottom, curves.blocks[:, 0])
    assert (curves.blocks > 0).all()
    assert (curves.blocks.square().sum(1) < curves.gradient.square()).all()
    halves = curves.split(1)
    assert torch.equal(halves[1].blocks, curves.blocks[:, :, 1:])


def test_a_watch_sees_the_network_before_every_step():
    net, seen = Transformer(SMALL, SEEDS), []
    before = net.flat.detach().clone()

    def watch(step):
        seen.append((step, net.flat.detach().clone()))

    train(net, [Schedule(rate=0.01)] * 2, batches(2), watch=watch)
    assert [step for step, _ in seen] == [0, 1]
    assert torch.equal(seen[0][1], before)
    assert not torch.equal(seen[1][1], before)


def test_gradient_descent_moves_by_rate_times_gradient():
    net = Transformer(SMALL, SEEDS)
    before = net.flat.detach().clone()
    job = Training(
        net=net,
        schedules=[Schedule(rate=0.5)] * 2,
        batches=batches(1),
        optimiser=SGD,
    )
    [curves] = train_all([job], quiet)
    moved = (net.flat.detach() - before).double().norm(dim=1)
    torch.testing.assert_close(moved, 0.5 * curves.gradient[0], rtol=1e-4, atol=0)


def test_a_run_that_overflows_has_a_high_loss_and_no_norms():
    net = Transformer(replace(SMALL, operator="none"), SEEDS)
    curves = train(net, [Schedule(rate=1e30)] * 2, batches(4))
    assert curves.loss.isfinite().all()
    assert (curves.loss[-1] == OVERFLOWED).all()
    assert curves.gradient[0].isfinite().all()
    assert curves.gradient[-1].isnan().all()
    assert curves.blocks[-1].isnan().all()


def test_training_reports_its_progress_up_to_the_end():
    seen = []
    train(Transformer(SMALL, SEEDS), [Schedule(rate=0.01)] * 2, batches(4), seen.append)
    assert seen == [0.25, 0.5, 0.75, 1.0]


def test_small_networks_learn_the_chain():
    chain = Chain(SEEDS, 4)
    net = Transformer(replace(SMALL, width=16), SEEDS)
    curves = train(net, [Schedule(rate=0.01)] * 2, chain.sample(150, 8, 4))
    gap = chain.gap(curves.loss)
    assert (gap[:5].mean(0) > 0.9).all()
    assert (gap[-20:].mean(0) < 0.4).all()


def test_symbols_are_equally_frequent_and_transitions_are_the_chains():
    chain = Chain([3], 4)
    np.testing.assert_allclose(chain.matrix.sum(1), 1, atol=1e-6)
    np.testing.assert_allclose(chain.matrix.sum(2), 1, atol=1e-6)
    drawn = chain.sample(100, 20, 10)[:, 0].numpy()  # (steps, B, T + 1)
    pairs = np.zeros((4, 4))
    np.add.at(pairs, (drawn[..., :-1].ravel(), drawn[..., 1:].ravel()), 1)
    found = pairs / pairs.sum(1, keepdims=True)
    np.testing.assert_allclose(found, chain.matrix[0], atol=0.03)
    surprise = -np.log(chain.matrix[0])[drawn[..., :-1], drawn[..., 1:]]
    assert surprise.mean() == pytest.approx(chain.floor.item(), rel=0.03)


def test_the_gap_runs_from_the_floor_to_symbol_frequencies():
    chain = Chain(SEEDS, 4)
    assert chain.gap(chain.floor).tolist() == [0, 0]
    assert chain.gap(torch.tensor(math.log(4))).tolist() == pytest.approx([1, 1])
