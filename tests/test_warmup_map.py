"""The map of warmup and rate: the contract in small, and what a map is made of."""

import pytest
import torch

from sim.experiments.norm_placement import warmup_map
from sim.experiments.norm_placement.warmup_map import BATCH, CLAIMS, Params
from sim.nets.controls import SYMBOLS
from sim.nets.learning.training import Schedule, train
from sim.nets.markov import Chain
from sim.nets.transformer import Transformer
from sim.running import execute

from .judged import outcomes, told

SEEDS = [200, 7, 2**31 - 1, 41, 3]
SMALL = {"depth": 1, "width": 16, "heads": 1, "length": 2, "hidden": 1, "steps": 20}


@pytest.fixture(scope="module")
def small():
    return execute("warmup_map", SMALL, SEEDS)


def test_a_run_in_small_keeps_the_contract(small):
    assert {v["claim"] for v in small["verdicts"]} == {claim.id for claim in CLAIMS}
    assert all(len(values) == len(SEEDS) for values in small["metrics"].values())
    assert [figure["kind"] for figure in small["figures"]] == ["heat", "heat", "line"]


def test_a_map_has_a_row_for_each_warmup_and_a_column_for_each_rate(small):
    params = Params(**SMALL)
    assert params.warmups == [0, 20, 50]
    assert params.rates == pytest.approx([0.003, 0.006, 0.012, 0.024])
    for figure in small["figures"][:2]:
        assert [row["name"]["en"] for row in figure["series"]] == [
            "0 steps",
            "20 steps",
            "50 steps",
        ]
        assert all(row["x"] == pytest.approx(params.rates) for row in figure["series"])


def test_a_place_on_the_map_is_one_network_trained_alone(small):
    params = Params(**SMALL)
    chain = Chain(SEEDS, SYMBOLS)
    batches = chain.sample(params.steps, BATCH, params.length)
    net = Transformer(params.architecture(depth=1, causal=True), SEEDS)
    curves = train(net, [Schedule(rate=0.006, warmup=20)] * len(SEEDS), batches)
    gap = chain.gap(curves.loss)[-10:].mean(0)
    shown = small["figures"][0]["series"][1]
    assert shown["y"][1] == pytest.approx(gap.median().item(), rel=1e-3)
    assert shown["high"][1] == pytest.approx(gap.max().item(), rel=1e-3)


def test_a_single_layer_needs_no_warmup_wherever_its_norm_stands():
    """So the claims about Post-Norm can fail."""
    shallow = execute("warmup_map", SMALL | {"width": 32, "steps": 90}, SEEDS)
    verdicts = outcomes(shallow)
    assert verdicts["post_needs_warmup_at_high_rate"] == "refuted"
    assert verdicts["warmup_widens_post"] == "refuted"


def test_the_same_seeds_give_the_same_bytes(small):
    assert told(execute("warmup_map", SMALL, SEEDS)) == told(small)


def test_shares_are_of_the_places_that_train():
    class Taught:
        def final_gap(self, place):
            trains = place.placement == "pre" or place.rate < 0.01
            return torch.full((2,), 0.2 if trains else 0.9)

    params = Params()
    share = (warmup_map._map(params, Taught(), "post") < 0.5).double().mean((0, 1))
    assert share.tolist() == [0.5, 0.5]


@pytest.mark.slow
def test_every_claim_holds_at_full_size():
    run = execute("warmup_map", {}, [1009, 2003, 3001, 4001, 5003])
    assert {v["outcome"] for v in run["verdicts"]} == {"supported"}
