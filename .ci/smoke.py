"""Start the service as the README says, answer one question and run one experiment."""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from typing import Any


def main() -> None:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    with tempfile.TemporaryDirectory() as data:
        service = subprocess.Popen(
            ["make", "--silent", "run", f"SERVE=--port {port} --data {data}"],
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        try:
            assert service.stdout is not None
            line = service.stdout.readline()
            assert f"127.0.0.1:{port}" in line, f"not ready: {line!r}"
            practise(f"http://127.0.0.1:{port}")
        finally:
            began = time.monotonic()
            os.killpg(service.pid, signal.SIGTERM)
            service.wait(timeout=15)
    print(f"smoke: stopped in {time.monotonic() - began:.1f} s")


def practise(root: str) -> None:
    due = call(root, "GET", "/api/v1/due")["data"]
    choice = next(item for item in due if item["type"] == "single")
    shown = call(root, "POST", f"/api/v1/questions/{choice['slug']}/presentations", {})
    said = {"choices": [shown["choices"][0]["id"]], "confidence": "unsure"}
    path = f"/api/v1/presentations/{shown['id']}/answers"
    answer = call(root, "POST", path, said, {"Idempotency-Key": "smoke"})
    assert answer["score"] in (0, 1), answer
    assert answer["review"]["due"], answer
    print(f"smoke: answered {choice['slug']}, due again {answer['review']['due']}")

    body = {"seeds": [5, 6, 7, 8, 9]}
    run = call(root, "POST", "/api/v1/experiments/batch_independence/runs", body)
    for _ in range(600):
        run = call(root, "GET", f"/api/v1/runs/{run['id']}")
        if run["state"] in {"succeeded", "failed", "cancelled"}:
            break
        time.sleep(0.1)
    assert run["state"] == "succeeded", run
    verdicts = call(root, "GET", f"/api/v1/runs/{run['id']}/result")["verdicts"]
    print("smoke:", ", ".join(f"{v['claim']} {v['outcome']}" for v in verdicts))


def call(
    root: str,
    method: str,
    path: str,
    body: Any = None,
    headers: dict[str, str] | None = None,
) -> Any:
    request = urllib.request.Request(
        root + path,
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Content-Type": "application/json", **(headers or {})},
    )
    with urllib.request.urlopen(request, timeout=10) as reply:
        return json.load(reply)


if __name__ == "__main__":
    sys.exit(main())
