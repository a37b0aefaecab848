"""Final norm and embedding size: the contract in small, closed forms, and what breaks it."""

from itertools import pairwise

import pytest
import torch

from sim.experiments.norm_placement.final_norm_and_embedding import CLAIMS, Params
from sim.nets import blocks, norms
from sim.nets.operators import jacobians
from sim.running import execute

from .judged import outcomes, told

SEEDS = [200, 7, 2**31 - 1, 41, 3]
SMALL = {"depth": 48, "width": 32, "heads": 2, "length": 2}


@pytest.fixture(scope="module")
def small():
    return execute("final_norm_and_embedding", SMALL, SEEDS)


def test_the_claims_hold_in_small(small):
    found = outcomes(small)
    assert set(found) == {claim.id for claim in CLAIMS}
    assert set(found.values()) == {"supported"}


def test_without_a_final_norm_the_first_loss_is_worse_than_guessing(small):
    guess, metrics = 256, small["metrics"]
    for bare, normed in zip(
        metrics["bare_first_loss"], metrics["normed_first_loss"], strict=True
    ):
        assert torch.tensor(guess).log() < normed < bare


def test_the_same_seeds_give_the_same_bytes(small):
    assert told(execute("final_norm_and_embedding", SMALL, SEEDS)) == told(small)


def test_a_normalised_stream_needs_no_final_norm(monkeypatch):
    """Post-Norm's stream under the name of Pre-Norm: nothing is left to widen."""
    monkeypatch.setattr(blocks, "RULES", blocks.RULES | {"pre": blocks.RULES["post"]})
    found = outcomes(execute("final_norm_and_embedding", SMALL, SEEDS))
    assert found["no_final_norm_widens_logits"] == "refuted"
    assert found["small_embedding_amplifies"] == "supported"


def test_without_norms_a_small_embedding_amplifies_nothing():
    found = outcomes(
        execute("final_norm_and_embedding", SMALL | {"operator": "none"}, SEEDS)
    )
    assert found["small_embedding_amplifies"] == "refuted"
    assert found["jacobian_inverse_in_sigma"] == "refuted"


def test_an_embedding_of_another_size_amplifies_by_as_much():
    half = execute("final_norm_and_embedding", SMALL | {"sigma": 0.5}, SEEDS)
    for ratio in half["metrics"]["embedding_amplification"]:
        assert 1.5 < ratio < 2.2
    assert outcomes(half)["small_embedding_amplifies"] == "refuted"


def test_the_sizes_run_from_the_smallest_to_one():
    sizes = Params(sigma=0.02).sigmas
    assert sizes[0] == pytest.approx(0.02)
    assert sizes[-1] == 1
    ratios = [b / a for a, b in pairwise(sizes)]
    assert ratios == pytest.approx([ratios[0]] * 5)


def test_the_jacobian_is_the_closed_form():
    """√d/‖y‖ · (I − ŷŷᵀ)(I − 11ᵀ/d), Xiong et al. 2020, lemma 3."""
    x = torch.randn(7, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    y = x - x.mean()
    hat, ones = y / y.norm(), torch.full((7, 7), 1 / 7, dtype=torch.float64)
    identity = torch.eye(7, dtype=torch.float64)
    expected = 7**0.5 / y.norm() * (identity - hat[:, None] * hat) @ (identity - ones)
    torch.testing.assert_close(jacobians.at(x, "layer"), expected)
    smaller = jacobians.at(x, "layer", norms.EPS).norm()
    assert smaller < expected.norm()


@pytest.mark.slow
def test_every_claim_holds_at_full_size_on_seeds_nobody_chose():
    run = execute("final_norm_and_embedding", {}, [1009, 2003, 3001, 4001, 5003])
    assert set(outcomes(run).values()) == {"supported"}
