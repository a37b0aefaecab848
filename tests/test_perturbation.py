"""Noise and gradient steps: the contract in small, plain loops as oracles, and what breaks it."""

import math
from dataclasses import replace
from statistics import median

import pytest
import torch

from sim.core import Outcome, Result, judge
from sim.experiments.norm_placement.perturbation import CLAIMS, Params
from sim.nets import altered, blocks, chance
from sim.nets.transformer import Transformer
from sim.running import execute

from .judged import outcomes, told

SEEDS = [200, 7, 2**31 - 1, 41, 3]
SMALL = {"depth": 32, "width": 16, "heads": 2, "length": 2, "networks": 4}


@pytest.fixture(scope="module")
def small():
    return execute("perturbation", SMALL, SEEDS)


def medians(run):
    return {name: median(values) for name, values in run["metrics"].items()}


def test_the_order_of_the_placements_holds_in_small(small):
    assert {verdict["claim"] for verdict in small["verdicts"]} == {c.id for c in CLAIMS}
    found = medians(small)
    assert found["deepnorm_noise_slope"] < 0.2 < found["pre_noise_slope"]
    assert found["pre_noise_slope"] + 0.3 < found["post_noise_slope"]
    assert found["deepnorm_step_ratio"] < 2 < found["pre_step_ratio"]
    assert found["step_post_to_pre"] > 1


def test_the_same_seeds_give_the_same_bytes(small):
    assert told(execute("perturbation", SMALL, SEEDS)) == told(small)


def test_other_placements_under_the_names_turn_the_verdicts(small, monkeypatch):
    rules = dict(blocks.RULES)
    rules["pre"], rules["post"], rules["deepnorm"] = (
        blocks.RULES[name] for name in ("post", "pre", "post")
    )
    monkeypatch.setattr(blocks, "RULES", rules)
    run = execute("perturbation", SMALL, SEEDS)
    judged = outcomes(run)
    assert judged["deepnorm_noise_flat"] == "refuted"
    assert judged["deepnorm_step_bounded"] == "refuted"
    swapped, found = medians(run), medians(small)
    assert swapped["pre_noise_slope"] == pytest.approx(found["post_noise_slope"])
    assert swapped["step_post_to_pre"] < 1


def test_a_step_moves_matrices_against_their_gradient_and_nothing_else():
    """Against backward() on one network alone, in float64."""
    architecture = replace(Params(width=16).architecture(depth=2), placement="post")
    ids, targets = (chance.symbols(s, 2, 8, 16) for s in ([5, 6], [7, 8]))
    both = Transformer(architecture, [5, 6], torch.float64)
    altered.descend(both, both.losses(ids, targets), 0.1)
    alone = Transformer(architecture, [6], torch.float64)
    alone.losses(ids[1:], targets[1:]).sum().backward()
    for block, moved in zip(alone.blocks, both.blocks, strict=True):
        for name, weight in block.items():
            step = 0.1 * weight.grad if name in altered.MATRICES else 0
            torch.testing.assert_close(moved[name][1:], weight - step)


def test_logarithmic_growth_would_refute_the_claim_about_steps():
    claim = next(claim for claim in CLAIMS if claim.id == "one_step_not_logarithmic")
    law = math.log(1 + 32) / math.log(1 + 2)
    assert judge(claim, Result(metrics={claim.metric: [law] * 5})).outcome is (
        Outcome.REFUTED
    )


@pytest.mark.slow
def test_every_claim_holds_at_full_size_on_seeds_nobody_chose():
    run = execute("perturbation", {}, [1009, 2003, 3001, 4001, 5003])
    found = outcomes(run)
    assert set(found.values()) <= {"supported", "inconclusive"}
    assert (
        found["deepnorm_step_bounded"] == found["one_step_post_larger"] == "supported"
    )
