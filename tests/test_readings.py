"""Which layer broke first: the order in which signs are judged."""

import pytest

from sim.nets.monitoring.readings import Broken, Layer, Reading


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
