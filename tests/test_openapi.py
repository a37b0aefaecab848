import re
from typing import Any

import pytest
from apiflask import APIFlask
from flask.testing import FlaskClient


@pytest.fixture
def spec(client: FlaskClient) -> dict[str, Any]:
    return dict(client.get("/api/v1/openapi.json").get_json())


def test_the_document_and_the_routes_agree(app: APIFlask, spec: dict[str, Any]) -> None:
    routes = {
        (re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule), method.lower())
        for rule in app.url_map.iter_rules()
        if rule.rule.startswith("/api/v1") or rule.rule in {"/healthz", "/readyz"}
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    } - {("/api/v1/openapi.json", "get")}
    described = {(p, m) for p, operations in spec["paths"].items() for m in operations}

    assert spec["openapi"] == "3.1.0"
    assert routes == described


def test_every_operation_describes_itself_and_its_errors(spec: dict[str, Any]) -> None:
    for path, operations in spec["paths"].items():
        for method, operation in operations.items():
            name = f"{method} {path}"
            assert operation.get("summary") or operation.get("description"), name
            assert any(status < "400" for status in operation["responses"]), name
            for status, response in operation["responses"].items():
                if status >= "400" and path != "/readyz":
                    assert list(response["content"]) == ["application/problem+json"], (
                        name
                    )
            if "requestBody" in operation:
                assert operation["requestBody"]["required"], name


def test_answers_need_their_idempotency_key_in_the_document_too(
    spec: dict[str, Any],
) -> None:
    path = spec["paths"]["/api/v1/presentations/{presentation_id}/answers"]
    headers = [p for p in path["post"]["parameters"] if p["in"] == "header"]

    assert [(h["name"], h["required"]) for h in headers] == [("Idempotency-Key", True)]


def test_every_reference_leads_somewhere(spec: dict[str, Any]) -> None:
    def references(node: Any) -> list[str]:
        if isinstance(node, dict):
            own = [node["$ref"]] if isinstance(node.get("$ref"), str) else []
            return own + [r for value in node.values() for r in references(value)]
        if isinstance(node, list):
            return [r for value in node for r in references(value)]
        return []

    for reference in references(spec):
        place: Any = spec
        for part in reference.removeprefix("#/").split("/"):
            assert part in place, reference
            place = place[part]


def test_the_readable_page_names_every_operation_and_loads_nothing_foreign(
    client: FlaskClient, spec: dict[str, Any]
) -> None:
    page = client.get("/api/docs").text

    for path in spec["paths"]:
        assert path in page
    assert not re.search(r'(src|href)="(https?:)?//', page)
