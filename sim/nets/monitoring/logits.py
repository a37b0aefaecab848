"""Attention logits, seen in the functions of torch that attention is computed by."""

import inspect
from collections.abc import Callable
from typing import Any, ClassVar, Self

import torch
from torch import Tensor, overrides
from torch.nn import functional

AT_ONCE = 2**24  # logits held in memory at a time
MASKED = -1e4  # what is added to a logit, or stands for it, where a key may not be seen
SOFTMAX = frozenset({functional.softmax, torch.softmax, Tensor.softmax})


class Logits(overrides.TorchFunctionMode):
    """While entered, tells ``note`` how to find each attention's largest |logit|, a scalar.

    It sees ``scaled_dot_product_attention``, ``nn.MultiheadAttention`` (unless its fused
    inference path runs) and a softmax over a tensor of three axes or more. Keys that may
    not be seen do not count; where there are no logits there is None. Queries and keys are
    multiplied once more to know. Several may be left in any order; torch's fused inference
    path, which hides attention, stays off until the last one is.
    """

    entered: ClassVar[int] = 0  # of the process, as torch's switch of the fused path is
    fused: ClassVar[bool]  # where that switch stood before

    def __init__(self, note: Callable[[Callable[[], Tensor | None]], None]) -> None:
        super().__init__()
        self.note = note

    def __enter__(self) -> Self:
        if not Logits.entered:
            Logits.fused = torch.backends.mha.get_fastpath_enabled()
        Logits.entered += 1
        torch.backends.mha.set_fastpath_enabled(False)
        overrides._push_mode(self)  # type: ignore[no-untyped-call]
        return self

    def __exit__(self, *_error: object) -> None:
        modes = overrides._get_current_function_mode_stack()  # type: ignore[no-untyped-call]
        place = modes.index(self)
        for _ in modes[place:]:
            overrides._pop_mode()  # type: ignore[no-untyped-call]
        for later in modes[place + 1 :]:
            overrides._push_mode(later)  # type: ignore[no-untyped-call]
        Logits.entered -= 1
        if not Logits.entered:
            torch.backends.mha.set_fastpath_enabled(Logits.fused)

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        if func is functional.scaled_dot_product_attention:
            self.note(lambda: _of_products(*args, **kwargs))
        elif func is functional.multi_head_attention_forward:
            self.note(lambda: _of_heads(args, kwargs))
        elif func in SOFTMAX:
            logits = args[0] if args else kwargs["input"]
            if logits.dim() > 2:
                self.note(lambda: _of_softmax(logits))
        return func(*args, **kwargs)


def _of_softmax(logits: Tensor) -> Tensor | None:
    if not logits.numel():
        return None
    logits = _wide(logits)
    return logits.abs().masked_fill(logits <= MASKED, 0).amax()


def _of_products(  # noqa: PLR0913, PLR0917 - the signature of torch's own function
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor | None:
    """Of queries (…, H, T, h) and keys (…, H, S, h)."""
    if enable_gqa:
        key = key.repeat_interleave(query.shape[-3] // key.shape[-3], -3)
    scale = query.shape[-1] ** -0.5 if scale is None else scale
    hidden = None
    if is_causal:
        lengths = query.shape[-2], key.shape[-2]
        hidden = torch.ones(lengths, dtype=torch.bool, device=query.device).triu(1)
    elif attn_mask is not None:
        hidden = ~attn_mask if attn_mask.dtype == torch.bool else _hides(attn_mask)
    return _largest(query, key, hidden, scale)


def _of_heads(args: Any, kwargs: Any) -> Tensor | None:
    """Of what ``nn.MultiheadAttention`` hands over: (T, B, d) or (T, d), and its weights."""
    given = inspect.signature(functional.multi_head_attention_forward).bind(
        *args, **kwargs
    )
    given.apply_defaults()
    a = given.arguments
    query, key = a["query"], a["key"]
    if query.dim() == 2:
        query, key = query[:, None], key[:, None]  # (T, 1, d)
    (length, batch, width), heads = query.shape, a["num_heads"]
    if a["use_separate_proj_weight"]:
        weights = a["q_proj_weight"], a["k_proj_weight"]
    else:
        weights = a["in_proj_weight"][: 2 * width].chunk(2)
    bias = a["in_proj_bias"]
    biases = (None, None) if bias is None else bias[: 2 * width].chunk(2)
    queries, keys = (
        functional.linear(x, w, b)
        .view(len(x), batch, heads, width // heads)
        .permute(1, 2, 0, 3)
        for x, w, b in zip((query, key), weights, biases, strict=True)
    )  # (B, H, T, h), (B, H, S, h)
    hidden = None
    if (mask := a["attn_mask"]) is not None:
        hidden = _hides(mask)  # (T, S) or (B·H, T, S)
        if mask.dim() == 3:
            hidden = hidden.view(batch, heads, length, len(key))
    if (padding := a["key_padding_mask"]) is not None:
        padded = _hides(padding).view(batch, 1, 1, len(key))
        hidden = padded if hidden is None else hidden | padded
    return _largest(queries, keys, hidden, queries.shape[-1] ** -0.5)


def _hides(mask: Tensor) -> Tensor:
    """True where a mask, of truth values or to be added, keeps a key from being seen."""
    return mask if mask.dtype == torch.bool else mask <= MASKED


def _wide(x: Tensor) -> Tensor:
    """In single precision, or in double where it came so."""
    return x.to(torch.promote_types(x.dtype, torch.float32))


def _largest(
    query: Tensor, key: Tensor, hidden: Tensor | None, scale: float
) -> Tensor | None:
    """Largest scale·|q·k|, a few sequences at a time; 0 where nothing may be seen."""
    *outer, length, size = query.shape
    shape = torch.Size((*outer, length, key.shape[-2]))
    if not shape.numel():
        return None
    if hidden is not None:
        hidden = hidden.expand(shape).reshape(-1, *shape[-2:])
    query = _wide(query.reshape(-1, length, size)) * scale  # (B·H, T, h)
    key = _wide(key.expand(*outer, *key.shape[-2:]).reshape(-1, *key.shape[-2:]))
    step = max(1, AT_ONCE // (length * key.shape[-2]))
    found = []
    for first in range(0, len(query), step):
        part = slice(first, first + step)
        logits = torch.bmm(query[part], key[part].mT).abs()  # (≤ step, T, S)
        if hidden is not None:
            logits = logits.masked_fill(hidden[part], 0)
        found.append(logits.amax())
    return torch.stack(found).amax()
