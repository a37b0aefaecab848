"""The experiments as a shelf of tiles, and what an address narrows it to."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from quizsvc.models import Experiment, Run
from quizsvc.web.evidence import ClaimView

FILTERS = ("q", "topic", "verdict")
SENTENCE = re.compile(r"(?:[^.。？?$]|\$[^$]*\$|\.(?=\S))+[.。？?]")


@dataclass(frozen=True, kw_only=True)
class Tile:
    """An experiment with its default run, as far as there is one."""

    experiment: Experiment
    run: Run | None
    claims: list[ClaimView]
    uses: int  # questions that lean on it
    topics: frozenset[str]  # of those questions

    @property
    def line(self) -> Mapping[str, str]:
        """The first sentence of what it is about."""
        return {lang: first(text) for lang, text in self.experiment.about.items()}

    def counted(self, outcome: str) -> int:
        """How many claims have this outcome."""
        return sum(
            claim.verdict is not None and claim.verdict["outcome"] == outcome
            for claim in self.claims
        )


def first(text: str) -> str:
    """The first sentence of a text; a dot within a formula or a number ends none."""
    match = SENTENCE.match(text)
    return match[0] if match else text


def narrowed(tiles: Iterable[Tile], chosen: Mapping[str, str]) -> list[Tile]:
    """The tiles that hold every word of ``q`` and have the topic and a claim of the
    verdict; an empty filter lets all through."""
    wanted = chosen["q"].casefold().split()
    return [
        tile
        for tile in tiles
        if all(word in _text(tile) for word in wanted)
        and (not chosen["topic"] or chosen["topic"] in tile.topics)
        and (not chosen["verdict"] or tile.counted(chosen["verdict"]))
    ]


def _text(tile: Tile) -> str:
    row = tile.experiment
    said = [*row.title.values(), *row.about.values(), row.name]
    said += [text for claim in row.claims for text in claim["statement"].values()]
    return "\n".join(said).casefold()
