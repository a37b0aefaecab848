"""Laws of the figure beside an answer: it shows what the claims of the question say."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from question_bank.content import PackItem, read_pack
from question_bank.transfer import pack_folder
from quizsvc.web import notes, pictured
from sim import registry

from .web_helpers import FIGURE, HEAT

SIM = Path(registry.__file__).parent


@pytest.fixture(scope="module")
def pack() -> PackItem:
    return read_pack(pack_folder())


@pytest.fixture(scope="module")
def claims() -> Mapping[str, list[str]]:
    return {
        one.name: sorted(claim["id"] for claim in one.claims)
        for one in registry.catalogue()
    }


def test_the_table_names_every_claim_once(claims: Mapping[str, list[str]]) -> None:
    named = {
        experiment: sorted(claim for ids in table.values() for claim in ids)
        for experiment, table in pictured.SHOWN.items()
    }
    assert named == claims


def test_the_tables_name_figures_that_the_code_draws() -> None:
    shared = "".join(p.read_text("utf-8") for p in (SIM / "nets").rglob("*.py"))
    named = [(one, id) for one, table in pictured.SHOWN.items() for id in table]
    for experiment, figure in [*named, *notes.NOTES]:
        code = registry.paths()[experiment].read_text("utf-8") + shared
        drawn = figure.replace("map_post", "map_{placement}")
        assert figure == pictured.NONE or f'id="{drawn}"' in code.replace('f"', '"')


@pytest.mark.parametrize(
    ("slug", "experiment", "figure"),
    [
        ("stream-square-estimate", "depth_laws", "streams"),
        ("early-layer-gradients", "depth_laws", "gradients"),
        ("last-gradient-with-depth", "depth_laws", "last"),
        ("epsilon-and-small-rows", "low_precision", "small_rows"),
        ("bf16-lost-updates", "low_precision", "lost_updates"),
        ("bert-six-percent", "optimiser_steps", "warmups"),
        ("noam-peak-estimate", "optimiser_steps", "noam"),
        ("clip-direction", "optimiser_steps", "clipping"),
        ("late-branch-share", "residual_growth", "ratios"),
        ("which-placement-plot", "residual_growth", "unnormalised"),
        ("fair-comparison", "residual_growth", pictured.NONE),
        ("log-law-and-real-steps", "perturbation", "step"),
        ("post-norm-instability", "vanishing_in_training", "norm_inputs"),
        ("low-rate-or-warmup", "warmup_map", "map_post"),
        ("clip-versus-warmup", "warmup_sensitivity", "remedies"),
        ("rms-vs-ln-difference", "norm_invariances", "rms_against_layer"),
    ],
)
def test_the_figure_beside_an_answer_is_about_its_claims(
    pack: PackItem, slug: str, experiment: str, figure: str
) -> None:
    [item] = [item for item in pack.questions if item.slug == slug]
    leant = [one.claim_id for one in item.evidence if one.experiment == experiment]
    assert pictured.choose(experiment, leant)[0] == figure


def test_what_most_claims_say_is_shown_of_the_first_run_that_shows_it() -> None:
    leant = ["same_weights_differ", "pre_ratio_falls", "post_stream_unit"]
    assert pictured.choose("residual_growth", leant) == ("ratios", 1)
    leant.append("pre_stream_grows")
    assert pictured.choose("residual_growth", leant) == ("streams", 2)
    assert pictured.choose("residual_growth", leant[:1]) == (pictured.NONE, 0)


def test_a_claim_without_an_entry_shows_the_first_figure() -> None:
    id, place = pictured.choose("coin", ["fair"])
    assert (id, place) == (pictured.FIRST, 0)
    assert pictured.drawn([FIGURE, HEAT], id) == FIGURE
    assert pictured.drawn([FIGURE, HEAT], "map") == HEAT
    assert pictured.drawn([FIGURE], "map") is pictured.drawn([], id) is None


def test_a_line_that_the_legend_does_not_explain_has_a_note() -> None:
    figure = {**FIGURE, "id": "unnormalised"}
    note = notes.noted("residual_growth", figure)["note"]
    assert "lower bound" in note["en"]
    assert "下界" in note["zh"]
    assert notes.noted("coin", figure) == figure
