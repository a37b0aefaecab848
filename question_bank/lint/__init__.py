"""What a good pack satisfies beyond being readable. Every rule has a name."""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from question_bank.content import PackItem
from question_bank.lint import bias, evidence, structure, wording
from question_bank.lint.spots import Claims, Rule

RULES: dict[str, Rule] = {
    rule.__name__.replace("_", "-"): rule
    for module in (structure, evidence, wording, bias)
    for rule in module.RULES
}

SERIOUS = ("key-mismatch", "key-contradiction", "unknown-choice")
"""Rules whose breach leaves a question that cannot be asked: an import refuses it."""

__all__ = ["RULES", "SERIOUS", "Finding", "lint"]


@dataclass(frozen=True, order=True)
class Finding:
    """Where a pack breaks a rule. Lines count from 1."""

    path: Path
    line: int
    name: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.name}: {self.message}"


def lint(
    pack: PackItem,
    claims: Claims = None,
    names: Collection[str] = RULES.keys(),
) -> list[Finding]:
    """Every finding, by file and line; of all rules, or of those in ``names``.

    ``claims`` maps each ``experiment.claim`` that exists to the JSON Schema of the
    experiment's parameters; without it evidence is not held against the experiments.
    """
    findings = []
    for name in names:
        for spot in RULES[name](pack, claims):
            path, line = pack.where(spot.slug, spot.lang, spot.place)
            findings.append(Finding(path, line + spot.below, name, spot.message))
    return sorted(findings)
