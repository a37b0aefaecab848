"""Single steps, clipping and schedules: closed forms and torch as oracles."""

import math

import pytest
import torch
from torch.nn.utils import clip_grad_norm_, clip_grad_value_

from sim.nets.learning import schedules, steps
from sim.nets.learning.optimisers import SGD, Adam

SEEDS = [5, 6]


def count(last):
    return torch.arange(1, last + 1, dtype=torch.float64)


def test_three_and_four_are_clipped_as_by_hand():
    gradient = torch.tensor([[3.0, 4.0]])
    assert steps.clip_norm(gradient, 1.0)[0].tolist() == pytest.approx([0.6, 0.8])
    assert steps.clip_values(gradient, 1.0)[0].tolist() == [1, 1]
    assert steps.clip_norm(gradient, 6.0).tolist() == gradient.tolist()


def test_clipping_is_torchs():
    drawn = steps.gradients(SEEDS)
    for clip, torchs in (
        (steps.clip_norm, clip_grad_norm_),
        (steps.clip_values, clip_grad_value_),
    ):
        for row, ours in zip(drawn, clip(drawn, 0.3), strict=True):
            weight = torch.nn.Parameter(torch.zeros_like(row))
            weight.grad = row.clone()
            torchs([weight], 0.3)
            torch.testing.assert_close(ours, weight.grad, rtol=1e-5, atol=0)


def test_the_tightest_clipping_of_values_leaves_the_signs():
    cosines = steps.turning([1e-4, 100.0], range(40))
    assert cosines["value"][0].mean().item() == pytest.approx(
        math.sqrt(2 / math.pi), abs=0.01
    )
    torch.testing.assert_close(cosines["value"][1], torch.ones(40).double())
    torch.testing.assert_close(cosines["norm"], torch.ones(2, 40).double())


def test_adams_first_step_is_the_rate_and_descents_the_gradient():
    lengths = steps.step_lengths({"adam": Adam, "sgd": SGD}, [1e-5, 1.0, 1e3], SEEDS)
    torch.testing.assert_close(
        lengths["adam"], torch.ones_like(lengths["adam"]), rtol=2e-3, atol=0
    )
    ratio = lengths["sgd"][2] / lengths["sgd"][1]
    torch.testing.assert_close(ratio, torch.full_like(ratio, 1000.0))


@pytest.mark.parametrize("beta2", [0.95, 0.98, 0.999])
def test_radam_adapts_from_the_fifth_step(beta2):
    assert steps.first_adaptive_step(beta2, SEEDS).tolist() == [5, 5]


def test_only_the_clipped_descent_reaches_the_valley():
    free = steps.valley(10.0, rate=0.01, clip=None, steps=200, seeds=SEEDS)
    clipped = steps.valley(10.0, rate=0.1, clip=1.0, steps=200, seeds=SEEDS)
    assert torch.equal(free[0], clipped[0])
    assert (free[-1] == steps.FARTHEST).all()
    assert (clipped[-1] < 0.2).all()
    # Far out a clipped step is as long as the rate.
    torch.testing.assert_close(clipped[0] - clipped[1], torch.full((2,), 0.1).double())


def test_descent_from_the_flat_part_needs_no_clipping():
    """So that the two ends of the valley can meet."""
    free = steps.valley(1.0, rate=0.01, clip=None, steps=200, seeds=SEEDS)
    assert (free[-1] < free[0]).all()


def test_noam_peaks_where_warmup_ends():
    rates = schedules.noam(count(20_000), 512, 4000)
    assert rates.argmax().item() + 1 == 4000
    assert rates.max().item() == pytest.approx((512 * 4000) ** -0.5)
    assert rates[999].item() == pytest.approx(rates.max().item() / 4)
    assert rates[15_999].item() == pytest.approx(rates.max().item() / 2)


@pytest.mark.parametrize(("beta2", "length"), [(0.9, 20), (0.95, 40), (0.98, 100)])
def test_the_untuned_warmup_is_as_long_as_the_rule_says(beta2, length):
    factors = schedules.exponential(count(1000), beta2)
    assert schedules.equal_linear(factors) == length
    every = [
        abs(
            schedules.period(schedules.linear(count(1000), n))
            - schedules.period(factors)
        )
        for n in range(1, 300)
    ]
    assert every.index(min(every)) + 1 == length


def test_radams_factor_leaves_out_about_as_much_as_the_exponential():
    left = schedules.period(schedules.rectified(count(20_000), 0.999))
    assert left == pytest.approx(1000, rel=0.05)
