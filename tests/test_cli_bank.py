"""``quizsvc bank``."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import func, select

import sim
from question_bank.content import QuestionItem, read_pack
from question_bank.lint import RULES
from question_bank.models import Question, Revision
from question_bank.transfer import pack_folder
from question_bank.verify import Check
from quizsvc.cli import main
from quizsvc.cli.bank import objections, table
from quizsvc.db import make_engine, reading
from tests.factories import EVIDENCE, make_item, write_pack

BATCH = EVIDENCE.model_copy(
    update={"claim": "batch_independence.ln_batch_free", "supports": ("inside",)}
)
SMALL = BATCH.model_copy(update={"params": {"batch": 8, "spread": 0.5}})
CLAIM_ABOUT_NOTHING = EVIDENCE.model_copy(
    update={"claim": "batch_independence.nothing"}
)

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, database_url: str, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Call ``quizsvc`` on an empty database."""
    monkeypatch.setenv("QUIZ_DATABASE_URL", database_url)

    def call(*arguments: str | Path) -> Result:
        command = ["--data", str(tmp_path / "data"), *map(str, arguments)]
        return CliRunner().invoke(main, command, catch_exceptions=False)

    return call


@pytest.fixture
def local(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Call ``quizsvc`` where no database is touched."""
    monkeypatch.setenv("QUIZ_DATABASE_URL", "sqlite:////nowhere/quiz.db")
    return lambda *arguments: CliRunner().invoke(
        main, [*map(str, arguments)], catch_exceptions=False
    )


def pack(tmp_path: Path, *items: QuestionItem) -> Path:
    return write_pack(tmp_path / "small-pack", items)


def test_importing_says_what_changed_and_keeps_it(
    run: Run, tmp_path: Path, database_url: str
) -> None:
    folder = pack(tmp_path, make_item("one"), make_item("two"))
    first = run("bank", "import", folder)
    assert (first.output, first.exit_code) == ("small-pack: 2 new\n", 0)
    pack(tmp_path, make_item("one"), make_item("two", level="hard"))
    assert (
        run("bank", "import", folder).output == "small-pack: 1 revised, 1 unchanged\n"
    )
    engine = make_engine(database_url)
    with reading(engine) as session:
        assert session.scalar(select(func.count()).select_from(Question)) == 2
        assert session.scalar(select(func.count()).select_from(Revision)) == 3
    engine.dispose()


def test_one_bad_pack_stops_the_import_of_all(
    run: Run, tmp_path: Path, database_url: str
) -> None:
    good = pack(tmp_path, make_item())
    bad = write_pack(tmp_path / "bad-pack", [make_item("other")])
    (bad / "other.md").write_text("nothing")
    result = run("bank", "import", good, bad)
    assert result.exit_code == 2
    assert "nothing was imported" in result.output
    assert f"{bad / 'other.md'}:1: must begin with front matter" in result.output
    engine = make_engine(database_url)
    with reading(engine) as session:
        assert session.scalar(select(func.count()).select_from(Question)) == 0
    engine.dispose()


def test_what_is_exported_imports_as_unchanged(run: Run, tmp_path: Path) -> None:
    run("bank", "import", pack(tmp_path, make_item("one"), make_item(type="open")))
    result = run("bank", "export", tmp_path / "out")
    assert result.output == f"{tmp_path / 'out' / 'small-pack'}: 5 files\n"
    again = run("bank", "import", tmp_path / "out" / "small-pack")
    assert again.output == "small-pack: 2 unchanged\n"


def test_one_pack_can_be_exported_alone(run: Run, tmp_path: Path) -> None:
    other = write_pack(tmp_path / "other-pack", [make_item("other")])
    run("bank", "import", pack(tmp_path, make_item()), other)
    run("bank", "export", tmp_path / "out", "--pack", "other-pack")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["other-pack"]
    assert read_pack(tmp_path / "out" / "other-pack").questions == (make_item("other"),)
    unknown = run("bank", "export", tmp_path / "out", "--pack", "nothing")
    assert (unknown.exit_code, unknown.output) == (
        2,
        "Error: there is no pack 'nothing'\n",
    )


def test_statistics_count_what_can_be_asked(run: Run, tmp_path: Path) -> None:
    folder = pack(
        tmp_path,
        make_item("one"),
        make_item(
            "two",
            type="multi",
            key=["inside", "nowhere"],
            evidence=[EVIDENCE] * 2,
            unmeasured=[],
        ),
        make_item("three", type="open", langs=["en"], level="hard", topic="depth"),
        make_item("four", type="estimate", figure={"experiment": "a", "id": "b"}),
        make_item("gone"),
    )
    run("bank", "import", folder)
    (folder / "gone.md").unlink()
    (folder / "gone.zh.md").unlink()
    run("bank", "import", folder)
    lines = run("bank", "stats").output.splitlines()
    assert lines[3].startswith("topics         3 placement (75%), 0 operators (0%), ")
    assert lines[:3] + lines[4:] == [
        "questions      4",
        "types          1 single (25%), 1 multi (25%), 1 open (25%), 1 estimate (25%)",
        "levels         3 easy (75%), 0 mid (0%), 1 hard (25%), 0 extreme (0%)",
        "languages      4 en (100%), 3 zh (75%)",
        "evidence       3 pieces of 1 claims for 2 questions",
        "right choices  2 of 3 backed (67%)",
        "wrong choices  2 of 3 backed (67%), 1 unmeasured",
        "key points     0 of 2 backed (0%)",
        "measured       1 keys, 1 figures",
        "key share      33% of single, 67% of multi",
    ]


def test_lint_prints_findings_with_file_and_line(local: Run, tmp_path: Path) -> None:
    folder = pack(tmp_path, make_item(evidence=[CLAIM_ABOUT_NOTHING]))
    result = local("bank", "lint", folder)
    assert result.output == (
        f"{folder}/norm-position.md:8: unknown-claim: "
        "no experiment makes the claim batch_independence.nothing\n"
    )
    assert result.exit_code == 1


def test_lint_prints_what_cannot_be_read(local: Run, tmp_path: Path) -> None:
    folder = pack(tmp_path, make_item())
    (folder / "norm-position.md").write_bytes(b"\xff")
    result = local("bank", "lint", folder)
    assert result.output == f"{folder}/norm-position.md:1: is not UTF-8\n"
    assert result.exit_code == 1


def test_lint_says_what_it_held_a_good_pack_against(local: Run, tmp_path: Path) -> None:
    result = local("bank", "lint", pack(tmp_path, make_item(evidence=[BATCH])))
    assert re.fullmatch(
        rf"1 questions in 2 files keep all {len(RULES)} rules; "
        r"their evidence is among \d+ claims\.\n",
        result.output,
    )
    assert result.exit_code == 0


def test_verifying_runs_the_experiments_behind_the_keys(
    local: Run, tmp_path: Path
) -> None:
    wrong = BATCH.model_copy(update={"outcome": "refuted"})
    unfit = BATCH.model_copy(update={"params": {"batch": 0}})
    key_moved = BATCH.model_copy(update={"refutes": ()})
    experiment = "batch_independence"
    metric = {"metric": f"{experiment}.ln_single_rms", "margin": 0.1}
    folder = pack(
        tmp_path,
        make_item("agrees", evidence=[BATCH, SMALL]),
        make_item("disagrees", evidence=[wrong]),
        make_item("moved", key=["outside"], evidence=[key_moved]),
        make_item("nothing", evidence=[CLAIM_ABOUT_NOTHING]),
        make_item("unfit", evidence=[unfit]),
        make_item("number", type="estimate", estimate=metric),
        make_item("plot", figure={"experiment": experiment, "id": "gone"}, evidence=[]),
    )
    result = local("bank", "verify", "--folder", folder)
    lines = result.output.splitlines()
    told = dict(line.split(": ", 1) for line in lines[9:-1])
    claim = f"{experiment}.ln_batch_free"
    assert lines[1].split() == ["agrees", claim, "supported", "supported"]
    assert lines[2].split()[-2:] == ["supported", "supported"]
    assert sorted(told) == ["disagrees", "moved", "nothing", "plot", "unfit"]
    assert told["disagrees"].startswith(
        f"{claim}: the key needs the claim refuted, and it is supported: "
        "5 of 5 seeds inside the bounds, median "
    )
    assert told["moved"] == (
        f"{claim}: the key says 'inside' is wrong, and this supports it."
    )
    assert told["nothing"] == (
        f"{experiment}.nothing: {experiment} makes no claim 'nothing'."
    )
    assert "the run failed: sim: batch: Input should be greater" in told["unfit"]
    assert "there is no figure 'gone'; there are: " in told["plot"]
    assert [line.split()[-1] for line in lines if "number" in line] == ["1"]
    assert lines[-1] == "5 of 8 do not back the key."
    assert result.exit_code == 1
    only = local("bank", "verify", "agrees", "number", "--folder", folder)
    assert only.output.endswith("All 3 back the key.\n")
    assert only.exit_code == 0


@pytest.mark.slow
def test_a_placement_swapped_in_the_code_is_an_objection(
    local: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = shutil.copytree(Path(sim.__file__).parent, tmp_path / "swapped" / "sim")
    blocks = copy / "nets" / "blocks.py"
    code = blocks.read_text()
    swapped = re.sub(
        r"(\"p(?:ost|re)\": _everywhere\()(POST|PRE)",
        lambda found: found[1] + {"POST": "PRE", "PRE": "POST"}[found[2]],
        code,
    )
    assert swapped != code
    blocks.write_text(swapped)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "swapped"))
    monkeypatch.chdir(tmp_path)
    result = local("bank", "verify", "original-block", "--folder", pack_folder())
    assert "the key needs the claim supported, and it is refuted" in result.output
    assert result.exit_code == 1


def test_verifying_an_unknown_question_is_refused(local: Run, tmp_path: Path) -> None:
    folder = pack(tmp_path, make_item())
    result = local("bank", "verify", "other", "--folder", folder)
    assert result.exit_code == 2
    assert result.output == "Error: There is no question other.\n"


def test_the_table_lines_up_and_objections_are_sentences() -> None:
    def check(slug: str, params: str, problem: str) -> Check:
        return Check(
            slug=slug,
            takes="a.b",
            params=params,
            expected="supported",
            actual="refuted",
            problem=problem,
        )

    checks = [check("one", "", ""), check("other", '{"n": 1}', "why not")]
    assert list(table(checks)) == [
        "question  takes         expected   actual",
        "one       a.b           supported  refuted",
        'other     a.b {"n": 1}  supported  refuted  OBJECTION',
    ]
    assert list(objections(checks)) == ['other: a.b {"n": 1}: why not.']
