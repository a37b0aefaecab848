"""The peer of the answer route: Flask and SQLAlchemy with nothing of ours in between.

One select, one insert, one commit, on the same kind of engine and the same tables.
"""

import json
import os
from datetime import UTC, datetime
from typing import Any

from flask import Flask, jsonify, request

from quizsvc.db import make_engine, writing
from quizsvc.models import IdempotencyKey, Presentation

app = Flask(__name__)
engine = make_engine(os.environ["QUIZ_DATABASE_URL"])


@app.post("/api/v1/presentations/<presentation_id>/answers")
def answer(presentation_id: str) -> Any:
    body = request.get_json()
    with writing(engine) as session:
        shown = session.get_one(Presentation, presentation_id)
        session.add(
            IdempotencyKey(
                user_id=shown.user_id,
                key=request.headers["Idempotency-Key"],
                fingerprint="",
                status=201,
                body=json.dumps(body),
                created_at=datetime.now(UTC),
            )
        )
        session.commit()
    return jsonify(body), 201
