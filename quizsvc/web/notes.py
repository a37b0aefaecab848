"""What is said below a figure of a run where its legend alone would mislead."""

from collections.abc import Mapping
from typing import Any


def noted(experiment: str, figure: Mapping[str, Any]) -> Mapping[str, Any]:
    """The figure with the note there is on it."""
    note = NOTES.get((experiment, figure["id"]))
    return {**figure, "note": note} if note else figure


BRANCHES = {
    "en": "Dash-dotted: what theory expects at the parameters of this run. In each layer feed-forward adds the smaller of the two numbers; attention adds from nearly nothing, where many unrelated tokens average out, up to the rest of the larger, 1 with Xavier's weights, where tokens are alike. The $1 + l/2$ and $1 + 3l/2$ of Xiong et al. are these lines for a feed-forward sublayer as wide as the stream with ReLU; another width ratio, activation or initialisation has other numbers, such as 0.32 at ratio 4.",
    "zh": "点划线是理论在这次运行的参数下给出的预期。每一层中，前馈增加两个数中较小的那个；注意力的增量介于接近 0（许多互不相关的 token 相互抵消）与较大的数所余的部分（token 彼此相同，Xavier 权重下为 1）之间。Xiong 等人的 $1 + l/2$ 与 $1 + 3l/2$ 是前馈子层与残差流等宽、激活为 ReLU 时的这两条线；前馈宽度比、激活函数或初始化不同，数值也就不同，例如宽度比为 4 时是 0.32。",
}
NOTES: Mapping[tuple[str, str], Mapping[str, str]] = {
    ("depth_laws", "streams"): BRANCHES,
    ("residual_growth", "streams"): BRANCHES,
    ("residual_growth", "ratios"): {
        "en": "The theoretical line is the smallest ratio to expect: the feed-forward branch keeps its size, and the stream grows as fast as it can, by feed-forward's part and all of attention's in every layer. Where attention adds less, the ratio is larger.",
        "zh": "理论线是可以预期的最小比值：前馈支路大小不变，而残差流增长得最快，每层都加上前馈的一份和注意力的全部。注意力增加得较少时，比值更大。",
    },
    ("residual_growth", "unnormalised"): {
        "en": "The theoretical line counts the feed-forward branch alone and is a lower bound: the claim asks only for more than that. Without norms attention adds to the stream as well: little at first, where unrelated tokens average out, and at Xavier's weights about as much as the stream holds once tokens are alike or each attends to a single one. So the measured curve may lie many powers of ten above the line.",
        "zh": "理论线只计入前馈支路，是下界：论断只要求高于它。没有归一化时，注意力也向残差流增加：起初互不相关的 token 相互抵消，增加得少；等到各 token 彼此相同，或每个 token 只看一个 token，在 Xavier 权重下每层增加的就与残差流本身大致一样多。因此测得的曲线可以比这条线高出许多个数量级。",
    },
}
"""By experiment and figure; Markdown with formulas."""
