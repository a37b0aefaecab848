"""The hybrid on images: the contract in small, and what the task is."""

import math
from dataclasses import replace

import pytest
import torch

from sim.experiments.norm_placement import hybrid_vision
from sim.experiments.norm_placement.hybrid_vision import CLAIMS, Params
from sim.nets import blocks
from sim.nets.transformer import Trace
from sim.nets.vision import KINDS, PIXELS, Images, Vision
from sim.running import execute

from .judged import outcomes, told

SEEDS = [200, 7, 2**31 - 1, 41, 3]
SMALL = {
    "depth": 4,
    "width": 16,
    "heads": 1,
    "length": 4,
    "steps": 60,
    "warmup": 20,
    "rate": 0.005,
}


def net(placement="pre", depth=4):
    shape = Params(**SMALL).architecture(depth=depth)
    return Vision(replace(shape, vocabulary=PIXELS, placement=placement), SEEDS)


@pytest.fixture(scope="module")
def small():
    return execute("hybrid_vision", SMALL, SEEDS)


def test_a_run_in_small_keeps_the_contract(small):
    assert set(outcomes(small)) == {claim.id for claim in CLAIMS}
    assert all(len(values) == len(SEEDS) for values in small["metrics"].values())


def test_in_so_few_steps_the_claims_can_fail(small):
    found = outcomes(small)
    assert found["hybrid_trains"] == "refuted"
    assert found["post_long_warmup_trains"] == "refuted"


def test_a_hybrid_of_three_layers_is_pre_norm_to_the_bit():
    same = execute("hybrid_vision", SMALL | {"depth": 3, "steps": 30}, SEEDS)
    assert same["metrics"]["hybrid_minus_pre"] == [0.0] * len(SEEDS)


def test_a_hybrid_without_residual_connections_refutes_the_claims(monkeypatch):
    monkeypatch.setitem(blocks.RULES, "hybrid", blocks.RULES["plain"])
    found = outcomes(execute("hybrid_vision", SMALL | {"depth": 8}, SEEDS))
    assert found["hybrid_at_least_pre"] == "refuted"


def test_a_class_names_the_two_patterns_that_an_image_shows():
    task = Images(SEEDS, 4)
    batch = task.sample(2, 30)
    pixels, labels = batch[..., :-1], batch[..., -1].long()
    patches = pixels.unflatten(-1, (4, PIXELS))
    for seed, patterns in enumerate(map(torch.from_numpy, task.patterns)):
        flat = patterns.flatten(0, 1)  # (8, PIXELS)
        distances = torch.cdist(patches[:, seed], flat.expand(2, 30, -1, -1))
        nearest = distances.amin(-2)  # (2, 30, 8): of each pattern, over the patches
        first, second = (part.argmin(-1) for part in nearest.split(KINDS, -1))
        right = (first * KINDS + second == labels[:, seed]).double().mean()
        assert right > 0.95


def test_a_model_that_knows_nothing_has_a_gap_of_one():
    model = net()
    with torch.no_grad():
        model.outer["head"].zero_()
    batch = Images(SEEDS, 4).sample(1, 8)[0]
    losses = model.losses(batch[..., :-1], batch[..., 1:])
    assert losses.tolist() == pytest.approx([math.log(16)] * len(SEEDS))
    assert Images.gap(losses).tolist() == pytest.approx([1.0] * len(SEEDS))


def test_the_order_of_patches_matters_only_through_their_positions():
    model = net()
    with torch.no_grad():
        model.outer["position"].zero_()
    batch = Images(SEEDS, 4).sample(1, 8)[0]
    pixels = batch[..., :-1]
    turned = pixels.unflatten(-1, (4, PIXELS)).flip(-2).flatten(-2)
    losses = (model.losses(x, batch[..., 1:]) for x in (pixels, turned))
    assert torch.allclose(*losses, atol=1e-5)


def test_the_stream_of_a_hybrid_is_set_back_after_every_fourth_layer():
    model = net("hybrid", depth=8)
    trace = Trace()
    model.stream(model.embed(Images(SEEDS, 4).sample(1, 8)[0, ..., :-1]), trace)
    sizes = [x.square().mean().sqrt().item() for x in trace.streams]
    assert sizes[4] == pytest.approx(1, abs=1e-3)
    assert sizes[8] == pytest.approx(1, abs=1e-3)
    assert min(sizes[3], sizes[7]) > 1.5


def test_the_same_seeds_give_the_same_bytes(small):
    assert told(execute("hybrid_vision", SMALL, SEEDS)) == told(small)


def test_progress_rises_to_one():
    seen = []
    hybrid_vision.run(Params(**SMALL | {"steps": 30}), SEEDS, seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == pytest.approx(1)


@pytest.mark.slow
def test_all_but_the_cost_of_post_norm_is_settled_at_full_size():
    found = outcomes(execute("hybrid_vision", {}, [1009, 2003, 3001, 4001, 5003]))
    assert found.pop("post_costs_more_steps") != "refuted"
    assert found.pop("hybrid_at_least_pre") != "refuted"
    assert set(found.values()) == {"supported"}
