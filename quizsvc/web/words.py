"""Names for the words that rows hold, in the language of the page."""

from collections.abc import Mapping

from flask_babel import gettext
from flask_babel import lazy_gettext as _l
from flask_babel import lazy_pgettext as _p

from quizsvc.web import language

TOPICS = {
    "placement": _l("Placement"),
    "operators": _l("Operators"),
    "stability": _l("Stability"),
    "depth": _l("Depth"),
    "practice": _l("In practice"),
    "initialisation": _l("Initialisation"),
    "optimisation": _l("Optimisation"),
    "precision": _l("Precision"),
    "attention": _l("Attention"),
    "models": _l("Models"),
    "diagnosis": _l("Diagnosis"),
}
TAG_NAMES = {
    "adam": "Adam",
    "attention-logits": _p("tag", "attention logits"),
    "batchnorm": "BatchNorm",
    "bert": "BERT",
    "bfloat16": "bfloat16",
    "checkpoint": _p("tag", "checkpoints"),
    "clipping": _p("tag", "clipping"),
    "cross-attention": _p("tag", "cross-attention"),
    "deepnorm": "DeepNorm",
    "depth": _p("tag", "depth"),
    "diagnosis": _p("tag", "diagnosis"),
    "embedding": _p("tag", "embedding"),
    "epsilon": "epsilon",
    "evaluation": _p("tag", "evaluation"),
    "final-norm": _p("tag", "final norm"),
    "final-quality": _p("tag", "final quality"),
    "fine-tuning": _p("tag", "fine-tuning"),
    "float16": "float16",
    "folding": _p("tag", "folding"),
    "gain": _p("tag", "gain"),
    "gpt-2": "GPT-2",
    "gradient-norm": _p("tag", "gradient norm"),
    "gradient-step": _p("tag", "gradient step"),
    "gradients": _p("tag", "gradients"),
    "inference": _p("tag", "inference"),
    "initialisation": _p("tag", "initialisation"),
    "interview": _p("tag", "interview"),
    "jacobian": _p("tag", "Jacobian"),
    "layernorm": "LayerNorm",
    "learning-rate": _p("tag", "learning rate"),
    "llama": "LLaMA",
    "monitoring": _p("tag", "monitoring"),
    "optimiser": _p("tag", "optimiser"),
    "peri-ln": "Peri-LN",
    "perturbation": _p("tag", "perturbation"),
    "post-norm": "Post-Norm",
    "pre-norm": "Pre-Norm",
    "precision": _p("tag", "precision"),
    "qk-norm": "QK-norm",
    "quantisation": _p("tag", "quantisation"),
    "residual-stream": _p("tag", "residual stream"),
    "rezero": "ReZero",
    "rmsnorm": "RMSNorm",
    "rounding": _p("tag", "rounding"),
    "sandwich-norm": _p("tag", "sandwich norm"),
    "scale": _p("tag", "scale"),
    "scalenorm": "ScaleNorm",
    "second-moment": _p("tag", "second moment"),
    "sgd": "SGD",
    "swin": "Swin",
    "training": _p("tag", "training"),
    "transformer": "Transformer",
    "warmup": _p("tag", "warmup"),
    "weight-decay": _p("tag", "weight decay"),
    "xavier": "Xavier",
}
LEVELS = {
    "easy": _l("Easy"),
    "mid": _l("Medium"),
    "hard": _l("Hard"),
    "extreme": _l("Extreme"),
}
FORMS = {
    "choice": _l("Choice"),
    "estimate": _l("Estimate"),
    "open": _l("Open"),
}
VERDICTS = {
    "supported": _l("Supported"),
    "refuted": _l("Refuted"),
    "inconclusive": _l("Inconclusive"),
}
STATES = {
    "queued": _l("Waiting"),
    "running": _l("Running"),
    "succeeded": _l("Done"),
    "failed": _l("Failed"),
    "cancelled": _l("Cancelled"),
}
RATINGS = {
    "again": _p("rating", "Again"),
    "hard": _p("rating", "Hard"),
    "good": _p("rating", "Good"),
    "easy": _p("rating", "Easy"),
}
REASONS = {
    "due": _l("Due"),
    "new": _l("New"),
    "weak": _l("Weak on the day"),
    "gain": _l("Most gained"),
    "sibling": _l("Related"),
    "leech": _l("Keeps slipping"),
}
WHY = {
    "due": _l("Your recall of them has fallen to the target, or soon will."),
    "new": _l("Never asked so far, from easy to extreme."),
    "weak": _l(
        "There is time to spare, so those that you would recall least at the interview are asked again."
    ),
    "gain": _l(
        "Time is short. Of all that you have met, these raise recall at the interview most for the time they take."
    ),
    "sibling": _l(
        "All that proves the key of each is shown with a question that comes first or came today; on another day it tests you better."
    ),
    "leech": _l(
        "Forgotten more often than chance explains. Asking alone has not helped: take the time to read why after the answer."
    ),
}
RULES = {
    "all-or-nothing": _l("All or nothing: the key, and nothing else."),
    "net-correct": _l(
        "Right ticks minus wrong ticks, over the number of right choices."
    ),
    "each-option": _l("The share of choices that were judged right, ticked or not."),
    "key-points": _l("The share of key points that you ticked."),
    "tolerance": _l("Right within the tolerance, and nothing else."),
}
OPTIONS = {
    # norm operators
    "layer": "LayerNorm",
    "rms": "RMSNorm",
    "batch": "BatchNorm",
    "scale": "ScaleNorm",
    "tanh": "tanh",
    "none": _p("option", "None"),
    # placements, and what is done to the branches
    "pre": "Pre-Norm",
    "post": "Post-Norm",
    "sandwich": "Sandwich-Norm",
    "output": _p("option", "Norm on the output"),
    "deepnorm": "DeepNorm",
    "residual_dual": "ResiDual",
    "mix": "Mix-LN",
    "hybrid": _p("option", "Hybrid"),
    "scaled": _p("option", "Branches ÷ √L"),
    "gpt2": "GPT-2",
    "ln_scaling": _p("option", "LN scaling"),
    "layer_scale": "LayerScale",
    "rezero": "ReZero",
    # whether a norm stands at the end
    "placement": _p("option", "By placement"),
    "always": _p("option", "Always"),
    "never": _p("option", "Never"),
    # activations
    "relu": "ReLU",
    "gelu": "GELU",
    # initialisations
    "xavier": "Xavier",
    "pytorch": "PyTorch",
    "small": "SmallInit",
    "normal": _p("option", "Std 0.02"),
    # number formats
    "bfloat16": "bfloat16",
    "float16": "float16",
    "float32": "float32",
    # faults
    "logits": _p("option", "Attention logits"),
    "branch": _p("option", "Branch"),
    "precision": _p("option", "Half precision"),
    "rate": _p("option", "Learning rate"),
    # targets
    "gaussian": _p("option", "Gaussian"),
    "normalised": _p("option", "Normalised"),
}
"""The values that experiments let one choose from; proper names are plain text."""


def _(message: str, **values: object) -> str:
    """A message in the language of the page, with its values."""
    return str(gettext(message, **values))


def name(names: Mapping[str, object], word: str) -> str:
    """The name of a word, or the word itself."""
    return str(names.get(word, word))


def said(text: Mapping[str, str]) -> str:
    """A text kept in several languages, in the page's if it is there."""
    return (
        text.get(language.chosen()) or text.get("en") or next(iter(text.values()), "")
    )
