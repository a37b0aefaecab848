"""What a candidate is asked to predict: for each experiment one metric, in words."""

from collections.abc import Mapping
from dataclasses import dataclass

from quizsvc.models import Experiment

Words = Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Ask:
    """A number to predict: the metric of a claim, and the question for it."""

    metric: str
    question: Words


def of(experiment: Experiment) -> Ask:
    """What to ask about an experiment: the number of the table below, or that of its
    first claim where the table has none."""
    metric, en, zh = ASKED.get(experiment.name, ("", "", ""))
    metrics = [claim["metric"] for claim in experiment.claims]
    if metric in metrics:
        return Ask(metric=metric, question={"en": en, "zh": zh})
    return Ask(
        metric=metrics[0],
        question={
            "en": f"What will `{metrics[0]}` be? It decides claim 1.",
            "zh": f"`{metrics[0]}` 会是多少？第 1 条论断由它判定。",
        },
    )


ASKED: Mapping[str, tuple[str, str, str]] = {
    "attention_logits": (
        "growth",
        "How many times as large does the largest attention logit become in training at the high rate, without QK-norm?",
        "在高学习率下且没有 QK-norm 时，训练后最大的注意力 logit 变为原来的多少倍？",
    ),
    "batch_independence": (
        "bn_row_change",
        "All other rows of the largest batch are replaced: which share of its own size does BatchNorm change a row's output by?",
        "最大的批中，其余各行全部换掉：BatchNorm 使某一行输出的改变量是其自身大小的多少倍？",
    ),
    "block_pipeline": (
        "post_skip_gradient",
        "Post-Norm: which share (0 to 1) of the gradient at the output comes back through the skip path past feed-forward?",
        "Post-Norm：绕过前馈的跳跃路径传回的梯度，占输出处梯度的多大比例（0 到 1）？",
    ),
    "checkpoint_migration": (
        "untrained_cosine",
        "The same untrained weights, read as Pre-Norm and as Post-Norm: which cosine do the two outputs have?",
        "同一组未训练的权重，分别当作 Pre-Norm 和 Post-Norm 读入：两者输出的余弦是多少？",
    ),
    "cross_attention": (
        "independent_factor",
        "The memory's tokens are independent of one another: by which factor does the gradient change with each layer on its way down a Post-Norm decoder?",
        "记忆的 token 彼此独立时，梯度沿 Post-Norm 解码器往回传，每过一层变为多少倍？",
    ),
    "depth_laws": (
        "pre_last_slope",
        "The gradient at Pre-Norm's last feed-forward matrix changes with depth as $L^e$: which exponent $e$?",
        "Pre-Norm 最后一个前馈矩阵的梯度随深度按 $L^e$ 变化：指数 $e$ 是多少？",
    ),
    "depth_limit": (
        "post_shallow_gap",
        "With the same warmup, which gap does the shallowest Post-Norm stack end with? 0: all learnt, 1: symbol frequencies alone.",
        "预热相同，最浅的 Post-Norm 网络最终的差距是多少？0 为全部学会，1 为只学到符号频率。",
    ),
    "early_and_final_loss": (
        "final_post_minus_pre",
        "In the end, each at its better rate: Post-Norm's gap minus Pre-Norm's? A gap is 0 when all is learnt, 1 at symbol frequencies alone.",
        "最终，在各自较好的学习率下：Post-Norm 的差距减去 Pre-Norm 的差距是多少？差距 0 为全部学会，1 为只学到符号频率。",
    ),
    "effective_depth": (
        "pre_late_drop",
        "By how much does leaving out one late layer raise a trained Pre-Norm network's gap? A gap is 0 when all is learnt, 1 at symbol frequencies alone.",
        "去掉后面的一层，训练好的 Pre-Norm 网络的差距增加多少？差距 0 为全部学会，1 为只学到符号频率。",
    ),
    "final_norm_and_embedding": (
        "logits_ratio",
        "How many times as large is the std of the deepest stack's logits without the final norm?",
        "去掉末端归一化后，最深网络 logits 的标准差变为多少倍？",
    ),
    "fine_tuning_warmup": (
        "post_cold_minus_warm",
        "By how much does a little warmup lower Post-Norm's gap after fine-tuning? A gap is 0 when all is learnt, 1 at symbol frequencies alone.",
        "少量预热使 Post-Norm 微调后的差距降低多少？差距 0 为全部学会，1 为只学到符号频率。",
    ),
    "fusion_and_speed": (
        "post_moved",
        "Addition and norm in one kernel: how many tensors does Post-Norm move?",
        "加法和归一化合为一个内核：Post-Norm 要搬运几个张量？",
    ),
    "gradient_flow": (
        "pre_first_to_last",
        "How many times as large is the gradient at the deepest Pre-Norm stack's first feed-forward matrix as at its last?",
        "最深的 Pre-Norm 网络中，第一个前馈矩阵的梯度是最后一个的多少倍？",
    ),
    "hybrid_vision": (
        "post_over_pre_steps",
        "How many times as many steps does Post-Norm with a long warmup take to halve the gap as Pre-Norm without any?",
        "Post-Norm 带长预热，Pre-Norm 不预热：把差距减半，前者所用的步数是后者的多少倍？",
    ),
    "low_precision": (
        "bf16_lost_share",
        "Which share (0 to 1) of updates of RMS 1 does a bfloat16 stream of the size below lose entirely?",
        "bfloat16 的残差流取下面所设的大小，更新的 RMS 为 1：完全丢失的更新占多大比例（0 到 1）？",
    ),
    "norm_folding": (
        "post_fold_error",
        "The fold that is exact in Pre-Norm, done to Post-Norm: which relative error do the logits have?",
        "在 Pre-Norm 中精确的折叠，用到 Post-Norm 上：logits 的相对误差是多少？",
    ),
    "norm_invariances": (
        "centred_difference_times_root",
        "For features of mean 0: the difference between RMSNorm and LayerNorm, times $\\sqrt d$?",
        "特征均值为 0 时：RMSNorm 与 LayerNorm 之差乘以 $\\sqrt d$ 是多少？",
    ),
    "norm_jacobian": (
        "layer_null_directions",
        "How many directions of the gradient does LayerNorm erase?",
        "LayerNorm 抹去梯度的多少个方向？",
    ),
    "optimiser_steps": (
        "radam_first_adaptive_step",
        "From which step on does RAdam adapt its rate?",
        "RAdam 从第几步起才自适应？",
    ),
    "perturbation": (
        "pre_noise_ratio",
        "Random noise on the weights of a Pre-Norm stack 32 times as deep: how many times as large is the squared relative change of its output?",
        "给 Pre-Norm 网络的权重加随机噪声，深度变为 32 倍：输出相对变化的平方变为多少倍？",
    ),
    "quantisation_ranges": (
        "smoothing_gain",
        "How many dB does the quantised product gain when half the range moves into the next matrix?",
        "把一半的数值范围移入下一个矩阵，量化后乘积的信噪比提高多少 dB？",
    ),
    "remedies": (
        "small_init_gap",
        "Cold Post-Norm with smaller initial weights: which gap is left? 0: all learnt, 1: symbol frequencies alone.",
        "不预热的 Post-Norm 换用较小的初始权重：还剩多少差距？0 为全部学会，1 为只学到符号频率。",
    ),
    "residual_growth": (
        "pre_ratio_slope",
        "Pre-Norm's feed-forward branch, against the stream, changes with the layer as $l^e$: which exponent $e$?",
        "Pre-Norm 的前馈支路相对残差流的大小随层数按 $l^e$ 变化：指数 $e$ 是多少？",
    ),
    "residual_scaling": (
        "gpt2_end_largest",
        "Branches scaled by $1/\\sqrt{2L}$: which mean square does the stream end with, at the depth where it is largest?",
        "支路乘以 $1/\\sqrt{2L}$：残差流末端的均方值，在最大的那个深度是多少？",
    ),
    "spike_monitor": (
        "named_share",
        "In which share (0 to 1) of runs does the first alarm name the layer with the fault?",
        "第一次警报指出的正是故障所在层的运行，占多大比例（0 到 1）？",
    ),
    "tiny_block": (
        "final_difference",
        "After training: the loss of the Post-Norm block minus that of the Pre-Norm block, averaged over tasks?",
        "训练结束时，按任务平均：Post-Norm 块的损失减去 Pre-Norm 块的损失是多少？",
    ),
    "vanishing_in_training": (
        "cold_bottom",
        "Post-Norm without warmup: how many times its size at initialisation does the first block's gradient have in the end?",
        "没有预热的 Post-Norm：训练结束时，第一块的梯度是初始化时的多少倍？",
    ),
    "warmup_map": (
        "share_pre_minus_post",
        "The share (0 to 1) of the map on which Pre-Norm trains, minus Post-Norm's?",
        "地图上 Pre-Norm 可以训练的比例（0 到 1）减去 Post-Norm 的比例是多少？",
    ),
    "warmup_sensitivity": (
        "post_clipped_gap",
        "Post-Norm without warmup, but with its gradient clipped: which gap is left? 0: all learnt, 1: symbol frequencies alone.",
        "没有预热、但裁剪梯度的 Post-Norm 还剩多少差距？0 为全部学会，1 为只学到符号频率。",
    ),
}
"""By experiment the metric and its question, in English and Chinese; Markdown."""
