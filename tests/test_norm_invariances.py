"""What norms do not notice: torch's operators as oracle, a plain loop, one run in small."""

import pytest
import torch
from torch.nn import functional

from sim.experiments.norm_placement.norm_invariances import CLAIMS
from sim.nets import norms
from sim.nets.learning.descent import descend
from sim.nets.operators import invariances
from sim.running import execute

from .judged import outcomes, told

SEEDS = [3, 2**31 - 1, 77, 12, 105]
SMALL = {"width": 16}
RUN = {"width": 8, "rows": 4, "steps": 3, "rate": 0.3}


@pytest.fixture(scope="module")
def small():
    return execute("norm_invariances", SMALL, SEEDS)


@pytest.fixture
def x():
    return torch.linspace(-2, 5, 64, dtype=torch.float64).sin().view(1, 4, 16) + 0.3


def test_the_operators_are_those_of_torch(x):
    torchs = {
        "layer": functional.layer_norm(x, (16,), eps=0.0),
        "rms": functional.rms_norm(x, (16,), eps=1e-30),
        "scale": functional.normalize(x, dim=-1),
        "tanh": torch.tanh(0.5 * x),
    }
    assert set(torchs) == set(invariances.NAMES)
    for name, expected in torchs.items():
        assert torch.allclose(invariances.output(x, name), expected, atol=1e-12)


def test_distance_is_relative_to_the_second(x):
    assert invariances.apart(3 * x, x).tolist() == pytest.approx([2])
    assert invariances.apart(x, x).tolist() == [0]


def test_a_path_is_that_of_a_plain_loop():
    path = descend([5, 6], "rms", decay=0.1, **RUN)
    for place, seed in enumerate([5, 6]):
        alone = descend([seed], "rms", decay=0.1, **RUN)
        assert torch.allclose(path.squares[:, place], alone.squares[:, 0], rtol=1e-12)
    lengths = path.squares.sqrt()
    steps = (
        path.angles(0.3) * lengths[:-1]
    )  # decay shortens, the step is at right angles
    expected = (0.97 * lengths[:-1]) ** 2 + steps**2
    assert torch.allclose(path.squares[1:], expected, rtol=1e-12)


def test_the_gradient_is_that_of_finite_differences():
    path = descend([5], "layer", **RUN | {"steps": 1})
    nudged = [descend([5], "layer", **RUN | {"steps": 1, "rate": r}) for r in (0, 1e-6)]
    moved = nudged[1].squares[1] - nudged[0].squares[1]
    assert moved.item() == pytest.approx(1e-12 * path.pulls.item(), rel=1e-2)


def test_every_claim_holds_in_small(small):
    assert outcomes(small) == {claim.id: "supported" for claim in CLAIMS}


@pytest.mark.parametrize("operator", ["rms", "scale"])
def test_any_norm_may_follow_the_weights(operator):
    found = outcomes(execute("norm_invariances", SMALL | {"operator": operator}, SEEDS))
    for name in ("gradient_orthogonal_to_weight", "weight_norm_only_grows"):
        assert found[name] == "supported"


def test_without_a_norm_the_gradient_is_not_orthogonal():
    found = outcomes(execute("norm_invariances", SMALL | {"operator": "none"}, SEEDS))
    for name in ("gradient_orthogonal_to_weight", "weight_norm_only_grows"):
        assert found[name] == "refuted"
    assert found["ln_is_centred_rms"] == "supported"


def test_exchanging_layer_norm_and_rms_norm_refutes_the_shift_claims(monkeypatch):
    true = norms.normalise
    other = {"layer": "rms", "rms": "layer"}
    monkeypatch.setattr(
        norms, "normalise", lambda x, name, eps: true(x, other.get(name, name), eps)
    )
    found = outcomes(execute("norm_invariances", SMALL, SEEDS))
    assert found["ln_shift_invariant"] == "refuted"
    assert found["rms_not_shift_invariant"] == "refuted"
    assert found["norms_scale_invariant"] == "supported"


def test_the_bounds_leave_room_for_the_least_shift_and_scaling():
    generator = torch.Generator().manual_seed(7)
    z = torch.randn(2, 1, 256, 256, generator=generator, dtype=torch.float64)
    table = invariances.table(0.7 + 2 * z[0], z[1] / 16, factor=2, shift=1)[..., 0]
    layer, rms, _, tanh = table.tolist()
    claims = {claim.id: claim for claim in CLAIMS}
    assert claims["rms_not_shift_invariant"].holds(rms[1])
    assert claims["column_scale_changes"].holds(min(layer[3], rms[3]))
    assert claims["tanh_not_scale_invariant"].holds(tanh[0])


def test_the_same_seeds_give_the_same_bytes(small):
    assert told(execute("norm_invariances", SMALL, SEEDS)) == told(small)


@pytest.mark.slow
def test_every_claim_holds_at_full_size_on_seeds_nobody_chose():
    run = execute("norm_invariances", {}, [1009, 2003, 3001, 4001, 5003])
    assert set(outcomes(run).values()) == {"supported"}
