"""A monitor for any ``torch.nn.Module``: which layer broke first, and by which sign.

with Monitor(model) as monitor:
    loss = criterion(model(x), y)
    loss.backward()
    optimizer.step()
    reading = monitor.read()
print(reading)
print(reading.broken(healthy=earlier_readings))
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from typing import Any, Self

import torch
from torch import Tensor, nn

from sim.nets.monitoring.logits import Logits
from sim.nets.monitoring.readings import Layer, Reading

NORMS = (nn.LayerNorm, nn.RMSNorm, nn.GroupNorm, nn.modules.batchnorm._BatchNorm)


class Monitor:
    """Watches a model's layers while it is entered as a context, and not a moment longer.

    Layers are the repeated blocks of the model (members of the outermost lists whose class
    occurs twice) and every other module with weights of its own, unless ``layers`` names
    modules. A layer's branches are its children, other than norms, that have weights and
    return the shape of the layer's input, unless ``branches`` names modules within a layer.
    Attention is seen where ``nn.MultiheadAttention``, ``scaled_dot_product_attention`` or a
    softmax over three axes or more computes it.

    Works in training and in evaluation, with and without gradients; it changes no number.
    Torch's fused inference path, which skips modules, stays off meanwhile. With ``updates``
    it keeps a copy of the weights from the first backward pass after a reading until the
    next one. Several monitors may be left in any order. Raises KeyError for a name that is
    not there, RuntimeError when entered while it already is.
    """

    def __init__(
        self,
        model: nn.Module,
        *,
        layers: Sequence[str] = (),
        branches: Sequence[str] = (),
        updates: bool = True,
    ) -> None:
        modules = dict(model.named_modules())
        named = {name: modules[name] for name in layers} or _layers(model)
        self.seen = [_Seen(name, module) for name, module in named.items()]
        self.branches = branches
        self.updates = updates
        self.before: dict[Tensor, Tensor] = {}
        self.entered = False
        self.running: list[_Seen] = []  # the innermost last
        self.order: list[_Seen] = []
        self.hooks = ExitStack()

    def __enter__(self) -> Self:
        if self.entered:
            raise RuntimeError("this monitor is already entered; use another one")
        try:
            for seen in self.seen:
                self._watch(seen)
            self._watch_weights()
            self.hooks.enter_context(Logits(self.score))
        except BaseException:
            self.hooks.close()
            raise
        self.entered = True
        return self

    def __exit__(self, *_error: object) -> None:
        self.hooks.close()
        self.running.clear()
        self.entered = False

    @torch.no_grad()
    def read(self) -> Reading:
        """What each layer has shown since the last reading: the largest of several calls.

        In training read after the optimiser's step: an update is what happened since the
        first backward pass. Gradients are the last ones accumulated. Raises RuntimeError
        for a model that ran on the meta device.
        """
        reading = Reading(layers=[seen.layer(self.before) for seen in self.order])
        for seen in self.order:
            seen.clear()
        self.order.clear()
        self.before.clear()
        return reading

    def score(self, largest: Callable[[], Tensor | None]) -> None:
        """Note attention logits of the layer that is running."""
        if not self.running:
            return
        with torch.no_grad():
            found = largest()
        if found is not None:
            seen = self.running[-1]
            seen.logit = _larger(seen.logit, found)

    def _watch(self, seen: "_Seen") -> None:
        module = seen.module
        self._hook(module.register_forward_pre_hook, partial(self._start, seen))
        # a layer that raises ends as well
        end = partial(module.register_forward_hook, always_call=True)
        self._hook(end, partial(self._end, seen))
        children: Mapping[str, nn.Module] = dict(module.named_children())
        if self.branches:
            inner = dict(module.named_modules())
            children = {name: inner[name] for name in self.branches if name in inner}
        for name, child in children.items():
            if self.branches or _may_be_branch(child):
                self._hook(child.register_forward_hook, partial(_branch, seen, name))

    def _hook(self, register: Callable[..., Any], hook: Callable[..., None]) -> None:
        self.hooks.callback(register(hook, with_kwargs=True).remove)

    def _watch_weights(self) -> None:
        owners: dict[nn.Parameter, list[_Seen]] = {}
        for seen in self.seen:
            for weight in seen.module.parameters():
                if weight.requires_grad:
                    owners.setdefault(weight, []).append(seen)
        for weight, owning in owners.items():
            hook = partial(self._accumulated, owning)
            register: Callable[..., Any] = weight.register_post_accumulate_grad_hook
            self.hooks.callback(register(hook).remove)

    def _start(self, seen: "_Seen", _module: nn.Module, args: Any, kwargs: Any) -> None:
        stream = _numbers((args, kwargs))
        seen.shape = None if stream is None else stream.shape
        seen.stream = None if stream is None else _rms(stream)
        self.running.append(seen)

    def _end(
        self, seen: "_Seen", _module: nn.Module, _args: Any, _kwargs: Any, output: Any
    ) -> None:
        if seen not in self.running:
            return  # another hook raised before its start
        while self.running.pop() is not seen:
            pass  # an interrupt leaves layers without their end
        if seen not in self.order:
            self.order.append(seen)
        if seen.stream is not None:
            seen.input = _larger(seen.input, seen.stream)
        found = _numbers(output)
        if found is not None:
            seen.rms = _larger(seen.rms, _rms(found))

    @torch.no_grad()
    def _accumulated(self, owners: Sequence["_Seen"], weight: Tensor) -> None:
        if weight.grad is None:
            return
        gradient = (
            weight.grad.coalesce().values() if weight.grad.is_sparse else weight.grad
        )
        for seen in owners:
            seen.gradients[weight] = _norm(gradient)
        if self.updates and weight not in self.before:
            self.before[weight] = weight.detach().clone()


class _Seen:
    """What one layer has shown since the last reading."""

    def __init__(self, name: str, module: nn.Module) -> None:
        self.name, self.module = name, module
        self.shape: torch.Size | None = None  # of the input of the running call
        self.stream: Tensor | None = None  # its RMS
        self.clear()

    def clear(self) -> None:
        self.input: Tensor | None = None
        self.rms: Tensor | None = None
        self.logit: Tensor | None = None
        self.branches: dict[str, Tensor] = {}
        self.gradients: dict[Tensor, Tensor] = {}

    def layer(self, before: Mapping[Tensor, Tensor]) -> Layer:
        known = [weight for weight in self.gradients if weight in before]
        size = _joint([_norm(before[weight]) for weight in known])
        moved = _joint([_norm(weight - before[weight]) for weight in known])
        return Layer(
            name=self.name,
            input=_float(self.input),
            logit=_float(self.logit),
            branches={name: _number(ratio) for name, ratio in self.branches.items()},
            rms=_float(self.rms),
            gradient=_joint(list(self.gradients.values())),
            update=moved / size if moved is not None and size else None,
        )


def _branch(
    seen: _Seen, name: str, _module: nn.Module, _args: Any, _kwargs: Any, output: Any
) -> None:
    found = _numbers(output)
    if seen.stream is not None and found is not None and found.shape == seen.shape:
        ratio = torch.where(seen.stream == 0, 0, _rms(found) / seen.stream)
        seen.branches[name] = _larger(seen.branches.get(name), ratio)


def _layers(model: nn.Module) -> dict[str, nn.Module]:
    """Repeated blocks, and what else has weights of its own; each module once."""
    if _is_whole(model):
        return {"model": model}
    found: dict[nn.Module, str] = {}
    for name, module in _parts(model, ""):
        found.setdefault(module, name)
    return {name: module for module, name in found.items()}


def _parts(module: nn.Module, prefix: str) -> Iterator[tuple[str, nn.Module]]:
    members: list[nn.Module] = []
    if isinstance(module, nn.ModuleList | nn.Sequential):
        members = list(module)
    elif isinstance(module, nn.ModuleDict):
        members = list(module.values())
    kinds = list(map(type, members))
    for name, child in module.named_children():
        if not _has_weights(child):
            continue
        if _is_whole(child) or kinds.count(type(child)) > 1:
            yield f"{prefix}{name}", child
        else:
            yield from _parts(child, f"{prefix}{name}.")


def _is_whole(module: nn.Module) -> bool:
    """Whether no part of it has weights and runs as a module."""
    inner = any(map(_has_weights, module.children()))
    return not inner or isinstance(module, nn.MultiheadAttention)


def _has_weights(module: nn.Module) -> bool:
    return any(True for _ in module.parameters())


def _may_be_branch(child: nn.Module) -> bool:
    norm = isinstance(child, NORMS) or "norm" in type(child).__name__.lower()
    return not norm and _has_weights(child)


def _numbers(value: Any) -> Tensor | None:
    """The tensor a layer takes or returns; None where it is empty or there is none."""
    found = _tensor(value)
    return found if found is not None and found.numel() else None


def _tensor(value: Any) -> Tensor | None:
    """The first tensor of real or complex numbers in nested tuples, lists and mappings."""
    if isinstance(value, Tensor):
        return value if value.is_floating_point() or value.is_complex() else None
    parts = value.values() if isinstance(value, Mapping) else value
    if isinstance(value, Mapping | tuple | list):
        return next((t for t in map(_tensor, parts) if t is not None), None)
    return None


def _norm(x: Tensor) -> Tensor:
    wide = torch.promote_types(x.dtype, torch.float32)
    norm: Tensor = torch.linalg.vector_norm(x.detach(), dtype=wide)
    return norm


def _rms(x: Tensor) -> Tensor:
    if x.is_nested:
        x = torch.cat([part.flatten() for part in x.unbind()])
    rms: Tensor = _norm(x) / x.numel() ** 0.5
    return rms


def _larger(a: Tensor | None, b: Tensor) -> Tensor:
    """The larger one; NaN is larger than all."""
    return b if a is None else torch.maximum(a, b)


def _joint(norms: Sequence[Tensor]) -> float | None:
    """The norm of parts together; None of none."""
    return math.hypot(*map(_number, norms)) if norms else None


def _float(x: Tensor | None) -> float | None:
    return None if x is None else _number(x)


def _number(x: Tensor) -> float:
    if x.is_meta:
        raise RuntimeError("a model on the meta device has no numbers to read")
    return float(x)
