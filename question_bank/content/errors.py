"""What is wrong with a file, and where."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, order=True)
class ContentError:
    """One mistake. Lines count from 1."""

    path: Path
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}"


class InvalidContent(Exception):  # noqa: N818 - the name is the rule broken
    """Files that cannot be read; ``errors`` holds every mistake found, in order."""

    def __init__(self, errors: Iterable[ContentError]) -> None:
        self.errors = tuple(sorted(errors))
        super().__init__("\n".join(map(str, self.errors)))
