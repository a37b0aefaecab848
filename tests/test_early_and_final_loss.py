"""Early lead and final loss: the contract in small, and who is compared with whom."""

import pytest
import torch

from sim.core import Outcome, judge
from sim.experiments.norm_placement import early_and_final_loss
from sim.experiments.norm_placement.early_and_final_loss import (
    BATCH,
    CLAIMS,
    FINAL,
    Params,
)
from sim.nets.controls import SYMBOLS
from sim.nets.learning.training import Schedule, train
from sim.nets.markov import Chain
from sim.nets.transformer import Transformer
from sim.running import execute

from .judged import outcomes, told

SEEDS = [200, 7, 2**31 - 1, 41, 3]
SMALL = {
    "depth": 1,
    "width": 16,
    "heads": 1,
    "length": 2,
    "hidden": 1,
    "steps": 100,
    "warmup": 10,
}


@pytest.fixture(scope="module")
def small():
    return execute("early_and_final_loss", SMALL, SEEDS)


def test_a_run_in_small_keeps_the_contract(small):
    assert {v["claim"] for v in small["verdicts"]} == {claim.id for claim in CLAIMS}
    assert all(len(values) == len(SEEDS) for values in small["metrics"].values())
    assert [len(figure["series"]) for figure in small["figures"]] == [4, 3]


def test_each_placement_is_judged_at_its_better_rate(small):
    params = Params(**SMALL)
    chain = Chain(SEEDS, SYMBOLS)
    batches = chain.sample(params.steps, BATCH, params.length)
    ends = []
    for rate in (0.006, 0.002):
        net = Transformer(params.architecture(depth=1, causal=True), SEEDS)
        curves = train(net, [Schedule(rate=rate, warmup=10)] * len(SEEDS), batches)
        ends.append(chain.gap(curves.loss)[-FINAL:].mean(0))
    found = small["metrics"]["pre_final_gap"]
    assert found == pytest.approx(torch.stack(ends).amin(0).tolist(), rel=1e-3)


def test_with_pre_norm_on_both_sides_there_is_no_difference(monkeypatch):
    """So the claims about a lead can fail."""
    monkeypatch.setattr(early_and_final_loss, "replace", lambda pre, **_: pre)
    result = early_and_final_loss.run(Params(**SMALL), SEEDS, lambda _: None)
    assert result.metrics["early_pre_minus_post"] == pytest.approx([0] * 5, abs=1e-6)
    judged = {claim.id: judge(claim, result).outcome for claim in CLAIMS}
    assert judged["pre_leads_early"] is not Outcome.SUPPORTED
    assert judged["post_final_better"] is not Outcome.SUPPORTED
    assert judged["final_difference_small"] is Outcome.SUPPORTED


def test_the_same_seeds_give_the_same_bytes(small):
    assert told(execute("early_and_final_loss", SMALL, SEEDS)) == told(small)


@pytest.mark.slow
def test_the_lead_is_early_and_the_end_is_close_at_full_size():
    run = execute("early_and_final_loss", {}, [1009, 2003, 3001, 4001, 5003])
    judged = outcomes(run)
    assert judged["pre_leads_early"] == "supported"
    assert judged["final_difference_small"] == "supported"
    assert judged["post_final_better"] != "supported"
