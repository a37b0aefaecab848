"""Gradient flow at initialisation: the contract in small, and what breaking it does."""

import pytest

from sim.core import Outcome, Result, judge
from sim.experiments.norm_placement import gradient_flow
from sim.experiments.norm_placement.gradient_flow import CLAIMS, Params
from sim.nets import blocks, figures
from sim.running import execute

from .judged import outcomes, told

SEEDS = [200, 7, 2**31 - 1, 41, 3]
SMALL = {"depth": 8, "width": 16, "heads": 2, "length": 2}
EXACT = {"pre_identity_exact", "post_identity_decays", "norm_jacobian_scale"}


@pytest.fixture(scope="module")
def small():
    return execute("gradient_flow", SMALL, SEEDS)


def test_the_exact_claims_hold_in_small(small):
    found = outcomes(small)
    assert set(found) == {claim.id for claim in CLAIMS}
    assert {found[name] for name in EXACT} == {"supported"}


@pytest.mark.parametrize("operator", ["rms", "batch", "scale"])
def test_the_path_of_ones_does_not_depend_on_the_operator(operator):
    found = outcomes(execute("gradient_flow", SMALL | {"operator": operator}, SEEDS))
    assert {found[name] for name in EXACT} == {"supported"}


def test_the_same_seeds_give_the_same_bytes(small):
    assert told(execute("gradient_flow", SMALL, SEEDS)) == told(small)


def test_a_seed_gives_the_same_values_in_any_company(small):
    turned = execute("gradient_flow", SMALL, SEEDS[::-1])["metrics"]
    for name, values in small["metrics"].items():
        if not name.endswith("decades"):  # a vanished gradient is rounding error
            assert values[::-1] == pytest.approx(turned[name], rel=1e-3), name


def test_swapping_the_placements_refutes_the_claims(monkeypatch):
    rules = dict(blocks.RULES)
    rules["pre"], rules["post"] = rules["post"], rules["pre"]
    monkeypatch.setattr(blocks, "RULES", rules)
    found = outcomes(execute("gradient_flow", SMALL, SEEDS))
    assert found["pre_identity_exact"] == "refuted"
    assert found["post_identity_decays"] == "refuted"


def test_figures_hold_a_band_over_the_seeds(small):
    for figure in small["figures"]:
        for series in figure["series"]:
            assert len(series["x"]) == len(series["y"])
            if series["key"] != "t":
                band = zip(series["low"], series["y"], series["high"], strict=True)
                assert all(low <= middle <= high for low, middle, high in band)
    assert [figure["id"] for figure in small["figures"]] == [
        "weights",
        "last",
        "streams",
        "queries",
    ]


def test_progress_rises_to_one():
    seen = []
    gradient_flow.run(Params(**SMALL), SEEDS, seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == pytest.approx(1)


@pytest.mark.parametrize("also", ["sandwich", "residual_dual", "rezero"])
def test_a_further_placement_is_drawn_and_changes_nothing_else(also, small):
    run = execute("gradient_flow", SMALL | {"also": also}, SEEDS)
    assert run["metrics"] == small["metrics"]
    for figure, without in zip(run["figures"], small["figures"], strict=True):
        extra = [s for s in figure["series"] if s not in without["series"]]
        assert [s["name"]["en"] for s in extra] == [figures.NAMES[also][0].en]
        assert len(figure["series"]) == len(without["series"]) + 1
        assert all(y > 0 for y in extra[0]["y"])  # logarithmic


@pytest.mark.slow
def test_every_claim_holds_at_full_size_on_seeds_nobody_chose():
    found = outcomes(execute("gradient_flow", {}, [1009, 2003, 3001, 4001, 5003]))
    assert set(found.values()) == {"supported"}


def test_flat_gradients_would_refute_the_fall():
    claim = next(claim for claim in CLAIMS if claim.id == "pre_last_falls")
    flat = Result(metrics={claim.metric: [0.0] * 5})
    assert judge(claim, flat).outcome is Outcome.REFUTED
