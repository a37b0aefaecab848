"""LayerNorm against BatchNorm: known answers, and one run in small."""

import pytest
import torch
from torch.nn.functional import batch_norm, layer_norm

from sim.experiments.norm_placement.batch_independence import (
    Params,
    Rows,
    affine_gradients,
    batch_metrics,
    batch_sizes,
    single_metrics,
)
from sim.nets.norms import normalise
from sim.running import execute

from .judged import outcomes, told

SEEDS = [3, 2**31 - 1, 77, 12, 0]
SMALL = {"dim": 16, "batch": 16}


@pytest.fixture
def rows():
    return Rows(Params(dim=16, batch=8), seed=5)


def test_both_norms_are_those_of_torch(rows):
    x = rows(1, 8)
    assert torch.allclose(normalise(x, "layer")[0], layer_norm(x[0], (16,)), atol=1e-6)
    torchs = batch_norm(x[0], None, None, training=True)
    assert torch.allclose(normalise(x, "batch")[0], torchs, atol=1e-6)


def test_torch_refuses_the_single_row_that_the_formula_turns_into_zeros(rows):
    x = rows(1, 1)
    with pytest.raises(ValueError, match="more than 1 value"):
        batch_norm(x[0], None, None, training=True)
    assert normalise(x, "batch").abs().max() == 0


def test_the_affine_gradients_have_their_closed_form(rows):
    x, target = rows(1, 8), rows(1, 8)
    z = normalise(x, "layer")
    to_output = 2 * (z - target) / z.numel()  # (1, B, d)
    to_gain, to_shift = affine_gradients(x, target)
    assert torch.allclose(to_gain[0, 0], (to_output * z).sum((0, 1)), atol=1e-6)
    assert torch.allclose(to_shift[0, 0], to_output.sum((0, 1)), atol=1e-6)


def test_the_row_that_stays_is_the_same_row(rows):
    x, other = rows(4, 8), rows(4, 8)
    kept = other.clone()
    _, by_batch, by_layer = batch_metrics(x, other)
    assert by_layer == 0
    assert by_batch > 0.1
    assert torch.equal(other, kept)


def test_identical_batches_change_nothing(rows):
    x = rows(4, 8)
    assert batch_metrics(x, x.clone())[1:] == (0, 0)


def test_the_batch_mean_of_unit_normals_varies_as_one_over_the_batch():
    rows = Rows(Params(dim=256, spread=1.0), seed=1)
    noise = batch_metrics(rows(500, 4), rows(500, 4))[0]
    assert noise == pytest.approx(1 / 4, rel=0.05)


def test_constant_rows_leave_layer_norm_as_zeros():
    metrics = single_metrics(torch.full((1, 8, 16), 3.0), torch.zeros(1, 8, 16))
    assert metrics["ln_single_rms"] == 0
    assert metrics["ln_token_error"] == 1  # the variance is 0 instead of 1


@pytest.mark.parametrize(
    ("largest", "sizes"),
    [(8, [2, 4, 8]), (24, [2, 4, 8, 16, 24]), (32, [2, 4, 8, 16, 32])],
)
def test_batch_sizes_double_up_to_the_largest(largest, sizes):
    assert batch_sizes(largest) == sizes


def test_every_claim_holds_in_small_and_the_same_seeds_give_the_same_bytes():
    first, again = (execute("batch_independence", SMALL, SEEDS) for _ in range(2))
    assert outcomes(first) == dict.fromkeys(
        (
            "ln_batch_free",
            "bn_batch_bound",
            "bn_noise_falls_with_batch",
            "ln_token_stats",
            "ln_affine_learns",
            "bn_batch_of_one_collapses",
            "ln_batch_of_one_works",
        ),
        "supported",
    )
    assert told(again) == told(first)


def test_a_seed_gives_the_same_values_in_any_company():
    first = execute("batch_independence", SMALL, SEEDS)["metrics"]
    turned = execute("batch_independence", SMALL, SEEDS[::-1])["metrics"]
    assert first == {name: values[::-1] for name, values in turned.items()}
