"""A task on images of patches, and Transformers that classify them."""

import math
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from sim.nets import chance
from sim.nets.transformer import Trace, Transformer

PIXELS = 16  # of a patch
KINDS = 4  # patterns of each of the two sets
CLASSES = KINDS**2
NOISE = 0.5  # std of every pixel


class Images:
    """Noisy patches, two of which show a pattern: one of each set, somewhere.

    The class names both patterns, so a model that knows nothing scores ln 16. Patterns are
    drawn once for each seed, with pixels of unit variance.
    """

    def __init__(self, seeds: Sequence[int], patches: int) -> None:
        self.rngs = [chance.generator(seed, "images") for seed in seeds]
        shape = (2, KINDS, PIXELS)
        self.patterns = [rng.standard_normal(shape, np.float32) for rng in self.rngs]
        self.patches = patches

    def sample(self, steps: int, batch: int) -> Tensor:
        """All pixels of an image, then its class, (steps, S, B, patches · PIXELS + 1)."""
        drawn = []
        for rng, patterns in zip(self.rngs, self.patterns, strict=True):
            kinds = rng.integers(KINDS, size=(steps, batch, 2))
            order = rng.random((steps, batch, self.patches)).argsort(-1)
            size = (steps, batch, self.patches, PIXELS)
            images = rng.standard_normal(size, np.float32) * np.float32(NOISE)
            for part in range(2):
                place = order[..., part, None, None]  # (steps, B, 1, 1)
                shown = patterns[part][kinds[..., part]][..., None, :]
                seen = np.take_along_axis(images, place, 2)  # (steps, B, 1, PIXELS)
                np.put_along_axis(images, place, seen + shown, 2)
            label = kinds[..., :1] * KINDS + kinds[..., 1:]  # (steps, B, 1)
            flat = images.reshape(steps, batch, -1)
            drawn.append(np.concatenate([flat, label.astype(np.float32)], -1))
        return chance.tensor(drawn, 1)

    @staticmethod
    def gap(loss: Tensor) -> Tensor:
        """What is left to learn: 1 for a model that knows nothing, 0 for a perfect one."""
        return loss / math.log(CLASSES)


class Vision(Transformer):
    """Transformers whose symbols are images: their token matrix projects PIXELS to d.

    Their vocabulary is PIXELS, which is CLASSES as well; their length T counts patches.
    """

    def embed(self, ids: Tensor) -> Tensor:
        """Patches of (M, B, T · PIXELS) with their positions, as rows (M, N, d)."""
        models, batch, _ = ids.shape
        length, width = self.architecture.length, self.architecture.width
        rows = ids.reshape(models, batch * length, PIXELS)
        x = torch.bmm(rows, self.outer["token"])  # (M, N, d)
        x = x.view(models, batch, length, width) + self.outer["position"][:, None]
        return x.view(models, -1, width)

    def losses(
        self, ids: Tensor, targets: Tensor, trace: Trace | None = None
    ) -> Tensor:
        """Mean cross-entropy of images' classes, the last of (M, B, T · PIXELS), (M,)."""
        models, batch, _ = ids.shape
        y = self.finish(self.stream(self.embed(ids), trace))  # (M, N, d)
        pooled = y.view(models, batch, -1, y.shape[-1]).mean(2)  # (M, B, d)
        logits = torch.baddbmm(self.outer["head_bias"], pooled, self.outer["head"])
        labels = targets[..., -1].long().flatten()  # (M·B,)
        found = functional.cross_entropy(logits.flatten(0, 1), labels, reduction="none")
        return found.view(models, batch).mean(1)
