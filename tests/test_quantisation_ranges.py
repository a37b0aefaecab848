"""Integer quantisation: torch's own as oracle, the closed form, one run in small."""

import math

import pytest
import torch

from sim.experiments.norm_placement.quantisation_ranges import CLAIMS
from sim.nets import blocks
from sim.nets.operators import quantisation
from sim.running import execute

from .judged import outcomes, told

SEEDS = [3, 2**31 - 1, 77, 12, 105]
SMALL = {"depth": 24, "width": 32, "heads": 2, "hidden": 2, "length": 4}


@pytest.fixture(scope="module")
def small():
    return execute("quantisation_ranges", SMALL, SEEDS)


@pytest.fixture
def x():
    generator = torch.Generator().manual_seed(4)
    return torch.randn(2, 100, 8, generator=generator)


def test_one_scale_is_what_torch_quantises_with(x):
    for part, found in zip(x, quantisation.quantise(x, 8), strict=True):
        scale = part.abs().max().item() / 127
        torchs = torch.fake_quantize_per_tensor_affine(part, scale, 0, -127, 127)
        assert torch.allclose(found, torchs, atol=1e-6)


def test_a_scale_for_each_channel_is_what_torch_quantises_with(x):
    found = quantisation.quantise(x, 4, by_channel=True)
    for part, mine in zip(x, found, strict=True):
        scale, zero = part.abs().amax(0) / 7, torch.zeros(8, dtype=torch.int32)
        torchs = torch.fake_quantize_per_channel_affine(part, scale, zero, 1, -7, 7)
        assert torch.allclose(mine, torchs, atol=1e-6)


def test_ten_decibels_are_a_tenth_of_the_noise(x):
    assert quantisation.sqnr(x, 1.1 * x).tolist() == pytest.approx([20, 20], abs=1e-3)
    assert quantisation.sqnr(x, 0 * x).tolist() == [0, 0]


def test_the_large_channel_is_left_out_of_the_others(x):
    found = x.clone()
    found[..., 0] = 1e9
    assert quantisation.others(x, found).tolist() == [math.inf] * 2


@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
def test_smoothing_changes_ranges_and_no_product(x, share):
    weights = torch.linspace(-1, 2, 2 * 8 * 5).sin().view(2, 8, 5)
    divisors = quantisation.smoothing(x, weights, share)
    rows, matrix = x / divisors, divisors.mT * weights
    assert torch.allclose(rows @ matrix, x @ weights, atol=1e-5)
    levelled = matrix.abs().amax(2) if share == 0 else rows.abs().amax(1)
    if share in (0.0, 1.0):
        assert torch.allclose(levelled, torch.ones(2, 8))


def test_every_claim_holds_in_small(small):
    assert outcomes(small) == {claim.id: "supported" for claim in CLAIMS}


def test_without_a_large_channel_one_scale_is_enough():
    found = outcomes(execute("quantisation_ranges", SMALL | {"outlier": 1.0}, SEEDS))
    assert found["outlier_ruins_per_tensor"] == "refuted"
    assert found["gain_smoothing_exact"] == "supported"
    assert found["gain_smoothing_helps"] == "refuted"


def test_moving_the_whole_range_only_moves_the_problem(small):
    figure = next(f for f in small["figures"] if f["id"] == "migration")
    smoothed = figure["series"][0]["y"]
    assert max(smoothed) == max(smoothed[3:6])
    assert max(smoothed) - smoothed[-1] > 6


def test_exchanging_the_placements_refutes_the_ranges(monkeypatch):
    rules = dict(blocks.RULES)
    rules["pre"], rules["post"] = rules["post"], rules["pre"]
    monkeypatch.setattr(blocks, "RULES", rules)
    found = outcomes(execute("quantisation_ranges", SMALL, SEEDS))
    assert found["pre_stream_range_grows"] == "refuted"
    assert found["post_stream_range_flat"] == "refuted"


def test_the_same_seeds_give_the_same_bytes(small):
    assert told(execute("quantisation_ranges", SMALL, SEEDS)) == told(small)


@pytest.mark.slow
def test_every_claim_holds_at_full_size_on_seeds_nobody_chose():
    run = execute("quantisation_ranges", {}, [1009, 2003, 3001, 4001, 5003])
    assert set(outcomes(run).values()) == {"supported"}
