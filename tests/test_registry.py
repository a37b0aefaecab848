"""Every experiment keeps the contract; the catalogue knows it without running it."""

import json
import subprocess
import sys
from collections import Counter
from dataclasses import asdict, replace
from math import isfinite
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from sim import registry
from sim.core import Text

NAMES = registry.names()
QUERY = "import sys; from sim import registry; registry.names(); print('torch' in sys.modules)"


def texts(experiment):
    """Every text that an experiment shows, with a label."""
    yield "TITLE", asdict(experiment.TITLE)
    yield "ABOUT", asdict(experiment.ABOUT)
    for claim in experiment.CLAIMS:
        yield claim.id, asdict(claim.statement)
        yield claim.id, asdict(claim.regime)
    for name, field in experiment.Params.model_fields.items():
        for key in ("title", "about", "unit"):
            if key in field.json_schema_extra["x-control"]:
                yield name, field.json_schema_extra["x-control"][key]


def test_there_are_experiments():
    assert {"batch_independence", "tiny_block"} <= set(NAMES)


def test_no_two_experiments_share_a_name():
    files = (registry.SOURCE / "experiments").glob("*/*.py")
    counts = Counter(file.stem for file in files if file.stem != "__init__")
    assert set(counts.values()) == {1}


@pytest.mark.parametrize("name", NAMES)
def test_an_experiment_says_what_it_is_in_both_languages(name):
    experiment = registry.load(name)
    assert experiment.__doc__.startswith(registry.headline(name))
    assert registry.headline(name)
    for label, words in texts(experiment):
        assert words["en"].strip(), label
        assert words["zh"].strip(), label
    about = experiment.ABOUT
    assert 2 <= len([s for s in about.en.split(". ") if s]) <= 6
    assert any("一" <= character <= "鿿" for character in about.zh)


@pytest.mark.parametrize("name", NAMES)
def test_every_parameter_is_bounded_and_its_default_allowed(name):
    experiment = registry.load(name)
    schema = experiment.Params.model_json_schema()
    Draft202012Validator.check_schema(schema)
    for key, field in schema["properties"].items():
        ranged = {"minimum", "maximum"} <= set(field)
        assert ranged or "enum" in field or field["type"] == "boolean", key
        Draft202012Validator(field).validate(field["default"])
    assert experiment.Params.model_validate_json("{}") == experiment.Params()


@pytest.mark.parametrize("name", NAMES)
def test_claims_have_names_sources_and_bounds_of_their_own(name):
    claims = registry.load(name).CLAIMS
    assert claims
    assert len({claim.id for claim in claims}) == len(claims)
    for claim in claims:
        assert claim.id.isidentifier()
        assert claim.metric.isidentifier()
        assert claim.source
        assert all(isfinite(b) for b in (claim.above, claim.below) if b is not None)


@pytest.mark.parametrize("name", NAMES)
def test_an_entry_is_plain_data(name):
    entry = registry.entry(name)
    data = json.loads(json.dumps(asdict(entry), allow_nan=False))
    assert data["name"] == name
    assert data["topic"] == registry.paths()[name].parent.name
    assert data["source"] == registry.paths()[name].read_text(encoding="utf-8")
    assert 0 < data["seconds"] <= 10
    assert Text(**data["title"]) == registry.load(name).TITLE


def test_the_catalogue_holds_every_experiment():
    assert [entry.name for entry in registry.catalogue()] == NAMES


def test_an_unknown_name_is_refused_with_the_known_ones():
    with pytest.raises(LookupError, match="tiny_block"):
        registry.load("perpetual_motion")


def test_a_hash_changes_with_the_experiment_or_with_what_all_share(
    tmp_path, monkeypatch
):
    files = ("core.py", "nets/norms.py", "nets/in/sgd.py", "experiments/topic/one.py")
    for file in files:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(f"# {file}")
    (tmp_path / "experiments/topic/two.py").write_text("# two")
    monkeypatch.setattr(registry, "SOURCE", tmp_path)
    hashes = [registry.source_hash("one")]
    assert registry.source_hash("one") == hashes[0] != registry.source_hash("two")
    for file in files:
        (tmp_path / file).write_text("# changed")
        hashes.append(registry.source_hash("one"))
    assert len(set(hashes)) == 5
    (tmp_path / "experiments/topic/two.py").write_text("# changed")
    assert registry.source_hash("one") == hashes[-1]


def test_naming_the_experiments_loads_no_torch():
    done = subprocess.run(
        [sys.executable, "-c", QUERY], capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"


def test_a_kept_catalogue_counts_while_the_experiments_are_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "KEPT", tmp_path / "catalogue.json")
    assert registry.kept() is None
    entry = registry.entry("batch_independence")
    others = [
        replace(entry, name=n, source_hash=h)
        for n, h in registry.source_hashes().items()
    ]
    document = json.dumps([asdict(one) for one in others])
    registry.KEPT.write_text(document)
    assert registry.kept() == others
    registry.KEPT.write_text(document.replace(entry.source_hash, "0" * 64))
    assert registry.kept() is None
    registry.KEPT.write_text("half of a fi")
    assert registry.kept() is None


def test_a_module_without_a_part_is_refused_by_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    module = registry.load("batch_independence")
    monkeypatch.delattr(module, "SECONDS")
    with pytest.raises(LookupError, match="batch_independence does not define SECONDS"):
        registry.entry("batch_independence")
