"""Number formats: exact cases by hand, the closed form, one run in small."""

import math

import pytest
import torch

from sim.experiments.norm_placement.low_precision import CLAIMS
from sim.nets import norms
from sim.nets.operators import precision
from sim.running import execute

from .judged import outcomes, told

SEEDS = [3, 2**31 - 1, 77, 12, 105]


@pytest.fixture(scope="module")
def small():
    return execute("low_precision", {}, SEEDS)


@pytest.mark.parametrize("name", precision.DTYPES)
def test_a_formats_neighbours_lie_as_far_apart_as_its_bits_say(name):
    dtype, bits = precision.DTYPES[name], precision.BITS[name]
    one = torch.ones(1, dtype=dtype)
    assert torch.finfo(dtype).eps == 2.0 ** (1 - bits)
    assert one + 2.0 ** (1 - bits) > one


@pytest.mark.parametrize(
    ("update", "share"), [(0.4, 1.0), (0.5, 1.0), (0.6, 0.0), (1.4, 0.0)]
)
def test_bfloat16_loses_what_is_below_half_a_step(update, share):
    stream = torch.full(
        (1, 2, 3), 129.0
    )  # neighbours lie 1 apart; ties go to 130 or 128
    even = torch.full((1, 2, 3), 130.0)
    small = torch.full((1, 2, 3), update)
    assert precision.lost(even, small, torch.bfloat16).item() == share
    if update != 0.5:
        assert precision.lost(stream, small, torch.bfloat16).item() == share


@pytest.mark.parametrize("name", ["bfloat16", "float16"])
@pytest.mark.parametrize("rms", [50.0, 300.0])
def test_the_share_follows_its_closed_form(name, rms):
    generator = torch.Generator().manual_seed(2)
    x, update = torch.randn(2, 1, 100, 1000, generator=generator)
    found = precision.lost(rms * x, update, precision.DTYPES[name]).item()
    law = precision.lost_law(rms, precision.BITS[name])
    assert found == pytest.approx(law, abs=0.005)


def test_sums_in_float64_are_plain_sums():
    x = torch.linspace(-1, 3, 3 * 8, dtype=torch.float64).view(3, 8)
    for total in (precision.one_by_one, precision.by_pairs):
        assert torch.allclose(total(x), x.sum(-1))


def test_a_sum_in_bfloat16_stands_still_at_256():
    ones = torch.ones(1024, dtype=torch.bfloat16)
    assert precision.one_by_one(ones).item() == 256
    assert precision.by_pairs(ones).item() == 1024


def test_a_stream_forgets_the_same_update_for_ever():
    start, update = torch.full((1, 2), 256.0), torch.full((5, 1, 2), 0.75)
    error = precision.running_error(start, update, torch.bfloat16)
    assert error.flatten().tolist() == [1] * 5
    assert precision.running_error(start, update, torch.float32).max() == 0


@pytest.mark.parametrize(
    ("eps", "size"), [(1e-5, 11**-0.5), (0.0, 1.0), (1e-6, 0.5**0.5)]
)
def test_epsilon_shrinks_a_row_by_its_formula(eps, size):
    row = torch.full((1, 1, 8), 1e-3, dtype=torch.float64)
    out = norms.normalise(row, "rms", eps)
    assert math.sqrt(out.square().mean()) == pytest.approx(size)


def test_every_claim_holds_at_the_defaults(small):
    assert outcomes(small) == {claim.id: "supported" for claim in CLAIMS}


def test_a_quiet_stream_loses_little_and_overflows_nowhere():
    found = outcomes(execute("low_precision", {"stream": 16.0, "width": 64}, SEEDS))
    assert found["bf16_loses_updates"] == "refuted"
    assert found["fp16_square_overflows"] == "refuted"
    assert found["fp32_statistics_repair"] == "supported"


def test_a_tiny_epsilon_refutes_the_shrinking():
    found = outcomes(execute("low_precision", {"epsilon": 1e-12, "width": 64}, SEEDS))
    assert found["large_epsilon_shrinks_small_rows"] == "refuted"


def test_float32_in_bfloat16s_place_loses_nothing(monkeypatch):
    formats = dict.fromkeys(precision.DTYPES, torch.float32)
    monkeypatch.setattr(precision, "DTYPES", formats)
    module = "sim.experiments.norm_placement.low_precision.DTYPES"
    monkeypatch.setattr(module, formats)
    found = outcomes(execute("low_precision", {"width": 64}, SEEDS))
    assert found["bf16_loses_updates"] == "refuted"
    assert found["float32_keeps_updates"] == "supported"


@pytest.mark.parametrize("name", ["float16", "float32"])
def test_the_stream_may_be_kept_in_any_format(name):
    run = execute("low_precision", {"format": name, "width": 64}, SEEDS)
    figure = next(f for f in run["figures"] if f["id"] == "running_sum")
    assert figure["series"][0]["name"]["en"] == name


def test_the_same_seeds_give_the_same_bytes(small):
    assert told(execute("low_precision", {}, SEEDS)) == told(small)


@pytest.mark.slow
def test_every_claim_holds_for_twenty_seeds_nobody_chose():
    run = execute("low_precision", {}, range(1009, 1029))
    assert set(outcomes(run).values()) == {"supported"}
