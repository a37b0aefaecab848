"""Which layer broke first: the order in which signs are judged, of what numbers."""

from math import inf, isnan, nan

import pytest
import torch
from torch import nn

from sim.nets.monitoring.readings import Broken, Layer, Reading
from sim.nets.probes import Monitor


def layer(name, **values):
    return Layer(name=name, **values)


@pytest.mark.parametrize(
    ("values", "sign"),
    [
        ({"logit": 2e3, "rms": 1.0}, "largest attention logit"),
        ({"logit": 10.0, "rms": float("inf")}, "activation RMS"),
        ({"rms": 1.0, "gradient": 0.0}, "gradient norm"),
        ({"rms": 1.0, "gradient": float("nan")}, "gradient norm"),
        ({"rms": 1.0, "gradient": 1.0, "update": 0.9}, "update over weight"),
        ({"rms": 1.0, "gradient": 1.0, "update": 0.01}, None),
    ],
)
def test_without_a_healthy_reading_only_the_unsurvivable_counts(values, sign):
    found = Reading(layers=[layer("a", rms=1.0), layer("b", **values)]).broken()
    assert (found.layer, found.sign) == ("b", sign) if sign else found is None


def test_gradients_are_judged_from_the_end_since_they_flow_backward():
    usual = Reading(layers=[layer(n, rms=1.0, gradient=1.0) for n in "abcd"])
    sizes = zip("abcd", (100.0, 50.0, 20.0, 1.0), strict=True)
    broken = Reading(layers=[layer(n, rms=1.0, gradient=g) for n, g in sizes])
    found = broken.broken([usual])
    assert isinstance(found, Broken)
    assert (found.layer, found.usual) == ("c", 1.0)
    assert str(found) == "c: gradient norm is 20, usually at most 1"


def test_a_forward_sign_goes_before_a_gradient_and_an_update():
    usual = Reading(layers=[layer(n, rms=1.0, gradient=1.0, update=0.01) for n in "ab"])
    first = layer("a", rms=1.0, gradient=90.0, update=0.4)
    second = layer("b", rms=8.0, gradient=90.0, update=0.4)
    found = Reading(layers=[first, second]).broken([usual])
    assert isinstance(found, Broken)
    assert (found.layer, found.sign) == ("b", "activation RMS")


@pytest.mark.parametrize("values", [(nan, 1.0), (1.0, nan), (inf, nan), (nan, inf)])
def test_no_place_hides_a_branch_that_is_not_a_number(values):
    branches = dict(zip("pq", values, strict=True))
    shown = Reading(layers=[layer("a", branches=branches)])
    assert isnan(shown["a"].branch)
    assert "nan" in str(shown)


@pytest.mark.parametrize("updates", [(0.9, nan), (nan, 0.9)])
def test_no_place_hides_an_update_that_is_not_a_number(updates):
    layers = [layer(n, update=u) for n, u in zip("ab", updates, strict=True)]
    assert isnan(Reading(layers=layers).broken().value)


@pytest.mark.parametrize(
    ("healthy", "reason"),
    [
        ([], "no gradient arrives"),
        ([1.0], "no gradient arrives"),
        ([None], "no gradient arrives"),
        ([0.0], None),
        ([0.0, 1.0], None),
    ],
)
def test_a_gradient_of_zero_is_usual_where_it_was_before(healthy, reason):
    readings = [Reading(layers=[layer("a", gradient=g)]) for g in healthy]
    found = Reading(layers=[layer("a", gradient=0.0)]).broken(readings)
    assert found.reason == reason if reason else found is None


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float64, torch.complex64])
def test_numbers_of_every_kind_are_measured_in_no_less_than_single(dtype):
    model = nn.Sequential(*(nn.Linear(4, 4, dtype=dtype) for _ in range(2)))
    x = torch.full((2, 4), 2.0).to(dtype)
    with Monitor(model) as monitor:
        y = model(x)
        y.abs().square().mean().backward()
        with torch.no_grad():
            for weight in model.parameters():
                weight -= 0.1 * weight.grad
    reading = monitor.read()
    wide = torch.promote_types(dtype, torch.float32)
    assert reading["0"].input == 2.0
    expected = y.detach().to(wide).abs().square().mean().sqrt().item()
    assert reading["1"].rms == pytest.approx(expected, rel=1e-6)
    assert all(layer.gradient > 0 and layer.update > 0 for layer in reading.layers)


def test_a_double_too_large_for_single_precision_is_finite():
    model = nn.Linear(2, 2, dtype=torch.float64)
    with Monitor(model) as monitor:
        model(torch.full((1, 2), 1e100, dtype=torch.float64))
    assert monitor.read()["model"].input == pytest.approx(1e100)


def test_a_model_without_numbers_is_refused_in_words():
    model = nn.Linear(4, 4, device="meta")
    with Monitor(model) as monitor:
        model(torch.ones(2, 4, device="meta"))
        with pytest.raises(RuntimeError, match="meta device has no numbers"):
            monitor.read()
