"""Laws of the code beside its claims, of the command for a terminal, of reasons in words."""

import json
import shlex

import pytest
from flask import Flask

from quizsvc.jobs import attempt, child, queue
from quizsvc.markdown import highlighted
from quizsvc.web import reasons, sources
from sim import __main__ as terminal
from sim import registry

SCHEMA = {
    "properties": {
        "depth": {"type": "integer", "default": 12},
        "init_scale": {"type": "number", "default": 1.0},
        "final": {"type": "boolean", "default": False},
        "norm": {"enum": ["layer", "rms"], "default": "layer"},
    }
}


@pytest.mark.parametrize(
    ("params", "seeds", "options"),
    [
        ({}, range(5), ""),
        ({"depth": 12, "norm": "layer"}, range(5), ""),
        ({"depth": 24}, range(5), " --depth 24"),
        (
            {"init_scale": 0.5, "final": True},
            range(5),
            " --init-scale 0.5 --final true",
        ),
        ({"norm": "rms"}, range(6), " --norm rms --seeds 0,1,2,3,4,5"),
        ({"norm": "a b; c"}, range(5), " --norm 'a b; c'"),
    ],
)
def test_a_command_says_what_is_not_at_its_default(
    params: dict[str, object], seeds: range, options: str
) -> None:
    said = sources.command("flow", SCHEMA, params, seeds)
    assert said == f"python -m sim run flow{options}"


def test_the_command_makes_the_run_it_stands_for(
    capsys: pytest.CaptureFixture[str],
) -> None:
    name = "tiny_block"
    schema = registry.entry(name).schema
    params = {"steps": 20, "tasks": 8, "spread": 0.5}
    params = {k: v for k, v in params.items() if k in schema["properties"]}
    command = sources.command(name, schema, params, [1, 2, 3, 4, 7])
    words = shlex.split(command)
    assert words[:4] == ["python", "-m", "sim", "run"]
    assert terminal.main([*words[3:], "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["seeds"] == [1, 2, 3, 4, 7]
    assert {key: said["params"][key] for key in params} == params


def test_each_metric_is_found_where_it_is_worked_out() -> None:
    source = 'CLAIMS = ("a",)\nout = {"a": 1}\nout["b"] = 2\nprint(out["c"])\n'
    assert sources.places(source) == {"a": 2, "b": 3}
    assert 'id="line-2"' in highlighted(source)


def test_most_claims_lead_to_a_line_of_their_experiment() -> None:
    found = [
        claim["metric"] in sources.places(entry.source)
        for entry in registry.catalogue()
        for claim in entry.claims
    ]
    assert sum(found) / len(found) > 0.7


def test_every_sentence_of_a_worker_is_known(app: Flask) -> None:
    limits = child.Limits(seconds=120, memory_mb=1024)
    sentences = [
        "The run was stopped: it took longer than 120 seconds.",
        child._sentence(MemoryError(), limits),
        child._sentence(child.UnusableError("depth: too large"), limits),
        child._sentence(ValueError("no"), limits),
        queue.STOPPED_TOO_OFTEN,
        attempt.CHANGED,
    ]
    for lang, latin in (("en", True), ("zh", False)):
        with app.test_request_context(f"/?lang={lang}"):
            for sentence in sentences:
                assert reasons.reason(sentence) != sentence
                assert reasons.advice(sentence)
                assert reasons.reason(sentence).endswith("." if latin else "。")
    with app.test_request_context("/?lang=zh"):
        assert reasons.reason(sentences[0]) == "超过120秒，已被停止。"
        assert reasons.reason("Something else.") == "Something else."
        assert reasons.reason(None)
