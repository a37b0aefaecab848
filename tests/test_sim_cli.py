"""``python -m sim``: what it prints, and what it refuses in one line."""

import json
import subprocess
import sys

import pytest
from jsonschema import Draft202012Validator

from sim import registry
from sim.__main__ import main
from sim.core import MAX_SEED, Claim, Result, Text
from sim.core import Params as AnyParams
from sim.running import ContractError, InputError, execute, plain

SMALL = ["--dim", "16", "--batch", "8"]
SEEDS = [0, 1, 2, 3, 4]
WORDS = Text(en="words", zh="词语")


def test_list_names_every_experiment_with_its_title_and_loads_no_torch():
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys; from sim.__main__ import main; code = main(['list']);"
            "sys.exit(code or 'torch' in sys.modules)",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    lines = done.stdout.splitlines()
    assert [line.split()[0] for line in lines] == registry.names()
    for line, name in zip(lines, registry.names(), strict=True):
        assert line.endswith(f"  {registry.headline(name)}")


def test_run_prints_a_verdict_for_every_claim(capsys):
    assert main(["run", "batch_independence", *SMALL]) == 0
    out = capsys.readouterr().out.splitlines()
    claims = registry.load("batch_independence").CLAIMS
    assert out[0].startswith("batch_independence: 5 seeds, ")
    assert len(out) == 1 + len(claims)
    for line, claim in zip(out[1:], claims, strict=True):
        assert line.split()[1] == claim.id
    assert "supported" in out[1]
    assert "5/5" in out[1]
    assert "< 1e-05" in out[1]
    assert "in (-1.15, -0.85)" in out[3]


def test_run_gives_json_with_the_parameters_and_seeds_it_used(capsys):
    arguments = ["--seeds", "7,8,9,10,2147483647", "--json"]
    assert main(["run", "batch_independence", *SMALL, *arguments]) == 0
    captured = capsys.readouterr()
    document = json.loads(captured.out)
    assert captured.err == ""
    assert document["params"] == {"dim": 16, "batch": 8, "spread": 2.0}
    assert document["seeds"] == [7, 8, 9, 10, MAX_SEED]
    assert set(document) == {
        "params",
        "seeds",
        "metrics",
        "verdicts",
        "figures",
        "seconds",
    }
    claims = registry.load("batch_independence").CLAIMS
    assert [verdict["claim"] for verdict in document["verdicts"]] == [
        claim.id for claim in claims
    ]
    assert all(len(values) == 5 for values in document["metrics"].values())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "command"),
        (["dance"], "dance"),
        (["run"], "command"),
        (["run", "perpetual_motion"], "no experiment 'perpetual_motion'"),
        (["run", "tiny_block", "--colour", "red"], "--colour"),
        (["run", "tiny_block", "--rate"], "--rate"),
        (["run", "tiny_block", "--rate", "7"], "rate: Input should be less than"),
        (["run", "tiny_block", "--rate", "NaN"], "rate: "),
        (["run", "tiny_block", "--steps", "many"], "steps: Input should be a valid"),
        (["run", "tiny_block", "--steps", "20.5"], "steps: "),
        (["run", "tiny_block", "--target", "moon"], "target: Input should be"),
        (["run", "tiny_block", "--seeds", "1,2"], "seeds: 5 to 20"),
        (["run", "tiny_block", "--seeds", "1,2,3,4,4"], "seeds: each"),
        (["run", "tiny_block", "--seeds", "1,2,3,4,-5"], "seeds: whole numbers"),
        (["run", "tiny_block", "--seeds", "a"], "seeds: 'a'"),
        (["check", "perpetual_motion"], "no experiment perpetual_motion"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(arguments, words, capsys):
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err.splitlines()) == 1
    assert words in captured.err


def test_help_names_the_parameters(capsys):
    assert main(["run", "tiny_block", "--help"]) == 0
    out = capsys.readouterr().out
    for name in registry.load("tiny_block").Params.model_fields:
        assert f"--{name.replace('_', '-')}" in out


def test_catalogue_is_the_registry_as_json(capsys):
    assert main(["catalogue"]) == 0
    entries = json.loads(capsys.readouterr().out)
    assert [entry["name"] for entry in entries] == registry.names()
    for entry in entries:
        Draft202012Validator.check_schema(entry["schema"])
        assert entry["source_hash"] == registry.source_hash(entry["name"])


class Broken:
    """An experiment made for one test, in the registry under its own name."""

    TITLE = ABOUT = WORDS
    SECONDS = 1.0
    Params = AnyParams
    CLAIMS = (
        Claim(
            id="claim", statement=WORDS, metric="m", above=0.0, source="-", regime=WORDS
        ),
    )

    def __init__(self, run):
        self.run = run


@pytest.fixture
def broken(monkeypatch):
    """Puts a run function into the registry as the experiment ``broken``."""

    def put(run):
        monkeypatch.setattr(registry, "names", lambda: ["broken"])
        monkeypatch.setattr(registry, "load", lambda _name: Broken(run))

    return put


def test_check_passes_an_experiment_that_repeats_itself(broken, capsys):
    broken(lambda _params, seeds, _progress: Result(metrics={"m": seeds}))
    assert main(["check"]) == 0
    assert "inconclusive  claim   4/5" in capsys.readouterr().out


def test_check_fails_an_experiment_that_gives_another_result(broken, capsys):
    calls = []

    def run(_params, seeds, _progress):
        calls.append(1)
        return Result(metrics={"m": [len(calls)] * len(seeds)})

    broken(run)
    assert main(["check"]) == 1
    assert "the same seeds gave another result" in capsys.readouterr().out


def test_check_goes_on_after_an_error_and_fails(broken, capsys):
    def run(_params, _seeds, _progress):
        raise ZeroDivisionError("nothing left")

    broken(run)
    assert main(["check"]) == 1
    assert "broken: FAILED: ZeroDivisionError: nothing left" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("metrics", "words"),
    [({}, "no metric m"), ({"m": [1.0] * 4}, "4 values for 5 seeds")],
)
def test_a_result_out_of_shape_breaks_the_contract(broken, metrics, words):
    broken(lambda _params, _seeds, _progress: Result(metrics=metrics))
    with pytest.raises(ContractError, match=words):
        execute("broken", {}, SEEDS)


def test_numbers_without_a_value_come_back_as_none(broken):
    values = [1.0, float("nan"), float("inf"), 2.0, 3.0]
    broken(lambda _params, _seeds, _progress: Result(metrics={"m": values}))
    document = execute("broken", {}, SEEDS)
    assert document["metrics"] == {"m": [1.0, None, None, 2.0, 3.0]}
    assert document["verdicts"][0]["outcome"] == "inconclusive"
    assert document["verdicts"][0]["effect"] is None
    json.dumps(document, allow_nan=False)


def test_seeds_are_whole_numbers_not_booleans():
    with pytest.raises(InputError, match="whole numbers"):
        execute("tiny_block", {}, [0, True, 2, 3, 4])


def test_plain_data_keeps_floats_and_opens_arrays():
    import numpy as np

    given = {
        "a": (1.0, np.float32(0.5)),
        "b": np.arange(2),
        "r": range(2),
        "c": "x",
        "d": None,
    }
    assert plain(given) == {
        "a": [1.0, 0.5],
        "b": [0, 1],
        "r": [0, 1],
        "c": "x",
        "d": None,
    }
    assert isinstance(plain(given)["a"][0], float)
