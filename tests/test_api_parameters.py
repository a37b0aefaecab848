"""A law of every route of the API: a query parameter that it does not take is refused."""

import re
from pathlib import Path
from typing import Any

import pytest
from apiflask import APIFlask
from flask.testing import FlaskClient
from sqlalchemy import Engine

from .api_helpers import V1, stock
from .factories import make_item

LISTS = {"/questions", "/due", "/reviews", "/experiments"}


@pytest.fixture(autouse=True)
def _bank(engine: Engine, tmp_path: Path) -> None:
    stock(engine, tmp_path, [make_item()])


@pytest.fixture
def operations(client: FlaskClient) -> dict[tuple[str, str], dict[str, Any]]:
    paths = client.get(f"{V1}/openapi.json").get_json()["paths"]
    return {
        (path, method): operation
        for path, methods in paths.items()
        for method, operation in methods.items()
        if path.startswith(V1)
    }


def named(operation: dict[str, Any]) -> set[str]:
    parameters = operation.get("parameters", [])
    return {one["name"] for one in parameters if one["in"] == "query"}


def test_every_route_refuses_a_query_parameter_it_does_not_take(
    client: FlaskClient, operations: dict[tuple[str, str], dict[str, Any]]
) -> None:
    assert len(operations) > 15
    for path, method in operations:
        address = re.sub(r"\{\w+\}", "any", path)
        for query in ("surprise=1", "limit=1&surprise=", "surprise=a&surprise=b"):
            reply = client.open(f"{address}?{query}", method=method.upper())
            problem = reply.get_json()
            assert (reply.status_code, problem["code"]) == (400, "unknown-parameter"), (
                method,
                path,
            )
            pointers = [error["pointer"] for error in problem["errors"]]
            assert "/surprise" in pointers, path
            assert problem["errors"][-1]["detail"].endswith(".")


def test_every_list_takes_a_limit_and_a_cursor_and_nothing_it_does_not_name(
    client: FlaskClient, operations: dict[tuple[str, str], dict[str, Any]]
) -> None:
    lists = {
        path.removeprefix(V1): operation
        for (path, method), operation in operations.items()
        if method == "get" and "limit" in named(operation)
    }
    assert lists.keys() >= LISTS
    for path, operation in lists.items():
        assert named(operation) >= {"limit", "after"}, path
        assert client.get(f"{V1}{path}?limit=1").status_code == 200, path
        hidden = client.get(f"{V1}{path}?correct=true&rationale=x").get_json()
        found = {error["pointer"] for error in hidden["errors"]}
        assert found == {"/correct", "/rationale"}, path


def test_a_parameter_that_is_taken_is_not_refused(
    client: FlaskClient, app: APIFlask
) -> None:
    for query in ("lang=zh", "q=norm&topic=placement&level=easy&type=single", ""):
        assert client.get(f"{V1}/questions?{query}").status_code == 200, query
    assert client.head(f"{V1}/questions?limit=1").status_code == 200
    assert client.head(f"{V1}/questions?surprise=1").status_code == 400
