"""What does a setting do that no other test turns? One test a knob, each with a value that is not the default; which
test shows which knob is written down in tests/house/knobs.py. They show the knob and not its row of the specification,
whose name they therefore do not carry."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from stilltrue.errors import InvalidInputError, StoreError
from stilltrue.inference.expert import LlmExpert
from stilltrue.memory import Memory
from stilltrue.model.verdict import Relation
from stilltrue.settings import Settings
from stilltrue.testing import ScriptedExpert
from tests.flow.teller import WordEmbedder
from tests.inference.scripted_chat import ScriptedChat

OLD, NEW = "User enjoys long hikes in Norway.", "User hikes in Norway mostly alone."
DAY = 86_400
RATE = {"subject": "auth service", "attribute": "rate limit"}


@pytest.fixture
def asked(stories):
    """A story with an LLM that votes as told, where nothing but rules judges beside it."""

    def begin(answer=lambda *_: Relation.UPDATE, **knobs):
        expert = ScriptedExpert(answer)
        story = stories(pair_model="off", expert=expert)
        story.memory.configure(similarity_gate=0.3, **knobs)
        return story, expert

    return begin


def two(story):
    """Two statements that rules alone cannot tell apart; the second's decision, after what was put off."""
    story.say(OLD, "2025-01-01")
    first = story.say(NEW, "2025-03-01")
    return (story.memory.drain() or [first])[-1]


# Who is judged against whom


@pytest.mark.parametrize(("cosine", "judged"), [(0.3, True), (0.999, False)])
def test_how_alike_a_fact_must_be_to_be_judged_is_a_knob(stories, cosine, judged):
    story = stories(pair_model="off")
    story.memory.configure(similarity_gate=cosine)
    old = story.say("Rex the dog loves long walks in the park.", subject="rex", attribute="walks", value="park")
    new = story.say("Bella the dog loves long walks in the wood.", subject="bella", attribute="walks", value="wood")
    assert (old.fact_id in {item.fact_id for item in new.receipt.considered}) == judged


# When a verdict is acted upon


@pytest.mark.parametrize(("threshold", "action"), [(0.5, "ASK"), (1.0, "ACCEPT")])
def test_a_higher_ask_threshold_asks_less(stories, threshold, action):
    story = stories()
    story.memory.configure(supersession_enabled=False, ask_threshold=threshold)
    story.home("Oslo", "2025-01-01")
    assert story.home("Rome", "2025-02-01", "User moved to Rome.").action == action
    assert len(story.conflicts()) == (action == "ASK")


@pytest.mark.parametrize(("cosine", "settled"), [(0.985, False), (0.5, True)])
def test_how_alike_two_wordings_must_be_is_a_knob(stories, cosine, settled):
    story = stories()
    story.memory.configure(near_identical=cosine)
    story.home("Oslo", "2025-01-01")
    again = story.home("Oslo", "2025-02-01", "Oslo is where the user lives.")
    assert (again.receipt.considered[0].judgement.settled_by == "near_identical") == settled


@pytest.mark.parametrize(("hours", "action"), [(24.0, "REJECT"), (2.0, "REINFORCE")])
def test_how_long_a_repeat_is_rejected_is_a_knob(story, hours, action):
    story.memory.configure(repeat_window_hours=hours)
    story.home("Oslo", "2025-01-01T09:00")
    assert story.home("Oslo", "2025-01-01T12:00").action == action


@pytest.mark.parametrize(("days", "action"), [(7.0, "ASK"), (1.0, "SUPERSEDE")])
def test_how_long_two_authors_can_disagree_is_a_knob(story, days, action):
    story.memory.configure(disagreement_days=days)
    story.say("The rate limit is 1,000 req/s.", "2025-01-01", author="ann", value="1,000 req/s", **RATE)
    new = story.say("The rate limit is 5,000 req/s.", "2025-01-04", author="ben", value="5,000 req/s", **RATE)
    assert new.action == action


@pytest.mark.parametrize("frozen", [False, True])
def test_an_operator_can_freeze_what_is_held(story, frozen):
    story.memory.configure(mutations_frozen=frozen)
    story.home("Oslo", "2025-01-01")
    new = story.home("Rome", "2025-02-01", "User moved to Rome.")
    assert new.proposal is frozen
    assert story.values() == (["Oslo", "Rome"] if frozen else ["Rome"])


# The LLM


@pytest.mark.parametrize("inline", [False, True])
def test_the_llm_is_asked_inside_the_write_or_later(asked, inline):
    story, expert = asked(classify_before_write=inline)
    story.say(OLD, "2025-01-01")
    new = story.say(NEW, "2025-03-01")
    assert (new.action, len(expert.requests)) == (("SUPERSEDE", 1) if inline else ("ACCEPT", 0))


@pytest.mark.parametrize(("certainty", "action"), [(0.9, "SUPERSEDE"), (0.5, "ACCEPT")])
def test_how_much_a_vote_weighs_is_a_knob(asked, certainty, action):
    story, expert = asked(llm_certainty=certainty)
    assert two(story).action == action
    assert bool(expert.requests) == (action == "SUPERSEDE")  # nobody is asked for a vote that could change nothing


@pytest.mark.parametrize(("low", "requests"), [(0.1, 1), (0.99, 0)])
def test_how_unlikely_a_conflict_may_be_to_be_asked_about_is_a_knob(asked, low, requests):
    story, expert = asked(llm_low=low)
    two(story)
    assert len(expert.requests) == requests


