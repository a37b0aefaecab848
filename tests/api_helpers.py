"""A bank and a catalogue for tests over HTTP, and the loop in two calls."""

import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from flask.testing import FlaskClient
from sqlalchemy import Engine
from werkzeug.test import TestResponse

from question_bank.content import QuestionItem
from question_bank.transfer import import_pack
from quizsvc import lab
from quizsvc.db import writing
from sim.registry import Entry

from .factories import write_pack

V1 = "/api/v1"
NOW = datetime.now(UTC)
COIN = Entry(
    name="coin",
    topic="chance",
    title={"en": "A coin", "zh": "硬币"},
    about={"en": "Tosses a coin.", "zh": "抛硬币。"},
    schema={
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "tosses": {
                "type": "integer",
                "minimum": 1,
                "maximum": 1000,
                "default": 100,
            },
            "bias": {"type": "number", "minimum": 0, "maximum": 1, "default": 0.5},
            "side": {"enum": ["heads", "tails"], "default": "heads"},
        },
    },
    claims=[
        {
            "id": "fair",
            "statement": {"en": "It is fair.", "zh": "它是公平的。"},
            "metric": "share",
            "above": 0.3,
            "below": 0.7,
            "source": "arithmetic",
            "regime": {"en": "any", "zh": "任意"},
            "over": "seeds",
        }
    ],
    seconds=1.0,
    source_hash="0" * 64,
    source="",
)


def stock(engine: Engine, folder: Path, items: list[QuestionItem]) -> None:
    """Import questions and a catalogue of one experiment that is never run."""
    with writing(engine) as session:
        import_pack(session, write_pack(folder / "pack", items), at=NOW)
        lab.store_catalogue(session, [COIN])
        session.commit()


def show(client: FlaskClient, slug: str, lang: str = "en") -> dict[str, Any]:
    reply = client.post(f"{V1}/questions/{slug}/presentations", json={"lang": lang})
    assert reply.status_code == 201, reply.text
    return dict(reply.get_json())


def answer(
    client: FlaskClient, shown: dict[str, Any], key: str | None = None, **body: Any
) -> TestResponse:
    return client.post(
        f"{V1}/presentations/{shown['id']}/answers",
        json=body,
        headers={"Idempotency-Key": key or uuid.uuid4().hex},
    )


def choice(shown: dict[str, Any], *words: str) -> list[str]:
    """The ids under which these choices were shown (their text ends in the name)."""
    return [
        c["id"]
        for c in shown["choices"]
        if any(c["text"].endswith(f" {word}.") for word in words)
    ]
