"""Depth laws: the network of the theory in small, and what breaking it does."""

from dataclasses import replace

import pytest
import torch

from sim.experiments.norm_placement.depth_laws import CLAIMS, SLOPES, Params
from sim.nets import altered, blocks, chance
from sim.nets.probes import gradients
from sim.nets.transformer import Trace, Transformer
from sim.running import execute

from .judged import outcomes, told

SEEDS = [200, 7, 2**31 - 1, 41, 3]
SMALL = {"depth": 16, "width": 32, "length": 2, "networks": 8}
STEADY = {"pre_stream_slope_half", "post_net_gradient_stable", "pre_first_over_last"}


@pytest.fixture(scope="module")
def small():
    return execute("depth_laws", SMALL, SEEDS)


def test_the_laws_hold_in_small(small):
    assert {verdict["claim"] for verdict in small["verdicts"]} == {c.id for c in CLAIMS}
    median = {v["claim"]: v["effect"] for v in small["verdicts"]}
    for claim in CLAIMS:
        if claim.id in STEADY:
            assert claim.holds(median[claim.id]), claim.id
    assert abs(median["post_last_slope_zero"]) < 0.2
    assert -0.7 < median["pre_last_slope_half"] < -0.3


def test_the_same_seeds_give_the_same_bytes(small):
    assert told(execute("depth_laws", SMALL, SEEDS)) == told(small)


def test_a_seed_gives_the_same_values_in_any_company(small):
    turned = execute("depth_laws", SMALL, SEEDS[::-1])["metrics"]
    for name, values in small["metrics"].items():
        assert values[::-1] == pytest.approx(turned[name], rel=1e-5), name


def test_swapping_the_placements_refutes_the_claims(monkeypatch):
    rules = dict(blocks.RULES)
    rules["pre"], rules["post"] = rules["post"], rules["pre"]
    monkeypatch.setattr(blocks, "RULES", rules)
    found = outcomes(execute("depth_laws", SMALL, SEEDS))
    for name in ("post_last_slope_zero", "pre_last_slope_half", *STEADY):
        assert found[name] == "refuted", name


def test_a_wider_feed_forward_adds_less(small):
    wide = execute("depth_laws", SMALL | {"hidden": 4}, SEEDS)
    assert outcomes(wide)["pre_stream_slope_half"] == "refuted"
    assert max(wide["metrics"]["pre_stream_slope"]) < 0.45


def test_uniform_attention_averages_and_none_adds_nothing():
    architecture = replace(Params(width=16, length=4).architecture(depth=1), heads=2)
    ids = chance.symbols([5], 2, 4, architecture.vocabulary)
    for mixing in ("uniform", "none"):
        net = altered.mix(Transformer(architecture, [5]), mixing)
        trace = Trace()
        net.stream(net.embed(ids), trace)
        block, read = net.blocks[0], net.norm(net.blocks[0], "0", trace.inputs[0])
        value = read @ block["qkv"][..., 32:] @ block["out"]  # (1, N, d)
        mean = value.view(2, 4, 16).mean(1, keepdim=True).expand(2, 4, 16)
        expected = mean if mixing == "uniform" else torch.zeros_like(mean)
        torch.testing.assert_close(trace.branches[0].view(2, 4, 16), expected)


def test_the_last_gradient_is_the_one_that_the_final_norm_lets_through():
    """Closed form: hidden activations against the readout times the norm's Jacobian."""
    architecture = Params(width=16, length=2).architecture(depth=2)
    net = altered.mix(Transformer(architecture, [3]), "none")
    ids = chance.symbols([3], 2, 2, architecture.vocabulary)
    readout = chance.readout([3], 4, 16)
    found = gradients(net, ids, readout).down[-1].item()
    trace = Trace()
    end = net.stream(net.embed(ids), trace)[0].detach().double()  # (N, d)
    y = end - end.mean(-1, keepdim=True)
    size = (y.square().mean(-1, keepdim=True) + 1e-5).sqrt()
    r, hat = readout[0].double(), y / size
    back = r - r.mean(-1, keepdim=True) - hat * (r * hat).mean(-1, keepdim=True)
    block = net.blocks[1]
    read = net.norm(block, "1", trace.inputs[3])
    hidden = (read @ block["up"])[0].relu().detach().double()  # (N, F)
    assert found == pytest.approx((hidden.T @ (back / size)).norm().item(), rel=1e-4)


def test_slopes_are_drawn_with_their_intervals(small):
    figure = next(f for f in small["figures"] if f["id"] == "slopes")
    theory, measured = figure["series"]
    assert theory["y"] == [0, -0.5, 0.5]
    intervals = {v["claim"]: (v["low"], v["high"]) for v in small["verdicts"]}
    low, high = intervals["post_last_slope_zero"]
    assert (measured["low"][0], measured["high"][0]) == (low, high)
    assert len(figure["x"]["ticks"]) == len(SLOPES)


@pytest.mark.slow
def test_every_claim_holds_at_full_size_on_seeds_nobody_chose():
    found = outcomes(execute("depth_laws", {}, [1009, 2003, 3001, 4001, 5003]))
    # One network with a large gradient can carry the average of sixteen.
    assert found.pop("post_net_gradient_stable") != "refuted"
    assert set(found.values()) == {"supported"}
