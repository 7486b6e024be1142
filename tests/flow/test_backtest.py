"""What would other settings, or another pair model, have decided? Rows F5 and E15: the past is asked again, a decision
at a time, with everything before it as it really was; and nothing of it changes."""

from __future__ import annotations

import hashlib
import io
import json
from pathlib import Path

import pytest

from stilltrue.connect.archive import export_space, import_space
from stilltrue.connect.replay import StoryClock, default_memory
from stilltrue.connect.stories import read_story
from stilltrue.errors import AccessError, InvalidInputError, ModelError
from stilltrue.memory import Memory
from stilltrue.model.decision import Action
from stilltrue.model.verdict import Relation
from stilltrue.settings import Settings
from stilltrue.testing import ScriptedExpert, ScriptedPairModel
from stilltrue.upkeep.backtest import A_SECOND, AN_LLM, ERASED, THE_CALLER
from tests.flow.teller import day

SCENARIOS = Path(__file__).parent / "scenarios"
CAUTIOUS = {"contradiction_threshold": 0.99, "ask_threshold": 0.0}


def rule(flip):
    return flip.old.action, flip.new.action


def exported(memory):
    lines = []
    export_space(memory, lines.append)
    return lines


@pytest.fixture
def moves(story):
    """Three cities, one after the other, with the slot given; what was decided."""
    return [story.home(city, f"2025-0{month}-01") for month, city in enumerate(("Oslo", "Rome", "Bonn"), start=1)]


@pytest.mark.parametrize("name", ["personal", "software", "retraction_correction", "detective"])
def test_F5_with_nothing_changed_every_decision_is_made_as_it_was(name, embedder):
    """The replay is faithful: with the present terms it comes to what happened, story after story."""
    opens, looked_at = default_memory(embedder), 0
    lines = (SCENARIOS / f"{name}.jsonl").read_text("utf-8").splitlines()[:6]
    for story in (read_story(json.loads(line)) for line in lines):
        clock = StoryClock(story.events[0].at)
        with opens(clock, story.space) as memory:
            for event in story.events:
                clock.at = event.at
                memory.remember(event.say, author=event.author, topic=event.topic, kind=event.kind)
            memory.drain()
            found = memory.backtest()
            assert (found.flips, found.complete) == ([], True), story.id
            looked_at += found.replayed
            assert memory.check_invariants() == []
    assert looked_at >= 12


def test_F5_a_higher_threshold_turns_what_was_done_into_a_question(story, moves):
    found = story.memory.backtest(CAUTIOUS)
    assert [rule(flip) for flip in found.flips] == [(Action.SUPERSEDE, Action.ASK)] * 2
    assert found.turned == {"SUPERSEDE -> ASK": 2}
    assert (found.decisions, found.replayed, dict(found.left_out)) == (3, 3, {})
    for flip, made, before in zip(found.flips, moves[1:], moves, strict=False):
        assert (flip.decision_id, flip.fact_id, flip.text) == (made.id, made.fact_id, made.text)
        assert flip.old.changed == flip.new.asked == (before.fact_id,)
        assert flip.by_change
        (turn,) = flip.turns
        assert (turn.fact_id, turn.text) == (before.fact_id, before.text)
        assert turn.then == turn.now
        assert turn.then.startswith("UPDATE by ")
        assert "contradiction_threshold" in flip.new.rule


def test_F5_a_flip_is_no_consequence_of_an_earlier_one(story, moves):
    """Had Oslo never ended, Bonn would have met two cities; asked with the past as it was, it meets one."""
    flips = story.memory.backtest({"supersession_enabled": False}).flips
    assert [flip.new.asked for flip in flips] == [(moves[0].fact_id,), (moves[1].fact_id,)]


def test_F5_another_pair_model_flips_what_it_reads_otherwise(stories):
    text = {"old": "Ada is fond of the quiet side street.", "new": "Ada has had enough of the quiet side street."}
    sees = ScriptedPairModel(lambda *_: Relation.UPDATE)
    blind = ScriptedPairModel(lambda *_: Relation.OVERLAP)
    story = stories(pair_model=sees)
    old = story.say(text["old"], "2025-01-01", subject="ada", attribute="opinion of the street")
    new = story.say(text["new"], "2025-02-01", subject="ada", attribute="opinion of the street")
    assert new.action is Action.SUPERSEDE
    (flip,) = story.memory.backtest(pair_model=blind).flips
    assert rule(flip) == (Action.SUPERSEDE, Action.ACCEPT)
    assert (flip.fact_id, flip.old.changed, flip.by_change) == (new.fact_id, (old.fact_id,), True)
    assert (flip.turns[0].then[:6], flip.turns[0].now[:7]) == ("UPDATE", "OVERLAP")
    assert story.memory.backtest(pair_model=sees).flips == []


