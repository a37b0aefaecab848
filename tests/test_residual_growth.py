"""Growth of the residual stream: the contract in small, and what does not matter."""

import pytest

from sim.experiments.norm_placement.residual_growth import CLAIMS
from sim.nets import blocks, figures
from sim.running import execute

from .judged import outcomes, told

SEEDS = [200, 7, 2**31 - 1, 41, 3]
SMALL = {"depth": 12, "length": 4}
SETTLED = {
    "post_stream_unit",
    "pre_stream_grows",
    "pre_ratio_falls",
    "scaled_stream_bounded",
    "same_weights_differ",
}


@pytest.fixture(scope="module")
def small():
    return execute("residual_growth", SMALL, SEEDS)


def test_the_claims_hold_in_small(small):
    found = outcomes(small)
    assert set(found) == {claim.id for claim in CLAIMS}
    assert {found[name] for name in SETTLED} == {"supported"}
    assert found["unnormalised_grows_geometrically"] == "supported"


@pytest.mark.parametrize(
    "other",
    [
        {"activation": "gelu"},
        {"activation": "tanh"},
        {"heads": 1},
        {"operator": "rms"},
        {"operator": "scale"},
        {"operator": "batch"},
    ],
    ids=str,
)
def test_activation_heads_and_operator_change_no_verdict(other):
    found = outcomes(execute("residual_growth", SMALL | other, SEEDS))
    assert {found[name] for name in SETTLED} == {"supported"}


def test_the_same_seeds_give_the_same_bytes(small):
    assert told(execute("residual_growth", SMALL, SEEDS)) == told(small)


def test_a_seed_gives_the_same_values_in_any_company(small):
    turned = execute("residual_growth", SMALL, SEEDS[::-1])["metrics"]
    for name, values in small["metrics"].items():
        assert values[::-1] == pytest.approx(turned[name], rel=1e-3, abs=1e-4), name


def test_swapping_the_placements_refutes_the_claims(monkeypatch):
    rules = dict(blocks.RULES)
    rules["pre"], rules["post"] = rules["post"], rules["pre"]
    monkeypatch.setattr(blocks, "RULES", rules)
    found = outcomes(execute("residual_growth", SMALL, SEEDS))
    for name in ("post_stream_unit", "pre_stream_grows", "pre_change_falls"):
        assert found[name] == "refuted"


def test_deep_stacks_without_norms_do_not_overflow():
    deep = execute("residual_growth", SMALL | {"depth": 48}, SEEDS)
    assert all(0 < slope < 3 for slope in deep["metrics"]["unnormalised_log_slope"])


@pytest.mark.parametrize("also", ["sandwich", "scaled", "rezero"])
def test_a_further_placement_is_drawn_and_changes_nothing_else(also, small):
    run = execute("residual_growth", SMALL | {"also": also}, SEEDS)
    assert run["metrics"] == small["metrics"]
    for figure, without in zip(run["figures"], small["figures"], strict=True):
        extra = [s for s in figure["series"] if s not in without["series"]]
        names = [s["name"]["en"] for s in extra]
        shown = figure["id"] in {"streams", "angles"}
        assert names == ([figures.NAMES[also][0].en] if shown else [])


@pytest.mark.slow
def test_every_claim_holds_at_full_size_on_seeds_nobody_chose():
    found = outcomes(execute("residual_growth", {}, [1009, 2003, 3001, 4001, 5003]))
    assert set(found.values()) == {"supported"}
