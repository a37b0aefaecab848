"""What a child may be told to do instead of an experiment; light to import."""

import os
import time
from pathlib import Path
from typing import Any

from quizsvc.jobs.child import UnusableError

RESULT = {"metrics": {"x": [1.0]}, "verdicts": [], "figures": [], "seconds": 0.5}


def at_once(name: Any, params: Any, seeds: Any, progress: Any) -> dict[str, Any]:
    return RESULT


def never(name: Any, params: Any, seeds: Any, progress: Any) -> dict[str, Any]:
    time.sleep(600)
    return RESULT


def error(name: Any, params: Any, seeds: Any, progress: Any) -> dict[str, Any]:
    raise ZeroDivisionError("secret detail")


def measure(name: Any, params: Any, seeds: Any, progress: Any) -> dict[str, Any]:
    progress(0.5)
    return {"name": name, "params": params, "seeds": seeds}


def tell_threads(name: Any, params: Any, seeds: Any, progress: Any) -> dict[str, Any]:
    import torch

    return {"threads": torch.get_num_threads(), "group": os.getpgid(0) == os.getpid()}


def tell_cpu_limit(name: Any, params: Any, seeds: Any, progress: Any) -> dict[str, Any]:
    import resource

    return {"seconds": resource.getrlimit(resource.RLIMIT_CPU)[0]}


def leave_a_child(name: Any, params: Any, seeds: Any, progress: Any) -> dict[str, Any]:
    if (pid := os.fork()) == 0:
        time.sleep(600)
    return {"pid": pid}


def sign_and_sleep(name: Any, params: Any, seeds: Any, progress: Any) -> dict[str, Any]:
    Path(params["folder"], str(os.getpid())).touch()
    time.sleep(600)
    return RESULT


def fork_and_sleep(name: Any, params: Any, seeds: Any, progress: Any) -> dict[str, Any]:
    pid = os.fork()
    if pid == 0:
        time.sleep(600)
    time.sleep(0.2)  # news is told at most ten times a second
    progress(pid / 2**32)
    time.sleep(600)
    return {}


def spin(name: Any, params: Any, seeds: Any, progress: Any) -> dict[str, Any]:
    while True:
        pass


def fill_with_numpy(name: Any, params: Any, seeds: Any, progress: Any) -> Any:
    import numpy as np

    return [np.ones(2**24) for _ in range(10)]  # 128 MB each


def fill_with_torch(name: Any, params: Any, seeds: Any, progress: Any) -> Any:
    import torch

    return [torch.ones(2**25) for _ in range(10)]  # 128 MB each


def leave(name: Any, params: Any, seeds: Any, progress: Any) -> Any:
    os._exit(0)


def refuse(name: Any, params: Any, seeds: Any, progress: Any) -> Any:
    raise UnusableError("width: must be a multiple of heads")


def answer_nan(name: Any, params: Any, seeds: Any, progress: Any) -> Any:
    return {"loss": float("nan")}


def tell_niceness(name: Any, params: Any, seeds: Any, progress: Any) -> dict[str, int]:
    return {"nice": os.nice(0)}