def test_F5_what_this_version_decides_otherwise_anyway_is_not_blamed_on_the_change(stories, tmp_path):
    """Another model judged when it was told: with or without the change, the present one would not have done it."""
    path, slot = tmp_path / "m.db", {"subject": "ada", "attribute": "opinion of the street"}
    then = stories(path, pair_model=ScriptedPairModel(lambda *_: Relation.UPDATE))
    then.say("Ada is fond of the quiet side street.", "2025-01-01", **slot)
    then.say("Ada has had enough of the quiet side street.", "2025-02-01", **slot)
    then.memory.close()
    now = stories(path, pair_model=ScriptedPairModel(lambda *_: Relation.OVERLAP), clock=then.clock)
    for changes in ({}, {"repeat_window_hours": 1.0}):
        (flip,) = now.memory.backtest(changes).flips
        assert (*rule(flip), flip.by_change) == (Action.SUPERSEDE, Action.ACCEPT, False)


def test_F5_a_setting_of_the_reader_shows_its_effect_and_what_was_given_stays_given(stories):
    story = stories()
    story.says("Mara lives in Lisbon.", "2025-01-01")
    story.says("Mara lives in Porto.", "2025-02-01")
    (flip,) = story.memory.backtest({"cardinalities": {"residence": "many"}}).flips
    assert (flip.text, rule(flip)) == ("Mara lives in Porto.", (Action.SUPERSEDE, Action.ACCEPT))
    story.says("Mara works at Nordea.", "2025-03-01", confidence=0.95)
    refused = story.memory.backtest({"min_confidence": 0.9}).flips
    assert [one.text for one in refused] == ["Mara lives in Lisbon.", "Mara lives in Porto."]
    assert all(one.new.action is Action.REJECT and "below min_confidence" in one.new.rule for one in refused)


def test_A4_trust_that_would_have_held_an_author_back(stories):
    story = stories(settings=Settings(author_trust={"owner": 0.6, "bot": 0.6}))
    story.home("Oslo", "2025-01-01", author="owner")
    story.home("Rome", "2025-02-01", author="bot", text="User has moved to Rome.")
    found = story.memory.backtest({"author_trust": {"owner": 0.6, "bot": 0.1}})
    assert [(flip.text, rule(flip)) for flip in found.flips] == [
        ("User has moved to Rome.", (Action.SUPERSEDE, Action.ASK))
    ]


def test_E15_shadow_is_compared_with_acting(stories):
    story = stories(settings=Settings(shadow_mode=True))
    first, second = story.home("Oslo", "2025-01-01"), story.home("Rome", "2025-02-01")
    assert second.proposal
    assert story.memory.backtest().flips == []
    (flip,) = story.memory.backtest({"shadow_mode": False}).flips
    assert (flip.old.proposal, flip.new.proposal) == (True, False)
    assert flip.new.changed == (first.fact_id,)


def eventful(story):
    """Every way in which a decision comes about, people's acts among them; the one whose words may be erased then."""
    memory = story.memory
    story.home("Oslo", "2025-01-01")
    story.on("2025-01-02")
    memory.remember("Mara lives in Lisbon. Mara is allergic to nuts.", wait=False)
    memory.remember("Mara moved to Porto. Mara has a dog.", wait=False)
    memory.drain()
    story.says("Mara has a dog.", "2025-03-01", author="ben")
    rome = story.home("Rome", "2025-04-01")
    story.home("Paris", "2025-04-02", valid_from="2019-01-01", valid_until="2020-01-01")
    memory.undo(rome.id)
    story.home("Bonn", "2025-05-01", author="ann")
    asked = story.home("Turin", "2025-05-02", author="ben")
    assert asked.action is Action.ASK, asked
    memory.resolve(asked.conflict_id, "keep", keep=asked.fact_id)
    story.home("Bonn", "2025-05-03", author="ann")
    secret = story.says("Mara drives a red Volvo.", "2025-06-01")[0]
    story.says("Mara sold the red Volvo.", "2025-06-02")
    story.says("Mara no longer has a dog.", "2025-06-03")
    allergy = memory.search("What is Mara allergic to?").results[0]
    memory.forget(allergy.id, never_true=True)
    story.says("Mara is allergic to nuts.", "2025-06-04")
    story.home("Lyon", "2025-06-05", supersedes=asked.fact_id)
    memory.sweep()
    memory.maintain()
    memory.detect()
    return secret