@pytest.mark.parametrize(("pairs", "requests"), [(20, 1), (2, 3)])
def test_how_many_pairs_share_a_request_is_a_knob(asked, pairs, requests):
    story, expert = asked(lambda *_: Relation.NONE, llm_pairs_per_request=pairs)
    for number in range(4):
        story.say(f"Gadget {number} hums in the red room of the tower.", f"2025-01-{number + 1:02d}")
    assert story.memory.estimate().requests == requests
    story.memory.drain()
    assert len(expert.requests) == requests
    assert len(expert.pairs) == 6


@pytest.mark.parametrize(("tokens", "asks"), [(1_000_000, True), (10, False)])
def test_a_budget_of_tokens_ends_too(stories, tokens, asks):
    story, chat = stories(pair_model="off"), ScriptedChat()
    engine = story.memory.engine
    story.memory = Memory(replace(engine, expert=LlmExpert(chat, engine.store, engine.clock)), story.memory.space)
    story.memory.configure(similarity_gate=0.3, story_enabled=False, llm_tokens_per_day=tokens)
    assert two(story).action == ("SUPERSEDE" if asks else "ACCEPT")
    assert bool(chat.requests) is asks


# The detective


@pytest.fixture
def read(stories):
    def begin(**knobs):
        expert = ScriptedExpert()
        story = stories(pair_model="off", expert=expert, embedder=WordEmbedder())
        story.memory.configure(similarity_gate=1.0, subject_gate=1.0, **knobs)
        return story, expert

    return begin


@pytest.mark.parametrize(("seconds", "chapters"), [(60.0, 1), (600.0, 0)])
def test_how_long_a_write_waits_for_others_is_a_knob(read, seconds, chapters):
    story, expert = read(story_debounce_seconds=seconds)
    story.says("The box is green.", "2025-01-01")
    story.clock.advance(61)
    story.memory.drain()
    assert len(expert.chapters) == chapters


def test_how_much_two_parts_share_is_a_knob(read):
    shared = {}
    for overlap in (0, 1_500):
        story, expert = read(story_characters=4_000, story_overlap=overlap)
        for number in range(60):
            story.says(f"The box {number} is {'very ' * 20}green.", "2025-01-01")
        story.memory.read_story()
        first, second = expert.chapters[:2]
        shared[overlap] = len(set(first) & set(second))
    assert shared[0] + 5 < shared[1_500]


AGES = {"forgetting_day": 0.5, "forgetting_week": 3, "forgetting_older": 30}
"""An age in days of which each of the three shares is told."""


@pytest.mark.parametrize("knob", AGES)
def test_how_much_is_told_of_each_age_is_a_knob(read, knob):
    told = {}
    for share in (0.0, 1.0):
        story, _ = read(**{knob: share})
        for number in range(10):
            story.says(f"The box {number} is green.", "2025-01-01")
        story.clock.advance(AGES[knob] * DAY)
        told[share] = story.memory.read_story(whole=False, seed="a").told
    assert told == {0.0: 0, 1.0: 10}


# Standing of new facts


@pytest.mark.parametrize(("importance", "judged"), [(0.6, True), (0.4, False)])
def test_what_nobody_rated_weighs_what_the_setting_says(story, importance, judged):
    story.memory.configure(default_importance=importance)
    old = story.say("Rex the dog loves long walks in the park.", subject="rex", attribute="a", value="park")
    new = story.say("Rex the dog loves long walks in the wood.", subject="rex", attribute="b", value="wood")
    assert story.fact(old.fact_id).importance == importance
    assert (old.fact_id in {item.fact_id for item in new.receipt.considered}) == judged


@pytest.mark.parametrize(("confidence", "action"), [(0.8, "ACCEPT"), (0.2, "REJECT")])
def test_what_nobody_rated_is_as_sure_as_the_setting_says(story, confidence, action):
    story.memory.configure(default_confidence=confidence)
    assert story.home("Oslo", "2025-01-01").action == action


@pytest.mark.parametrize(("trust", "action"), [(0.5, "SUPERSEDE"), (0.1, "ASK")])
def test_who_is_unknown_is_trusted_as_the_setting_says(story, trust, action):
    story.memory.configure(author_trust={"owner": 0.5}, default_trust=trust)
    story.home("Oslo", "2025-01-01", author="owner")
    assert story.home("Rome", "2025-02-01", "User has moved to Rome.", author="guest").action == action


# Input and engine


def test_a_text_that_is_too_long_is_refused_whole(stories):
    story = stories(embedder=WordEmbedder(), settings=Settings(max_episode_characters=20))
    assert story.say("User lives in Oslo.")
    with pytest.raises(InvalidInputError, match="max_episode_characters"):
        story.say("User moved to Madrid.")
    assert story.memory.stats().counts["episodes"] == 1


def test_a_writer_waits_for_the_lock_as_long_as_the_setting_says(tmp_path):
    path, held, done = tmp_path / "memory.db", threading.Event(), threading.Event()
    with Memory.open(path, embedder=WordEmbedder()) as first:

        def hold():
            with first.engine.store.write("default"):
                held.set()
                done.wait(15)  # shorter than a writer waits by default, which would then be let in

        holder = threading.Thread(target=hold)
        holder.start()
        held.wait(20)
        hasty = Memory.open(path, embedder=WordEmbedder(), settings=Settings(lock_timeout_seconds=0.2))
        with hasty, pytest.raises(StoreError, match="locked"):
            hasty.remember("User lives in Oslo.")
        done.set()
        holder.join()
        assert first.check_invariants() == []
