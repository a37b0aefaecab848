"""Attention logits: the contract in small, plain formulas as oracles, and what breaks it."""

import math
from dataclasses import replace

import pytest
import torch

from sim.core import Outcome, Result, judge
from sim.experiments.norm_placement import attention_logits
from sim.experiments.norm_placement.attention_logits import CLAIMS, Params
from sim.nets import altered, blocks, chance
from sim.nets.scores import entropy, largest, scores
from sim.nets.transformer import Transformer
from sim.running import execute

from .judged import outcomes, told

SEEDS = [200, 7, 2**31 - 1, 41, 3]
SMALL = {"depth": 2, "steps": 60, "width": 16, "factor": 20, "rate": 0.05}
PLAIN = Params(width=16, length=4).architecture(depth=2)
IDS = chance.symbols([5], 3, 4, PLAIN.vocabulary)


@pytest.fixture(scope="module")
def small():
    return execute("attention_logits", SMALL, SEEDS)


def test_the_claims_hold_in_small(small):
    found = outcomes(small)
    assert set(found) == {claim.id for claim in CLAIMS}
    # So narrow, even the bound is about half of what grows without it.
    del found["qk_norm_limits_training_growth"]
    assert set(found.values()) == {"supported"}


def test_the_same_seeds_give_the_same_bytes(small):
    assert told(execute("attention_logits", SMALL, SEEDS)) == told(small)


def test_scores_are_queries_times_keys_by_the_root_of_their_size():
    net = Transformer(PLAIN, [5])
    read = net.norm(net.blocks[0], "0", net.embed(IDS))  # (1, N, d)
    query, key, _ = (read @ net.blocks[0]["qkv"])[0].chunk(3, -1)
    heads = [z.view(3, 4, 2, 8).transpose(1, 2) for z in (query, key)]  # (B, H, T, d/H)
    expected = heads[0] @ heads[1].mT / math.sqrt(8)
    torch.testing.assert_close(scores(net, IDS)[0, 0], expected.double())


def test_masked_logits_count_for_nothing():
    net = Transformer(replace(PLAIN, causal=True), [5])
    found = scores(net, IDS)
    assert found.isinf().any()
    assert largest(found).isfinite().all()
    assert entropy(found[..., -1, :]).item() == pytest.approx(
        torch.distributions.Categorical(logits=found[..., -1, :])
        .entropy()
        .mean()
        .item()
    )


def test_qk_norm_reaches_its_bound_where_a_query_is_its_key():
    net = Transformer(replace(PLAIN, qk_norm=True), [5])
    with torch.no_grad():
        qkv = net.blocks[0]["qkv"]
        qkv[..., 16:32] = qkv[..., :16]
    own = scores(net, IDS)[0, 0].diagonal(dim1=-2, dim2=-1)  # (B, H, T)
    torch.testing.assert_close(
        own, torch.full_like(own, math.sqrt(8)), rtol=1e-3, atol=0
    )


def test_a_logit_that_overflows_is_the_largest():
    found = torch.tensor([[[-torch.inf, 2.0], [torch.inf, 1.0]], [[-3.0, 2.0]] * 2])
    assert largest(found).tolist() == [torch.inf, 3]


def test_sharpening_leaves_values_alone():
    plain, sharp = Transformer(PLAIN, [5]), Transformer(PLAIN, [5])
    altered.sharpen(sharp, 3)
    for before, after in zip(plain.blocks, sharp.blocks, strict=True):
        query_key, value = before["qkv"].split([32, 16], -1)
        expected = torch.cat([3 * query_key, value], -1)
        torch.testing.assert_close(after["qkv"], expected)


def test_without_its_norms_qk_norm_bounds_nothing(monkeypatch):
    def without(*args, qk_norm=False, **more):
        return blocks_attention(*args, **more)

    blocks_attention = blocks.attention
    monkeypatch.setattr(blocks, "attention", without)
    found = outcomes(execute("attention_logits", SMALL | {"steps": 30}, SEEDS))
    for name in ("qk_norm_bounds", "qk_norm_keeps_entropy"):
        assert found[name] == "refuted"
    assert found["logits_quadratic"] == "supported"


def test_a_low_rate_grows_no_logits():
    run = execute("attention_logits", SMALL | {"rate": 0.0005}, SEEDS)
    assert outcomes(run)["logits_grow_in_training"] == "refuted"


def test_the_curves_begin_before_training_and_end_after_it(small):
    figure = next(f for f in small["figures"] if f["id"] == "training")
    for series in figure["series"]:
        assert (series["x"][0], series["x"][-1]) == (0, SMALL["steps"])
        assert series["x"] == sorted(set(series["x"]))
    high = next(s for s in figure["series"] if s["key"] == "1")
    assert high["y"][-1] > high["y"][0]


def test_another_gradient_would_refute_the_claim_about_z_loss():
    claim = next(claim for claim in CLAIMS if claim.id == "z_loss_gradient")
    assert attention_logits._z_loss_error(5).item() < 1e-12
    wrong = Result(metrics={claim.metric: [0.1] * 5})
    assert judge(claim, wrong).outcome is Outcome.REFUTED


@pytest.mark.slow
def test_every_claim_holds_at_full_size_on_seeds_nobody_chose():
    found = outcomes(execute("attention_logits", {}, [1009, 2003, 3001, 4001, 5003]))
    assert set(found.values()) == {"supported"}