def test_F5_all_that_happens_to_a_memory_is_told_again_as_it_was(story):
    secret = eventful(story)
    found = story.memory.backtest()
    assert found.flips == []
    assert found.left_out[THE_CALLER] == 1
    assert found.replayed >= 15
    story.memory.erase(secret.fact_id)
    after = story.memory.backtest()
    assert after.flips == []
    assert after.left_out[ERASED] >= 1
    assert (after.complete, after.decisions) == (True, found.decisions + 1)


def test_F5_what_an_LLM_voted_on_and_second_decisions_are_not_made_again(stories):
    slot = {"subject": "ada", "attribute": "opinion of the street"}
    for in_the_write, reason in ((True, AN_LLM), (False, A_SECOND)):
        expert = ScriptedExpert(lambda *_: Relation.UPDATE)
        unsure = ScriptedPairModel(lambda *_: Relation.UPDATE, confidence=0.4)
        settings = Settings(classify_before_write=in_the_write, story_enabled=False)
        story = stories(settings=settings, expert=expert, pair_model=unsure)
        story.say("Ada is fond of the quiet side street.", "2025-01-01", **slot)
        story.say("Ada has had enough of the quiet side street.", "2025-02-01", **slot)
        story.memory.drain()
        asked = len(expert.requests)
        assert asked
        found = story.memory.backtest(CAUTIOUS)
        assert found.left_out[reason] == 1
        assert len(expert.requests) == asked


def test_F5_the_store_is_only_read_to_the_last_byte(stories, tmp_path):
    path = tmp_path / "m.db"
    first = stories(path)
    eventful(first)
    first.memory.close()
    story = stories(path, clock=first.clock)
    before, content = hashlib.sha256(path.read_bytes()).hexdigest(), exported(story.memory)
    assert story.memory.backtest(CAUTIOUS).flips
    assert exported(story.memory) == content
    story.memory.close()
    assert hashlib.sha256(path.read_bytes()).hexdigest() == before
    assert sorted(file.name for file in tmp_path.iterdir()) in (["m.db"], ["m.db", "m.db.lock"])


def test_F5_a_memory_that_came_by_export_is_asked_as_well(stories, moves, story):
    data = "\n".join(exported(story.memory)).encode()
    copy = stories(clock=story.clock)
    import_space(copy.memory.in_space("copy"), io.BytesIO(data))
    found = copy.memory.in_space("copy").backtest(CAUTIOUS)
    assert found.turned == story.memory.backtest(CAUTIOUS).turned == {"SUPERSEDE -> ASK": 2}


def test_F5_what_was_found_before_an_interruption_is_kept_and_gone_on_from(story, moves):
    seen = []

    def stop(found):
        seen[:] = [found]
        if found.done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        story.memory.backtest(CAUTIOUS, progress=stop)
    (found,) = seen
    assert (found.complete, found.done, len(found.flips)) == (False, 2, 1)
    rest = story.memory.backtest(CAUTIOUS, since=found.reached)
    assert [flip.decision_id for flip in rest.flips] == [one.id for one in moves[1:]]
    assert [flip.decision_id for flip in story.memory.backtest(CAUTIOUS, since="2025-03-01").flips] == [moves[2].id]


def test_F5_D9_what_cannot_be_tried_is_refused(story, moves):
    with pytest.raises(InvalidInputError, match="no setting 'thresold'"):
        story.memory.backtest({"thresold": 1})
    with pytest.raises(InvalidInputError, match="outside 0"):
        story.memory.backtest({"contradiction_threshold": 2})
    with pytest.raises(ModelError, match="no pair model in 'nowhere'"):
        story.memory.backtest(pair_model="nowhere")
    story.memory.set_members(["ines"])
    with pytest.raises(AccessError):
        story.memory.backtest()


def test_F5_a_space_of_its_own_settings_and_an_empty_one(story, moves):
    other = story.memory.in_space("other")
    assert (other.backtest().decisions, other.backtest().complete) == (0, True)
    assert isinstance(other, Memory)
    story.memory.configure(**CAUTIOUS)
    assert len(story.memory.backtest().flips) == 2, "what happened, against the settings of today"
    assert day("2025-01-01") <= story.memory.backtest().reached
