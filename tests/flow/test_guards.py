"""What may no statement do by itself? Rows E7, F7, D11, E13, B11: constraints stand, bursts are asked about, knobs
hold back what is too weak, and every question can be answered with yes or no."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from stilltrue.errors import InvalidInputError
from stilltrue.inference.pair_model import bundled
from stilltrue.model.verdict import Relation, Verdict
from stilltrue.rules.cascade import judge_texts, read_texts
from stilltrue.rules.policy import Party, Permission, Policy, rule_on
from stilltrue.testing import ScriptedPairModel
from stilltrue.write.ask_model import with_model

DEPLOY = {"subject": "we", "attribute": "deploy day"}


def constraint(story, text="Never deploy on Fridays.", when="2025-01-01", **given):
    return story.say(text, when, kind="constraint", **given)


def readable(question):
    """B11: one or two sentences, a yes/no question, on one line, without ids."""
    assert question.endswith("?")
    assert "\n" not in question
    assert len(re.findall(r"[.?!](?:\s|$)", question)) <= 2
    assert not re.search(r"[0-9a-f]{8}-[0-9a-f]{4}-", question)
    assert re.match(r"(Is|Are|Does|Do|Did|Was|Were|Has|Have|Should|Can)\b", question)
    assert len(question) < 300
    return True


def test_E7_a_constraint_is_never_superseded_but_asked_about(story):
    slot = DEPLOY
    rule = constraint(story, "We deploy only on Mondays.", value="Monday", **slot)
    new = story.say("We switched to deploying on Fridays.", "2025-03-01", value="Friday", **slot)
    assert new.action == "ASK"
    kept = story.fact(rule.fact_id)
    assert (kept.kind, kept.status, kept.retirement, kept.superseded_by) == ("constraint", "active", None, None)
    (asked,) = story.conflicts()
    assert asked.conflict.kind == "constraint"
    assert set(asked.conflict.fact_ids) == {rule.fact_id, new.fact_id}
    assert readable(asked.conflict.question)
    assert "We deploy only on Mondays" in asked.conflict.question


@pytest.mark.parametrize(
    "text",
    [
        "We no longer deploy only on Mondays.",
        "Actually, it was never so that we deploy only on Mondays.",
        "Forget what I said about deploying only on Mondays.",
        "We deploy on Fridays now.",
    ],
)
def test_E7_no_wording_gets_past_a_constraint(story, text):
    slot = {"subject": "we", "attribute": "deploy day", "value": "Monday"}
    rule = constraint(story, "We deploy only on Mondays.", **slot)
    for author in ("ann", None):
        story.say(text, "2025-03-01", author=author, trust=1.0, subject="we", attribute="deploy day",
                  value="Friday" if "Fridays" in text else "Monday")  # fmt: skip
    kept = story.fact(rule.fact_id)
    assert (kept.status, kept.retirement) == ("active", None)
    assert "We deploy only on Mondays." in story.served("When do we deploy?")


def test_E7_a_compromised_judge_cannot_retire_a_constraint(stories):
    story = stories(pair_model=ScriptedPairModel(lambda *_: Relation.UPDATE, confidence=0.99))
    rule = constraint(story, "The vault stays shut at night.", importance=0.9)
    story.say("The vault is being painted at night.", "2025-03-01")
    assert story.fact(rule.fact_id).status == "active"


RULED = {"author": "ines", "trust": 0.8}


@pytest.mark.parametrize("wait", [True, False])
def test_E7_C9_naming_a_constraint_does_not_retire_it_for_one_trusted_less(story, wait):
    rule = constraint(story, **RULED)
    told = {"author": "bot", "trust": 0.3, "supersedes": rule.fact_id, "wait": wait}
    new = story.say("Deployments on Fridays are fine.", "2025-03-01", **told)
    if not wait:
        (new,) = story.memory.drain()
    assert new.action == "ASK"
    kept = story.fact(rule.fact_id)
    assert (kept.status, kept.retirement, kept.superseded_by) == ("active", None, None)
    assert story.fact(new.fact_id).status == "active"
    (asked,) = story.conflicts()
    assert (asked.conflict.kind, set(asked.conflict.fact_ids)) == ("constraint", {rule.fact_id, new.fact_id})
    assert readable(asked.conflict.question)
    assert story.memory.check_invariants() == []


@pytest.mark.parametrize(
    "told", [{"author": "ines", "trust": 0.1}, {"author": "ann", "trust": 0.8}, {}], ids=["author", "trusted", "owner"]
)
def test_E7_C9_its_author_one_trusted_as_much_and_the_owner_may_replace_a_constraint(story, told):
    rule = constraint(story, **RULED)
    new = story.say("Deployments on Fridays are fine.", "2025-03-01", supersedes=rule.fact_id, **told)
    assert (new.action, new.targets) == ("SUPERSEDE", (rule.fact_id,))
    assert story.fact(rule.fact_id).superseded_by == new.fact_id
    assert story.conflicts() == ()
    assert story.memory.check_invariants() == []


@pytest.mark.parametrize("vouched", [True, False])
def test_E7_C9_a_door_that_knows_the_caller_decides_and_claims_count_for_nothing(story, vouched):
    rule = constraint(story, **RULED)
    caller = story.memory.in_space(story.memory.space, vouched=vouched)
    for claim in ({}, RULED):
        (new,) = caller.remember("Deployments on Fridays are fine.", supersedes=rule.fact_id, **claim)
        assert new.action == ("SUPERSEDE" if vouched else "ASK")
        assert (story.fact(rule.fact_id).status == "active") is not vouched
        story.memory.undo(new.id)
    assert story.memory.check_invariants() == []


def test_C9_any_other_fact_is_replaced_by_whoever_names_it(story):
    old = story.say("The office plant is a fern.", "2025-01-01", **RULED)
    new = story.say("A cactus stands by the window.", "2025-02-01", author="bot", trust=0.1, supersedes=old.fact_id)
    assert new.targets == (old.fact_id,)
    assert story.memory.check_invariants() == []


def test_E7_batch_and_deferred_writes_hold_it_too(story):
    slot = DEPLOY
    rule = constraint(story, "We deploy only on Mondays.", value="Monday", **slot)
    with story.memory.batch():
        story.says("We switched to deploying on Fridays.", "2025-03-01", value="Friday", wait=False, **slot)
    story.memory.drain()
    assert story.fact(rule.fact_id).status == "active"
    assert [item.conflict.kind for item in story.conflicts()] == ["constraint"]


SET = {"subject": "user", "attribute": "tools", "cardinality": "many"}


TOOLS = ("vim", "tmux", "bash", "htop", "make", "curl")


def surge(story, count):
    return [
        story.say(f"User works with {name}.", f"2025-01-{number:02d}", value=name, **SET)
        for number, name in enumerate(TOOLS[:count], start=1)
    ]


def burst(story):
    given = {**SET, "cardinality": "one", "value": "Emacs"}
    return story.say("User switched to Emacs exclusively.", "2025-03-01", **given)


def test_F7_six_at_once_open_a_surge_conflict_and_retire_none(story):
    old = surge(story, 6)
    new = burst(story)
    assert (new.action, new.targets) == ("ASK", ())
    assert all(story.fact(item.fact_id).status == "active" for item in old)
    (asked,) = story.conflicts()
    assert asked.conflict.kind == "surge"
    assert set(asked.conflict.fact_ids) == {new.fact_id, *(item.fact_id for item in old)}
    assert readable(asked.conflict.question)
    assert "6" in asked.conflict.question
    assert story.values("user", "tools") == sorted([*TOOLS, "Emacs"])


def test_F7_five_at_once_are_retired(story):
    old = surge(story, 5)
    new = burst(story)
    assert new.action == "SUPERSEDE"
    assert set(new.targets) == {item.fact_id for item in old}
    assert story.values("user", "tools") == ["Emacs"]
    assert story.conflicts() == ()


def test_F7_the_cap_is_a_setting_and_zero_retires_nothing(story):
    story.memory.configure(max_retired_per_write=0)
    old = story.home("Oslo", "2025-01-01")
    new = story.home("Rome", "2025-02-01", "User moved to Rome.")
    assert new.action == "ASK"
    assert story.fact(old.fact_id).status == "active"
    assert [item.conflict.kind for item in story.conflicts()] == ["surge"]


def test_F7_a_compromised_judge_retires_at_most_the_cap(stories):
    story = stories(pair_model=ScriptedPairModel(lambda *_: Relation.UPDATE, confidence=0.99))
    story.memory.configure(max_candidates=50, similarity_gate=-1.0)
    colours = ("red", "blue", "pink", "grey", "teal", "lime", "gold", "rust")
    told = [story.say(f"Gadget {name} hums in the {name} room.", f"2025-01-{n:02d}")
            for n, name in enumerate(colours, start=1)]  # fmt: skip
    told.append(story.say("Gadget omega hums in every room.", "2025-03-01"))
    assert max(len(decision.targets) for decision in told) <= story.memory.settings.max_retired_per_write
    kept = [item for item in told if item.fact_id and story.fact(item.fact_id).status == "active"]
    assert len(kept) >= 1


def test_D11_a_higher_contradiction_threshold_supersedes_less_and_asks_instead(stories):
    actions = {}
    for threshold in (0.72, 1.0):
        story = stories()
        story.memory.configure(contradiction_threshold=threshold)
        old = story.home("Oslo", "2025-01-01")
        actions[threshold] = story.home("Rome", "2025-02-01", "User moved to Rome.").action
        assert story.fact(old.fact_id).status == ("superseded" if threshold < 1 else "active")
        assert len(story.values()) == (1 if threshold < 1 else 2)
        assert len(story.conflicts()) == (0 if threshold < 1 else 1)
    assert actions == {0.72: "SUPERSEDE", 1.0: "ASK"}


def test_D11_a_higher_reinforce_threshold_adds_rows_instead(stories):
    rows = {}
    for threshold in (0.85, 1.0):
        story = stories()
        story.memory.configure(reinforce_threshold=threshold)
        story.home("Oslo", "2025-01-01")
        story.home("Oslo", "2025-02-01", "Oslo is where the user lives.")
        rows[threshold] = story.memory.stats().counts["facts"]
    assert rows == {0.85: 1, 1.0: 2}


def test_D11_knobs_hold_in_their_space_only(story):
    story.memory.configure(contradiction_threshold=0.99)
    assert story.memory.settings.contradiction_threshold == 0.99
    assert story.memory.in_space("other").settings.contradiction_threshold == 0.72
    story.memory.configure(contradiction_threshold=None)
    assert story.memory.settings.contradiction_threshold == 0.72


def test_E13_defaults(story):
    chosen = story.memory.settings
    assert (chosen.supersession_enabled, chosen.supersession_sweep_enabled) == (True, True)
    assert (chosen.supersession_semantic_fallback, chosen.supersession_min_confidence) == (True, 0.7)
    for wrong in (1.1, -0.1, "0.5", True):
        with pytest.raises(InvalidInputError, match="supersession_min_confidence"):
            story.memory.configure(supersession_min_confidence=wrong)
    assert story.memory.settings == chosen


@pytest.mark.parametrize("knob", [{"supersession_enabled": False}, {"supersession_min_confidence": 1.0}])
def test_E13_switched_off_or_unsure_it_asks(story, knob):
    story.memory.configure(**knob)
    old = story.home("Oslo", "2025-01-01")
    new = story.home("Rome", "2025-02-01", "User moved to Rome.")
    assert (new.action, new.targets) == ("ASK", ())
    assert story.fact(old.fact_id).status == "active"
    (asked,) = story.conflicts()
    assert asked.conflict.question
    assert new.conflict_id == asked.conflict.id


def test_B11_the_question_names_the_thing_in_dispute(story):
    story.memory.configure(supersession_enabled=False)
    slot = {"subject": "auth service", "attribute": "rate limit"}
    story.say("The auth rate limit is 1,000 req/s.", "2025-05-03", value="1,000 req/s", **slot)
    story.say("The auth rate limit is 5,000 req/s.", "2025-05-04", value="5,000 req/s", **slot)
    (asked,) = story.conflicts()
    assert readable(asked.conflict.question)
    for word in ("rate limit", "auth service", "1,000 req/s", "5,000 req/s", "2025-05-03"):
        assert word in asked.conflict.question


def test_B11_words_of_memory_cannot_break_the_question(story):
    story.say("We deploy\r\n\tonly on\x1b[31m Mondays.", "2025-01-01", kind="constraint", value="Monday", **DEPLOY)
    story.say("We deploy only\non\u2028\u202eFridays now" + "!" * 400, "2025-02-01", value="Friday", **DEPLOY)
    (asked,) = story.conflicts()
    assert asked.conflict.question.isprintable()
    assert readable(asked.conflict.question)
    assert "Mondays" in asked.conflict.question


def test_E5_a_change_in_one_matter_of_a_person_leaves_the_others_alone():
    """Each change of a life beside all facts that have nothing to do with it: a model alone ends none of them."""
    table = json.loads((Path(__file__).parent / "one_persons_facts.json").read_text(encoding="utf-8"))
    related = {tuple(pair) for pair in table["may_touch"]}
    pairs = [
        (fact, change)
        for matter, changes in table["changes"].items()
        for change in changes
        for about, fact in table["facts"].items()
        if about != matter and (matter, about) not in related
    ]
    assert len(pairs) > 800
    read = [read_texts(*pair) for pair in pairs]
    judged = with_model(bundled(), [judge_texts(*pair) for pair in pairs], read.__getitem__)
    ended = [
        pair
        for pair, (old, new), verdict in zip(pairs, read, judged, strict=True)
        if isinstance(verdict, Verdict)
        and verdict.relation.is_conflict
        and rule_on(verdict, Party(old, 0.5), Party(new, 0.5), Policy()).permission is not Permission.IGNORE
    ]
    assert len(ended) <= 2, ended  # a share of 0.2%, of pairs most of which recall would never nominate
