"""The tiny block against an independent run by finite differences, in NumPy alone."""

import numpy as np
import pytest
import torch

from sim.experiments.norm_placement.tiny_block import (
    PLACEMENTS,
    Params,
    Tasks,
    draw,
    gradient_error,
    losses,
    train,
)
from sim.running import execute

from .judged import outcomes, told

SEEDS = [5, 2**31 - 1, 77, 12, 0]
SMALL = {"steps": 10, "tasks": 4}


def normalised(x):
    """LayerNorm over the last axis, spelled out."""
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5)


def loss(placement, w, x, target):
    if placement == "pre":
        y = x + np.tanh(normalised(x) @ w)
    else:
        y = normalised(x + np.tanh(x @ w))
    return ((y - target) ** 2).mean()


def by_differences(placement, w, x, target):
    """Losses of 60 steps at rate .1 whose every gradient is a central difference."""
    w, curve, h = w.copy(), [], 1e-5
    for _ in range(60):
        curve.append(loss(placement, w, x, target))
        gradient = np.zeros_like(w)
        for index in np.ndindex(w.shape):
            nudge = np.zeros_like(w)
            nudge[index] = h
            rise = loss(placement, w + nudge, x, target)
            rise -= loss(placement, w - nudge, x, target)
            gradient[index] = rise / (2 * h)
        w -= 0.1 * gradient
    return [*curve, loss(placement, w, x, target)]


@pytest.fixture
def one():
    """The first task of seed 0: the single-run demonstration."""
    return draw(Params(tasks=1), seeds=[0])


@pytest.mark.parametrize("placement", PLACEMENTS)
def test_training_follows_the_run_by_finite_differences(placement, one):
    weights, x, target = (part[0].numpy() for part in one)
    expected = by_differences(placement, weights[0], x, target)
    curve = train(placement, one, rate=0.1, steps=60)[:, 0]
    assert curve.tolist() == pytest.approx(expected, abs=1e-7)


def test_the_run_of_seed_0_keeps_its_numbers(one):
    pre, post = (train(p, one, rate=0.1, steps=60)[:, 0] for p in PLACEMENTS)
    assert [pre[-1].item(), post[-1].item()] == pytest.approx(
        [2.7352, 2.8499], abs=1e-4
    )
    peaks = [pre[:10].max().item(), post[:10].max().item()]
    assert peaks == pytest.approx([4.6626, 3.1067], abs=1e-4)


@pytest.mark.parametrize("placement", PLACEMENTS)
@pytest.mark.parametrize("depth", [1, 3])
def test_autograd_agrees_with_differences(placement, depth):
    tasks = draw(Params(tasks=5, depth=depth), seeds=[9])
    errors = gradient_error(placement, tasks)
    assert errors.shape == (5,)
    assert 0 < errors.max() < 1e-6


def test_without_a_branch_pre_is_the_identity_and_post_a_layer_norm(one):
    weights, x, _ = one
    still = Tasks(torch.zeros_like(weights), x, x)
    assert losses("pre", still).item() == 0
    layer = torch.nn.functional.layer_norm(x, (4,))
    assert losses("post", still._replace(target=layer)).item() < 1e-28


def test_a_model_learns_alike_alone_and_among_others():
    tasks = draw(Params(tasks=6), seeds=[4])
    third = Tasks(*(part[2:3] for part in tasks))
    together = train("post", tasks, rate=0.1, steps=5)[:, 2]
    assert torch.allclose(train("post", third, rate=0.1, steps=5)[:, 0], together)


def test_training_leaves_the_initial_weights_alone(one):
    before = one.weights.clone()
    curve = train("pre", one, rate=0.1, steps=5)[:, 0]
    assert torch.equal(one.weights, before)
    assert not one.weights.requires_grad
    assert curve[-1] < curve[0]


def test_normalised_targets_are_rows_that_post_norm_can_put_out():
    target = draw(Params(target="normalised"), seeds=[1]).target
    assert target.mean(-1).abs().max() < 1e-12
    assert draw(Params(), seeds=[1]).target.mean(-1).abs().max() > 0.1


def test_the_differences_are_post_minus_pre():
    metrics = execute("tiny_block", SMALL, SEEDS)["metrics"]
    for row in zip(
        metrics["post_final_loss"],
        metrics["pre_final_loss"],
        metrics["final_difference"],
        strict=True,
    ):
        assert row[0] - row[1] == pytest.approx(row[2])


def test_the_same_seeds_give_the_same_bytes():
    first, again = (execute("tiny_block", SMALL, SEEDS) for _ in range(2))
    assert told(again) == told(first)


def test_a_seed_gives_the_same_values_in_any_company():
    first = execute("tiny_block", SMALL, SEEDS)["metrics"]
    turned = execute("tiny_block", SMALL, SEEDS[::-1])["metrics"]
    for name, values in turned.items():
        assert first[name] == pytest.approx(values[::-1], abs=1e-9)


@pytest.mark.slow
def test_the_default_run_supports_the_final_loss_and_refutes_the_peak():
    document = execute("tiny_block", {}, [0, 1, 2, 3, 4])
    assert outcomes(document) == {
        "autograd_matches_differences": "supported",
        "pre_lower_final_loss": "supported",
        "pre_lower_peak_loss": "refuted",
    }
