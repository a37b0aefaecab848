"""The kept results of benchmarks."""

from pathlib import Path

import pytest

from benchmarks import __main__ as benchmarks


def test_a_benchmark_replaces_its_own_table_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = tmp_path / "results.md"
    monkeypatch.setattr(benchmarks, "RESULTS", results)
    tables = ("| old |\n|---|\n| 1 |", "| other |\n|---|\n| 2 |", "| new |")
    for name, table in zip(("answers", "memory", "answers"), tables, strict=True):
        benchmarks.keep(name, table)
    text = results.read_text()
    assert tables[0] not in text
    assert text.index("## memory") < text.index(tables[1]) < text.index("## answers")
    assert text.index("## answers") < text.index(tables[2])
    once = text
    benchmarks.keep("answers", tables[2])
    assert results.read_text() == once
