"""Jacobians of norms: the closed form, torch's own derivative, and one run in small."""

import pytest
import torch
from torch.nn import functional

from sim.experiments.norm_placement.norm_jacobian import CLAIMS, lost
from sim.nets import chance, norms
from sim.nets.operators.jacobians import back, entering, jacobian, size
from sim.running import execute

from .judged import outcomes, told

SEEDS = [3, 2**31 - 1, 77, 12, 105]
SMALL = {"width": 16}


@pytest.fixture(scope="module")
def small():
    return execute("norm_jacobian", SMALL, SEEDS)


@pytest.fixture
def x():
    return chance.tensor([chance.normal(5, "x", 3, 16)]).double() * 2 + 1  # (1, 3, 16)


def test_layer_norms_jacobian_is_two_projections_over_the_size(x):
    one = torch.eye(16, dtype=torch.float64)
    for row, found in zip(x[0], jacobian(x, "layer", 0.0)[0], strict=True):
        y = row - row.mean()
        unit = y / y.norm()
        expected = (one - torch.outer(unit, unit)) @ (one - 1 / 16) * 4 / y.norm()
        assert torch.allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("eps", [0.0, 1e-3])
def test_torch_derives_the_same(x, eps):
    def layer(row):
        return functional.layer_norm(row, (16,), eps=eps)

    def rms(row):
        return functional.rms_norm(row, (16,), eps=eps)

    for operator, function in (("layer", layer), ("rms", rms)):
        whole = torch.autograd.functional.jacobian(function, x[0, 1])
        assert torch.allclose(jacobian(x, operator, eps)[0, 1], whole, atol=1e-12)


def test_back_is_what_backpropagation_does(x):
    gradient = torch.linspace(-1, 1, 48, dtype=torch.float64).view(1, 3, 16)
    leaf = x.clone().requires_grad_()
    (norms.normalise(leaf, "rms", 0.0) * gradient).sum().backward()
    assert torch.allclose(back(jacobian(x, "rms", 0.0), gradient), leaf.grad)


def test_only_layer_norm_centres_and_no_norm_has_size_one(x):
    assert entering(x, "layer").mean(-1).abs().max() < 1e-12
    assert torch.equal(entering(x, "rms"), x)
    assert torch.equal(size(x, "none"), torch.ones(1, 3, dtype=torch.float64))
    assert torch.allclose(size(x, "layer"), x.std(-1, correction=0))


def test_small_singular_values_count_as_none():
    spectra = torch.tensor([[[1.0, 1e-12, 0.0], [2.0, 1.0, 1e-12]]])
    assert lost(spectra).tolist() == [1.5]


def test_every_claim_holds_in_small(small):
    assert outcomes(small) == {claim.id: "supported" for claim in CLAIMS}


def test_a_positive_epsilon_lets_the_radial_direction_through():
    found = outcomes(execute("norm_jacobian", SMALL | {"epsilon": 1e-3}, SEEDS))
    for name in (
        "norm_scale_exact",
        "ln_two_null_directions",
        "rms_one_null_direction",
        "jacobian_inverse_in_scale",
        "gradient_orthogonal_to_input",
    ):
        assert found[name] == "refuted"
    assert found["identity_has_none"] == "supported"


def test_forgetting_to_centre_refutes_the_rank_of_layer_norm(monkeypatch):
    true = norms.normalise
    monkeypatch.setattr(
        norms,
        "normalise",
        lambda x, operator, eps: true(
            x, "rms" if operator == "layer" else operator, eps
        ),
    )
    found = outcomes(execute("norm_jacobian", SMALL, SEEDS))
    assert found["ln_two_null_directions"] == "refuted"
    assert found["rms_one_null_direction"] == "supported"


def test_the_same_seeds_give_the_same_bytes(small):
    assert told(execute("norm_jacobian", SMALL, SEEDS)) == told(small)


def test_the_heat_map_shows_what_each_operator_erases(small):
    heat = next(f for f in small["figures"] if f["id"] == "what_survives")
    layer, rms, none = (row["y"] for row in heat["series"])
    assert max(layer[:2]) < 1e-9 < layer[2]
    assert rms[1] < 1e-9 < rms[0]
    assert none == pytest.approx([1, 1, 1])


@pytest.mark.slow
def test_every_claim_holds_at_full_size_on_seeds_nobody_chose():
    run = execute("norm_jacobian", {"width": 128}, [1009, 2003, 3001, 4001, 5003])
    assert set(outcomes(run).values()) == {"supported"}
