"""Which test shows what a setting does? One for each: without the setting's effect it fails.

`test_knobs` holds this table against the settings, and runs each test with its knob ignored (`ignoring`).
"""

from __future__ import annotations

FLOW, GUARDS, OWN = "tests/flow/", "tests/flow/test_guards.py::", "tests/flow/test_knobs.py::"
PAIRS, STORY, LLM = "tests/flow/test_pairs_rows.py::", "tests/flow/test_story.py::", "tests/flow/test_llm_write.py::"
THREADS = "tests/inference/test_threads.py::"
WIRING, EITHER = "tests/llm/test_wiring.py::", f"{LLM}test_E6_either_flag_turns_the_fallback_off[inside the write-"

KNOBS = {
    "min_importance": f"{PAIRS}test_A1_only_weighty_facts_of_other_slots_are_judged",
    "similarity_gate": f"{OWN}test_how_alike_a_fact_must_be_to_be_judged_is_a_knob",
    "subject_gate": f"{FLOW}test_recall.py::test_A2_the_gate_is_a_knob",
    "max_candidates": f"{FLOW}test_recall.py::test_C2_no_more_than_max_candidates",
    "supersession_enabled": f"{GUARDS}test_E13_switched_off_or_unsure_it_asks[knob0]",
    "supersession_min_confidence": f"{GUARDS}test_E13_switched_off_or_unsure_it_asks[knob1]",
    "contradiction_threshold": f"{GUARDS}test_D11_a_higher_contradiction_threshold_supersedes_less_and_asks_instead",
    "ask_threshold": f"{OWN}test_a_higher_ask_threshold_asks_less",
    "reinforce_threshold": f"{GUARDS}test_D11_a_higher_reinforce_threshold_adds_rows_instead",
    "near_identical": f"{OWN}test_how_alike_two_wordings_must_be_is_a_knob",
    "fuzzy_dedupe": f"{PAIRS}test_C10_without_fuzzy_dedupe_the_judge_still_sees_the_repeat",
    "min_confidence": f"{FLOW}test_provenance.py::test_D5_low_confidence_is_rejected_and_nothing_is_changed",
    "repeat_window_hours": f"{OWN}test_how_long_a_repeat_is_rejected_is_a_knob",
    "max_retired_per_write": f"{GUARDS}test_F7_the_cap_is_a_setting_and_zero_retires_nothing",
    "disagreement_days": f"{OWN}test_how_long_two_authors_can_disagree_is_a_knob",
    "supersession_sweep_enabled": f"{FLOW}test_sweep.py::test_E13_the_sweep_can_be_switched_off",
    "sweep_hours": f"{FLOW}test_worker.py::test_E3_a_worker_begins_a_sweep_by_itself_now_and_then",
    "maintenance_hours": f"{FLOW}test_maintenance.py::test_A8_a_day_lies_between_two_passes_of_the_worker",
    "shadow_mode": f"{FLOW}test_shadow.py::test_E9_the_new_statement_is_kept_and_served_beside_the_old",
    "mutations_frozen": f"{OWN}test_an_operator_can_freeze_what_is_held",
    "llm": f"{WIRING}test_B7_the_setting_gives_an_expert_that_names_its_model",
    "llm_model": f"{WIRING}test_B7_the_setting_gives_an_expert_that_names_its_model",
    "classify_before_write": f"{OWN}test_the_llm_is_asked_inside_the_write_or_later",
    "semantic_contradiction_enabled": f"{EITHER}semantic_contradiction_enabled]",
    "supersession_semantic_fallback": f"{EITHER}supersession_semantic_fallback]",
    "llm_extraction": f"{FLOW}test_llm_extraction.py::test_D1_claims_become_facts_in_the_slots_of_the_offline_reader",
    "llm_certainty": f"{OWN}test_how_much_a_vote_weighs_is_a_knob",
    "llm_low": f"{OWN}test_how_unlikely_a_conflict_may_be_to_be_asked_about_is_a_knob",
    "llm_timeout_seconds": f"{WIRING}test_the_settings_reach_the_chat",
    "llm_retries": f"{WIRING}test_the_settings_reach_the_chat",
    "llm_concurrency": f"{WIRING}test_the_settings_reach_the_chat",
    "llm_pairs_per_request": f"{OWN}test_how_many_pairs_share_a_request_is_a_knob",
    "llm_calls_per_day": f"{LLM}test_A6_a_spent_budget_leaves_pairs_undecided_and_says_so",
    "llm_tokens_per_day": f"{OWN}test_a_budget_of_tokens_ends_too",
    "story_enabled": f"{STORY}test_B8_the_setting_turns_it_off",
    "story_characters": f"{STORY}test_B5_a_confusion_across_a_border_is_found_once",
    "story_overlap": f"{OWN}test_how_much_two_parts_share_is_a_knob",
    "story_debounce_seconds": f"{OWN}test_how_long_a_write_waits_for_others_is_a_knob",
    "forgetting_day": f"{OWN}test_how_much_is_told_of_each_age_is_a_knob[forgetting_day]",
    "forgetting_week": f"{OWN}test_how_much_is_told_of_each_age_is_a_knob[forgetting_week]",
    "forgetting_older": f"{OWN}test_how_much_is_told_of_each_age_is_a_knob[forgetting_older]",
    "default_importance": f"{OWN}test_what_nobody_rated_weighs_what_the_setting_says",
    "default_confidence": f"{OWN}test_what_nobody_rated_is_as_sure_as_the_setting_says",
    "default_trust": f"{OWN}test_who_is_unknown_is_trusted_as_the_setting_says",
    "author_trust": f"{FLOW}test_backtest.py::test_A4_trust_that_would_have_held_an_author_back",
    "search_limit": "tests/read/test_search.py::test_the_space_may_set_its_own_limit",
    "timezone": f"{FLOW}test_defects.py::test_defect_17_as_of_a_day_is_its_end_in_the_askers_zone",
    "max_episode_characters": f"{OWN}test_a_text_that_is_too_long_is_refused_whole",
    "max_facts_per_episode": f"{FLOW}test_bad_input.py::test_many_statements_are_refused_whole",
    "embedder_threads": f"{THREADS}test_the_embedder_has_as_many_threads_as_the_setting_says",
    "pair_model": "tests/inference/test_pair_model_wiring.py::test_off_is_off",
    "pair_model_threads": f"{THREADS}test_the_pair_model_has_as_many_threads_as_the_setting_says",
    "lock_timeout_seconds": f"{OWN}test_a_writer_waits_for_the_lock_as_long_as_the_setting_says",
    "cardinalities": f"{FLOW}test_extraction.py::test_F2_cardinality_can_be_overridden_per_space_and_per_statement",
}
