"""Which figure of an experiment shows what claims say."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

FIRST, NONE = "first", "none"  # in place of an id: the first of a run, not any


def choose(experiment: str, claims: Sequence[str]) -> tuple[str, int]:
    """The id of the figure that shows most of the claims, of several the one for the
    earliest claim; and the place of the first claim that it shows."""
    found = [_shows(experiment, claim) for claim in claims]
    counted = Counter(id for id in found if id != NONE)
    id = max(counted, key=counted.__getitem__, default=NONE)
    return id, found.index(id) if id in found else 0


def _shows(experiment: str, claim: str) -> str:
    table = SHOWN.get(experiment, {})
    return next((id for id, claims in table.items() if claim in claims), FIRST)


def drawn(figures: Sequence[Mapping[str, Any]], id: str) -> Mapping[str, Any] | None:
    """The figure of that id among those of a run."""
    if id == FIRST:
        return next(iter(figures), None)
    return next((figure for figure in figures if figure["id"] == id), None)


SHOWN: Mapping[str, Mapping[str, frozenset[str]]] = {
    experiment: {figure: frozenset(claims.split()) for figure, claims in table.items()}
    for experiment, table in {
        "attention_logits": {
            "entropy": "large_weights_collapse_entropy qk_norm_keeps_entropy",
            "training": "qk_norm_bounds pre_norm_does_not_bound logits_grow_in_training"
            " qk_norm_limits_training_growth",
            NONE: "logits_quadratic z_loss_gradient",
        },
        "batch_independence": {
            "batch_mean_variance": "bn_noise_falls_with_batch",
            "neighbours_replaced": "ln_batch_free bn_batch_bound",
            NONE: "ln_token_stats ln_affine_learns bn_batch_of_one_collapses"
            " ln_batch_of_one_works",
        },
        "block_pipeline": {
            "flow": "post_stream_normalised_after pre_skip_untouched",
            "paths": "gradient_splits_exactly pre_skip_gradient_whole"
            " post_skip_gradient_scaled",
        },
        "checkpoint_migration": {
            "cosines": "post_read_as_pre_differs difference_grows_with_depth",
            "phases": "migration_destroys_training migration_costs_either_way",
            "repair": "short_finetune_repairs",
            NONE: "same_names_and_shapes",
        },
        "cross_attention": {
            "streams": "post_decoder_vanishes pre_decoder_holds"
            " independent_memory_no_decay encoder_does_not_vanish",
        },
        "depth_laws": {
            "last": "post_last_slope_zero pre_last_slope_half",
            "streams": "pre_stream_slope_half",
            "gradients": "post_net_gradient_stable pre_first_over_last",
        },
        "depth_limit": {
            "depths": "deep_post_stuck_even_warm deep_pre_trains"
            " deep_deepnorm_trains shallow_post_trains",
        },
        "early_and_final_loss": {
            "gaps": "pre_leads_early post_final_better final_difference_small",
        },
        "effective_depth": {
            "dropped": "pre_late_drop_cheap post_late_drop_costly"
            " late_drop_costs_post_more early_drop_costly",
            "swapped": "pre_late_swap_cheap",
            "angles": "angle_falls_after_training",
        },
        "final_norm_and_embedding": {
            "logits": "no_final_norm_widens_logits final_norm_keeps_logits",
            "embedding": "small_embedding_amplifies jacobian_inverse_in_sigma",
        },
        "fine_tuning_warmup": {
            "tuning": "post_gains_from_warmup pre_changes_little",
            "scratch": "both_transfer",
        },
        "fusion_and_speed": {
            "tensors_moved": "unfused_moves_five pre_moves_four post_moves_three",
            "projections": "fused_qkv_moves_less",
            NONE: "fused_equals_unfused",
        },
        "gradient_flow": {
            "weights": "pre_early_larger",
            "last": "post_last_flat pre_last_falls",
            "streams": "pre_identity_exact post_identity_decays post_net_bounded",
            "queries": "vanishes_without_residual",
            NONE: "norm_jacobian_scale",
        },
        "hybrid_vision": {
            "gaps": "hybrid_trains hybrid_at_least_pre post_long_warmup_trains"
            " post_costs_more_steps",
        },
        "low_precision": {
            "lost_updates": "bf16_loses_updates float32_keeps_updates",
            "statistics_error": "bf16_statistics_error",
            "small_rows": "large_epsilon_shrinks_small_rows",
            NONE: "fp16_square_overflows fp32_statistics_repair",
        },
        "norm_folding": {
            "error_by_layer": "pre_gain_folds_exactly sandwich_input_gain_folds"
            " post_gain_cannot_fold centred_writers_make_rms_equal_ln"
            " uncentred_differ",
            "error_by_spread": "output_gain_cannot_fold",
            NONE: "division_commutes",
        },
        "norm_invariances": {
            "what_is_noticed": "ln_shift_invariant rms_not_shift_invariant"
            " norms_scale_invariant column_scale_changes tanh_not_scale_invariant",
            "rms_against_layer": "rms_close_to_ln_for_centred",
            "weight_length": "gradient_orthogonal_to_weight weight_norm_only_grows",
            "step_angle": "decay_sets_step_angle",
            NONE: "ln_is_centred_rms scalenorm_is_tied_rms",
        },
        "norm_jacobian": {
            "smallest_singular_values": "ln_two_null_directions"
            " rms_one_null_direction identity_has_none",
            "what_survives": "gradient_orthogonal_to_input",
            "steepness_by_size": "norm_scale_exact jacobian_inverse_in_scale",
        },
        "optimiser_steps": {
            "first_steps": "adam_first_step_is_rate",
            "clipping": "clip_keeps_direction value_clip_turns",
            "valley": "clipping_tames_steep",
            "warmups": "untuned_warmup_length",
            "noam": "noam_peak",
            "angles": "weight_decay_sets_step_angle",
            "gaps": "sgd_post_needs_warmup_too radam_trains_cold_post",
            NONE: "radam_starts_at_five",
        },
        "perturbation": {
            "noise": "post_noise_linear pre_noise_logarithmic deepnorm_noise_flat",
            "step": "one_step_not_logarithmic one_step_post_larger"
            " deepnorm_step_bounded",
        },
        "quantisation_ranges": {
            "other_channels": "outlier_ruins_per_tensor per_channel_repairs",
            "migration": "gain_smoothing_helps",
            "stream_range": "pre_stream_range_grows post_stream_range_flat",
            NONE: "gain_smoothing_exact",
        },
        "remedies": {
            "remedies": "cold_post_stuck warmup_cures lower_rate_helps"
            " clipping_does_not_cure deepnorm_cures sandwich_cures"
            " switch_to_pre_cures smaller_init_cures no_residual_no_cure",
        },
        "residual_growth": {
            "streams": "post_stream_unit pre_stream_grows scaled_stream_bounded",
            "ratios": "pre_ratio_falls post_ratio_constant",
            "angles": "pre_change_falls",
            "unnormalised": "unnormalised_grows_geometrically",
            NONE: "pre_late_layers_matter_less same_weights_differ",
        },
        "residual_scaling": {
            "streams": "half_depth_scaling_bounded ln_scaling_logarithmic"
            " peri_larger_at_start",
            "weights": "peri_growth_weight_free pre_growth_follows_weights"
            " post_weight_free",
            NONE: "rezero_is_identity rezero_only_alpha_learns"
            " layer_scale_gradient_proportional",
        },
        "spike_monitor": {
            "monitor": "earliest_layer_named first_sign_fits",
            "curves": "gradient_norm_jumps",
            "alarms": "loss_alone_is_late",
            NONE: "healthy_run_silent",
        },
        "tiny_block": {
            "loss": "pre_lower_final_loss pre_lower_peak_loss",
            NONE: "autograd_matches_differences",
        },
        "vanishing_in_training": {
            "bottom": "cold_post_bottom_vanishes warm_post_stays_alive pre_stays_alive",
            "norm_inputs": "cold_ln_input_grows",
            "blocks": "balanced_at_start",
        },
        "warmup_map": {
            "map_post": "post_needs_warmup_at_high_rate post_low_rate_trains_cold"
            " warmup_widens_post",
            "rates": "pre_wide_plateau",
        },
        "warmup_sensitivity": {
            "gaps": "post_cold_stuck post_warm_trains pre_cold_trains",
            "remedies": "clipping_no_cure without_residual_fails",
            "bottom": "vanishing_develops",
            "total": "post_cold_spikes pre_cold_steady",
            NONE: "pre_warmup_changes_little pre_early_faster",
        },
    }.items()
}
"""By experiment and figure the claims that one sees in it; those of NONE in none."""
