"""Experiments and their runs."""

from typing import Any, Literal

from pydantic import Field

from quizsvc.schemas.base import In, Moment, Out


class RunIn(In):
    params: dict[str, Any] = Field({})
    seeds: list[Any] | None = None


class ExperimentItemOut(Out):
    name: str
    topic: str
    title: dict[str, str]
    seconds: float
    claims: int


class ExperimentsOut(Out):
    data: list[ExperimentItemOut]
    has_more: bool
    next: str | None


class ExperimentOut(Out):
    name: str
    topic: str
    title: dict[str, str]
    about: dict[str, str]
    schema_: dict[str, Any] = Field(serialization_alias="schema")
    claims: list[dict[str, Any]]
    seconds: float
    source_hash: str
    default_run: str | None


class RunOut(Out):
    id: str
    experiment: str
    state: Literal["queued", "running", "succeeded", "failed", "cancelled"]
    progress: float
    cached: bool = False
    params: dict[str, Any]
    seeds: list[int]
    attempt: int
    error: str | None
    queued_at: Moment
    started_at: Moment | None
    finished_at: Moment | None


class ResultOut(Out):
    params: dict[str, Any]
    seeds: list[int]
    metrics: dict[str, list[float | None]]
    verdicts: list[dict[str, Any]]
    figures: list[dict[str, Any]]
    seconds: float
