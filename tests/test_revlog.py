"""How predictions of a real log are judged: the right reviews, and the right measures."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.revlog import Judge, Review, compared, long_term

LOG = """card_id,review_rating,review_time,review_duration
2,3,2026-01-02T03:59:00+00:00,1
1,3,2026-01-01T05:00:00+00:00,1
1,3,2026-01-01T23:00:00+00:00,1
1,1,2026-01-02T03:59:00+00:00,1
1,3,2026-01-02T04:00:00+00:00,1
2,1,2026-01-05T04:00:00+00:00,1
1,3,2026-01-06T12:00:00+02:00,1
"""
outcomes = st.lists(
    st.tuples(st.booleans(), st.sampled_from([0.2, 0.5, 0.5001, 0.9])), min_size=2
).filter(lambda pairs: len({right for right, _ in pairs}) == 2)


def judged(pairs: list[tuple[bool, float]]) -> tuple[Judge, np.ndarray]:
    """Each outcome is a card's own."""
    reviews = [
        Review(str(card), ((3, 0),), 1, 3 if right else 1, 0.9, 0)
        for card, (right, _) in enumerate(pairs)
    ]
    return Judge(reviews), np.array([p for _, p in pairs])


def test_only_a_later_study_day_is_a_long_term_review(tmp_path: Path) -> None:
    file = tmp_path / "log.csv"
    file.write_text(LOG, encoding="utf-8")
    told = [(r.card, r.elapsed, r.rating, r.last) for r in long_term(file)]
    assert told == [("1", 1, 3, 0), ("2", 4, 1, 0), ("1", 4, 3, 1)]
    assert long_term(file)[2].history == ((3, 0), (3, 0), (1, 0), (3, 1))


@given(outcomes)
def test_auc_is_the_share_of_pairs_in_the_right_order(
    pairs: list[tuple[bool, float]],
) -> None:
    judge, predicted = judged(pairs)
    good = [p for right, p in pairs if right]
    bad = [p for right, p in pairs if not right]
    share = np.mean([(g > b) + (g == b) / 2 for g in good for b in bad])
    assert judge.auc(predicted, np.ones(len(pairs))) == pytest.approx(share)


@given(outcomes)
def test_log_loss_and_rmse_by_hand(pairs: list[tuple[bool, float]]) -> None:
    judge, predicted = judged(pairs)
    weight = np.ones(len(pairs))
    surprise = [-np.log(p if right else 1 - p) for right, p in pairs]
    assert judge.log_loss(predicted, weight) == pytest.approx(np.mean(surprise))
    gap = np.mean([p - right for right, p in pairs])  # all are in one bin
    assert judge.rmse(predicted, weight) == pytest.approx(abs(gap))


def test_a_better_prediction_is_better_over_resampled_cards() -> None:
    pairs = [(n % 4 > 0, 0.75) for n in range(400)]
    judge, fair = judged(pairs)
    ours, its, low, high = compared(
        judge.log_loss, fair, fair * 0 + 0.4, judge.weights()
    )
    assert ours < its
    assert low < high < 0
