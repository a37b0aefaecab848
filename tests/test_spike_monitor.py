"""The monitor on faults of known place: the contract in small, and what breaks it."""

import json

import pytest
import torch

from sim.experiments.norm_placement import spike_monitor
from sim.experiments.norm_placement.spike_monitor import CLAIMS, Params
from sim.nets.monitoring import faults
from sim.nets.monitoring.faults import AFTER, WINDOW, Patient
from sim.nets.transformer import Transformer
from sim.running import execute

from .judged import outcomes, told

SEEDS = [200, 7, 2**31 - 1, 41, 3]
SMALL = {"depth": 2, "width": 16, "heads": 1, "length": 4, "layer": 2}


def run(**params):
    return execute("spike_monitor", SMALL | params, SEEDS)


def architecture():
    return Params(**SMALL).architecture(depth=2, causal=True)


@pytest.fixture(scope="module", autouse=True)
def few_steps():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(faults, "SETTLING", 20)
        patch.setattr(faults, "WARMUP", 10)
        yield


@pytest.fixture(scope="module")
def small():
    return run()


def test_the_claims_hold_in_small(small):
    found = outcomes(small)
    assert set(found) == {claim.id for claim in CLAIMS}
    del found["gradient_norm_jumps"]
    assert set(found.values()) == {"supported"}


@pytest.mark.parametrize("fault", ["branch", "precision", "rate"])
@pytest.mark.parametrize("placement", ["pre", "post"])
def test_the_layer_is_named_whatever_the_fault(fault, placement):
    found = outcomes(run(fault=fault, placement=placement))
    assert found["earliest_layer_named"] == "supported"
    assert found["first_sign_fits"] == "supported"


def test_a_sign_on_which_the_fault_does_not_act_refutes_the_claim(monkeypatch):
    monkeypatch.setitem(spike_monitor.SIGNS, "logits", spike_monitor.UPDATE)
    assert outcomes(run())["first_sign_fits"] == "refuted"


def test_half_precision_gives_no_warning_before_it_overflows():
    assert outcomes(run(fault="precision"))["loss_alone_is_late"] == "refuted"


def test_without_a_fault_nothing_is_there_to_be_found():
    found = outcomes(run(fault="none"))
    assert found["healthy_run_silent"] == "supported"
    assert found["earliest_layer_named"] == "inconclusive"
    assert found["first_sign_fits"] == "inconclusive"
    assert found["gradient_norm_jumps"] == "refuted"


def test_a_fault_in_another_layer_than_the_noted_one_refutes_the_claim(monkeypatch):
    worsen = Patient.worsen

    def elsewhere(patient):
        ill = patient.ill
        patient.ill = ill.flip(0)
        worsen(patient)
        patient.ill = ill

    monkeypatch.setattr(Patient, "worsen", elsewhere)
    assert outcomes(run())["earliest_layer_named"] == "refuted"


def test_only_the_layer_with_the_fault_is_changed():
    net = Transformer(architecture(), SEEDS[:2])
    ill = Patient(net, SEEDS[:2], "branch", 2.0)
    ill.worsen()
    healthy, first, second = ill.flat.detach().split(2)
    assert torch.equal(healthy, net.flat)
    for layer, faulty in enumerate((first, second)):
        own = ill.columns(layer)
        assert not torch.equal(faulty[:, own], healthy[:, own])
        changed = (faulty != healthy).any(0).nonzero()
        assert changed.min() >= own.start
        assert changed.max() < own.stop


def test_half_precision_changes_nothing_but_rounding_until_it_overflows():
    net = Transformer(architecture(), SEEDS)
    ill = Patient(net, SEEDS, "precision", 2.0)
    ids = torch.arange(4).expand(15, 3, 4)
    plain = ill.logits(ids)
    ill.age = 1
    kept = ill.logits(ids)
    assert torch.allclose(plain, kept, atol=1e-2)
    assert not torch.equal(plain[5:], kept[5:])
    assert torch.equal(plain[:5], kept[:5])
    ill.age = 20
    assert ill.logits(ids)[5:].isnan().any()


def test_figures_for_questions_name_neither_fault_nor_placement(small):
    shown = {figure["id"]: figure for figure in small["figures"]}
    for name in ("monitor", "curves"):
        figure = shown[name]
        words = [figure["title"], figure["alt"], figure["x"]["label"]]
        words += [series["name"] for series in figure["series"]]
        words += [figure["y"]["label"]]
        text = json.dumps(words, ensure_ascii=False).lower()
        for hint in ("norm placement", "pre-", "post-", "fault", "故障", "query"):
            assert hint not in text
    assert len(shown["monitor"]["series"]) == 5
    assert len(shown["curves"]["series"][0]["x"]) == WINDOW + AFTER


def test_the_same_seeds_give_the_same_bytes(small):
    again = run()
    assert told(again) == told(small)


def test_a_seed_gives_the_same_verdicts_in_any_company(small):
    turned = execute("spike_monitor", SMALL, SEEDS[::-1])
    assert outcomes(turned) == outcomes(small)
    named = turned["metrics"]["named_share"][::-1]
    assert named == small["metrics"]["named_share"]


@pytest.mark.slow
def test_every_layer_is_named_at_full_size():
    full = execute("spike_monitor", {}, [1009, 2003, 3001, 4001, 5003])
    found = outcomes(full)
    assert found["earliest_layer_named"] == "supported"
    assert found["healthy_run_silent"] == "supported"
    assert found["loss_alone_is_late"] == "supported"
