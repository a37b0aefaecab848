"""The experiments on the command line: ``python -m sim list | run | check | catalogue``."""

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

import click

from sim import registry
from sim.core import DEFAULT_SEEDS, Claim, Progress, quiet
from sim.running import InputError, execute


class Experiments(click.Group):
    """One command for each experiment, its options made from the parameters' schema."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        return registry.names()

    def get_command(self, _ctx: click.Context, name: str) -> click.Command:
        try:
            experiment = registry.load(name)
        except LookupError as error:
            raise click.UsageError(str(error.args[0])) from error
        schema = experiment.Params.model_json_schema()

        def call(seeds: str, as_json: bool, **given: str | None) -> None:
            params = {
                key: _value(text, schema["properties"][key])
                for key, text in given.items()
                if text is not None
            }
            _run(name, params, _seeds(seeds), as_json=as_json)

        options: list[click.Parameter] = [
            click.Option(
                [f"--{key.replace('_', '-')}", key],
                help=f"{field['x-control']['title']['en']} (default {field['default']})",
            )
            for key, field in schema.get("properties", {}).items()
        ]
        options += [
            click.Option(["--seeds"], default=",".join(map(str, DEFAULT_SEEDS))),
            click.Option(
                ["--json", "as_json"], is_flag=True, help="All of it as JSON."
            ),
        ]
        text = experiment.ABOUT.en
        return click.Command(
            name,
            params=options,
            callback=call,
            help=text,
            short_help=experiment.TITLE.en,
        )


@click.group(no_args_is_help=False)
def cli() -> None:
    """Experiments that test, in numbers, the claims that questions make."""


cli.add_command(
    Experiments(
        "run", help="Run one experiment and judge its claims.", no_args_is_help=False
    )
)


@cli.command("list")
def list_experiments() -> None:
    """Every experiment: its name and title."""
    names = registry.names()
    width = max(map(len, names), default=0)
    for name in names:
        click.echo(f"{name:{width}}  {registry.headline(name)}")


@cli.command()
@click.option("--keep", is_flag=True, help="Keep it for quick starts; print nothing.")
def catalogue(keep: bool) -> None:
    """All that the service has to know about the experiments, as JSON."""
    try:
        document = json.dumps([asdict(entry) for entry in registry.catalogue()])
    except LookupError as error:
        raise click.UsageError(str(error.args[0])) from error
    if keep:
        registry.KEPT.write_text(document, encoding="utf-8")
    else:
        click.echo(document)


@cli.command()
@click.argument("names", nargs=-1, metavar="[NAME ...]")
def check(names: Sequence[str]) -> int:
    """Run experiments twice with their defaults; fail on an error or a difference."""
    unknown = sorted(set(names) - set(registry.names()))
    if unknown:
        raise click.UsageError(f"no experiment {', '.join(unknown)}")
    failed = 0
    for name in names or registry.names():
        try:
            document, again = (execute(name, {}, DEFAULT_SEEDS) for _ in range(2))
            _report(name, document)
            if _bytes(document) != _bytes(again):
                raise ArithmeticError("the same seeds gave another result")
        except Exception as error:  # whatever it is, the others still run
            click.echo(f"{name}: FAILED: {type(error).__name__}: {error}")
            failed = 1
    return failed


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status: 0 done, 1 a check failed, 2 a name or value that does not fit."""
    # One thread, as in the worker: sums then add up in the same order everywhere.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    try:
        status = cli.main(arguments, prog_name="sim", standalone_mode=False)
    except click.ClickException as error:
        click.echo(f"sim: {error.format_message()}", err=True)
        return error.exit_code
    except click.Abort:
        return 130
    return int(status or 0)


def _run(
    name: str, params: Mapping[str, Any], seeds: Sequence[int], *, as_json: bool
) -> None:
    try:
        with _progress(name) as progress:
            document = execute(name, params, seeds, progress)
    except InputError as error:
        raise click.UsageError(str(error)) from error
    if as_json:
        click.echo(json.dumps(document, allow_nan=False))
    else:
        _report(name, document)


@contextmanager
def _progress(label: str) -> Iterator[Progress]:
    """A bar on a terminal's standard error, nothing elsewhere."""
    if not sys.stderr.isatty():
        yield quiet
        return
    with click.progressbar(length=1000, label=label, file=sys.stderr) as bar:
        yield lambda fraction: bar.update(round(1000 * fraction) - bar.pos)


def _report(name: str, document: Mapping[str, Any]) -> None:
    """A heading, then each claim: verdict, hits, median with its interval, bound."""
    claims = {claim.id: claim for claim in registry.load(name).CLAIMS}
    seeds = len(document["seeds"])
    click.echo(f"{name}: {seeds} seeds, {document['seconds']:.1f} s")
    width = max(map(len, claims))
    for v in document["verdicts"]:
        claim = claims[v["claim"]]
        interval = f"[{_number(v['low'])}, {_number(v['high'])}]"
        click.echo(
            f"  {v['outcome']:12}  {claim.id:{width}}  {v['hits']:2}/{v['seeds']}"
            f"  median {_number(v['effect']):>10} {interval:24} {_bound(claim)}"
        )


def _bound(claim: Claim) -> str:
    if claim.above is None:
        return f"< {claim.below:g}"
    if claim.below is None:
        return f"> {claim.above:g}"
    return f"in ({claim.above:g}, {claim.below:g})"


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.4g}"


def _value(text: str, field: Mapping[str, Any]) -> Any:
    """An option's text as the JSON value that its field takes."""
    if field.get("type") == "array":
        return [_value(part, field.get("items", {})) for part in text.split(",")]
    if field.get("type") == "string":
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text  # the field's own message says what it takes


def _seeds(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError as error:
        raise click.UsageError(f"seeds: {text!r} is no list like 0,1,2,3,4") from error


def _bytes(document: Mapping[str, Any]) -> str:
    kept = {key: value for key, value in document.items() if key != "seconds"}
    return json.dumps(kept, sort_keys=True, allow_nan=False)


if __name__ == "__main__":
    sys.exit(main())
