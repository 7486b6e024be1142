"""Who said it, where exactly, how often, and why was it decided so? Rows D1, D4, D5, D8, F5, B14: episodes, spans,
reinforcement, rejection, authors and topics, and the receipt that explains both what was and what was not retired."""

from __future__ import annotations

import pytest

from tests.flow.teller import day


def episode_of(story, result, place=0):
    with story.memory.engine.store.read() as reader:
        return reader.episode(story.memory.space, result.sources[place].episode)


def test_D1_the_episode_is_kept_verbatim_and_facts_point_into_it(story):
    text = "Hi there!\n\n- I live in Oslo.\n- My sister Ada works at Bosch — since May.\n\nHow are you today?\n"
    decisions = story.says(text, "2025-06-10", author="ann", topic="smalltalk", origin="chat-1")
    facts = [story.fact(decision.fact_id) for decision in decisions]
    assert facts[0].subject == "ann"
    assert len(facts) == 2
    for fact in facts:
        episode = episode_of(story, fact)
        assert episode.text == text
        assert (episode.author, episode.topic, episode.origin) == ("ann", "smalltalk", "chat-1")
        assert episode.said_at == day("2025-06-10")
        cited = fact.sources[0]
        assert text[cited.start : cited.end] == cited.quote
        assert cited.quote.strip(" -.") == fact.text.strip(" -.")


def test_D1_relative_dates_are_anchored_to_when_it_was_said(story):
    said = story.say("I moved to Oslo yesterday.", "2025-08-20", said_at="2025-06-10T15:00:00+00:00")
    fact = story.fact(said.fact_id)
    assert fact.valid_from.date() == day("2025-06-09").date()
    assert fact.said_at == day("2025-06-10T15:00")
    assert fact.recorded_at >= day("2025-08-20")


def test_D1_chat_turns_are_episodes_of_their_own_and_the_first_person_is_the_speaker(story):
    decisions = story.memory.remember(
        messages=[
            {"role": "user", "content": "Hello! I live in Lisbon."},
            {"role": "assistant", "content": "Nice! Which city do you like best?"},
            {"role": "user", "content": "My favourite colour is green."},
        ]
    )
    facts = [story.fact(decision.fact_id) for decision in decisions]
    assert [(fact.subject, fact.value) for fact in facts] == [("user", "Lisbon"), ("user", "green")]
    assert len({fact.sources[0].episode for fact in facts}) == 2


def test_D1_extraction_says_how_sure_it_is_and_subjects_are_resolved(story):
    one = story.fact(story.say("I live in Oslo.", "2025-01-01").fact_id)
    two = story.fact(story.say("The user has moved to Rome.", "2025-02-01").fact_id)
    assert 0 < one.confidence <= 1
    assert (one.subject, two.subject) == ("user", "user")
    assert story.fact(one.id).superseded_by == two.id


def test_D4_a_restatement_bumps_confidence_and_last_seen_and_makes_no_row(story):
    first = story.home("Oslo", "2025-01-01", author="ann")
    before = story.fact(first.fact_id)
    again = story.home("Oslo", "2025-02-01", "The user lives in Oslo.", author="ben")
    after = story.fact(first.fact_id)
    assert (again.action, again.fact_id, again.targets) == ("REINFORCE", before.id, (before.id,))
    assert before.confidence < after.confidence < 1
    assert (before.seen_count, after.seen_count) == (1, 2)
    assert [(cited.author, cited.said_at) for cited in after.sources] == [
        ("ann", day("2025-01-01")), ("ben", day("2025-02-01")),
    ]  # fmt: skip
    with story.memory.engine.store.read() as reader:
        assert reader.fact(story.memory.space, before.id).standing.last_seen_at == day("2025-02-01")
    assert story.memory.stats().counts["facts"] == 1
    assert after.valid_from == before.valid_from


def test_D4_the_agent_retelling_its_own_memory_adds_nothing(story):
    first = story.home("Oslo", "2025-01-01")
    before = story.fact(first.fact_id)
    again = story.home("Oslo", "2025-02-01", "You live in Oslo, as you told me.", role="assistant")
    after = story.fact(first.fact_id)
    assert again.action == "REINFORCE"
    assert (after.confidence, after.seen_count) == (before.confidence, before.seen_count)
    assert len(after.sources) == 2


def test_D5_low_confidence_is_rejected_and_nothing_is_changed(story):
    first = story.home("Oslo", "2025-01-01")
    before = story.life(first.fact_id)
    weak = story.home("Rome", "2025-02-01", "User moved to Rome.", confidence=0.29)
    assert (weak.action, weak.fact_id, weak.targets) == ("REJECT", None, ())
    assert "min_confidence" in weak.receipt.reason
    assert story.life(first.fact_id) == before
    assert story.memory.stats().counts["facts"] == 1
    story.memory.configure(min_confidence=0.2)
    assert story.home("Rome", "2025-03-01", "User moved to Rome.", confidence=0.29).action == "SUPERSEDE"


def test_D5_an_exact_repeat_of_recent_input_is_rejected(story):
    first = story.home("Oslo", "2025-01-01T09:00", author="ann")
    soon = story.home("Oslo", "2025-01-02T08:59", author="ann")
    assert (soon.action, soon.fact_id) == ("REJECT", None)
    assert story.fact(first.fact_id).seen_count == 1
    other = story.home("Oslo", "2025-01-02T08:59", author="ben")
    assert other.action == "REINFORCE"
    later = story.home("Oslo", "2025-01-03T09:00", author="ann")
    assert later.action == "REINFORCE"
    assert story.fact(first.fact_id).seen_count == 3


def test_D8_every_fact_points_to_its_exact_spans_and_search_cites_them(story):
    text = "First thing first. User lives in Oslo. User has a dog called Rex."
    story.says(text, "2025-01-01")
    story.say("User moved to Rome.", "2025-02-01")
    for result in story.memory.search("Where does the user live?", include_superseded=True).results:
        assert result.sources
        for cited in result.sources:
            with story.memory.engine.store.read() as reader:
                whole = reader.episode(story.memory.space, cited.episode).text
            assert whole[cited.start : cited.end] == cited.quote
            assert result.text in cited.quote or cited.quote in result.text
    retired = [r for r in story.memory.lookup("user", "residence", include_superseded=True) if r.status == "superseded"]
    assert [fact.sources[0].quote.rstrip(".") for fact in retired] == ["User lives in Oslo"]


def test_B14_facts_have_author_and_topic(story):
    said = story.home("Oslo", author="ann", topic="travel")
    fact = story.fact(said.fact_id)
    assert (fact.author, fact.topic, said.author) == ("ann", "travel", "ann")
    assert fact.sources[0].author == "ann"


RATE = {"subject": "auth service", "attribute": "rate limit"}


def test_B14_the_same_author_corrects(story):
    old = story.say("The rate limit is 1,000 req/s.", "2025-01-01", author="ann", value="1,000 req/s", **RATE)
    new = story.say("The rate limit is 5,000 req/s.", "2025-01-02", author="ann", value="5,000 req/s", **RATE)
    assert new.action == "SUPERSEDE"
    assert story.fact(old.fact_id).superseded_by == new.fact_id
    assert story.conflicts() == ()


def test_B14_two_authors_disagree(story):
    old = story.say("The rate limit is 1,000 req/s.", "2025-01-01", author="ann", value="1,000 req/s", **RATE)
    new = story.say("The rate limit is 5,000 req/s.", "2025-01-02", author="ben", value="5,000 req/s", **RATE)
    assert new.action == "ASK"
    assert story.fact(old.fact_id).status == story.fact(new.fact_id).status == "active"
    (asked,) = story.conflicts()
    assert asked.conflict.kind == "ambiguity"
    assert {fact.author for fact in asked.facts} == {"ann", "ben"}
    assert "ann" in asked.conflict.question
    assert "ben" in asked.conflict.question


@pytest.mark.parametrize(
    ("text", "when"),
    [
        ("The rate limit was raised to 5,000 req/s.", "2025-01-02"),
        ("The rate limit is 5,000 req/s.", "2025-02-01"),  # long after: the world had time to change
    ],
)
def test_B14_news_of_another_author_is_no_disagreement(story, text, when):
    old = story.say("The rate limit is 1,000 req/s.", "2025-01-01", author="ann", value="1,000 req/s", **RATE)
    new = story.say(text, when, author="ben", value="5,000 req/s", **RATE)
    assert new.action == "SUPERSEDE"
    assert story.fact(old.fact_id).superseded_by == new.fact_id
    assert story.conflicts() == ()


def test_F5_explain_tells_candidates_signals_rule_and_cost(story):
    old = story.home("Oslo", "2025-01-01")
    bystander = story.say("User lives with a cat in a flat in Oslo.", "2025-01-02", subject="user",
                          attribute="housing", value="flat")  # fmt: skip
    new = story.home("Rome", "2025-02-01", "User moved to Rome.")
    why = story.memory.explain(new.fact_id)
    assert why.fact is not None
    assert why.fact.id == new.fact_id
    (made,) = why.decisions
    assert (made.id, made.action, made.targets) == (new.id, "SUPERSEDE", (old.fact_id,))
    assert made.rule == new.receipt.rule
    assert made.cost.pairs == len(made.considered)
    by_id = {item.fact_id: item for item in made.considered}
    assert by_id[old.fact_id].changed
    assert by_id[old.fact_id].relation == "UPDATE"
    assert by_id[old.fact_id].evidence
    assert by_id[old.fact_id].outcome.startswith("retired")
    assert all(item.replays for item in made.considered)
    assert {row.kind for row in made.changes} >= {"fact_added", "belief_changed", "link_changed"}
    if bystander.fact_id in by_id:  # why a pair was not superseded
        assert not by_id[bystander.fact_id].changed
        assert by_id[bystander.fact_id].outcome.startswith("not superseded")


def test_F5_why_a_pair_was_not_superseded(story):
    old = story.home("Oslo", "2025-01-01", trust=0.9, author="ann")
    new = story.home("Rome", "2025-02-01", "User moved to Rome.", trust=0.2, author="bot")
    (item,) = story.memory.explain(new.id).decisions[0].considered
    assert item.fact_id == old.fact_id
    assert item.outcome.startswith("not superseded")
    assert "trust" in item.outcome
    assert not item.changed


def test_F5_the_old_fact_explains_its_whole_life(story):
    old = story.home("Oslo", "2025-01-01")
    new = story.home("Rome", "2025-02-01", "User moved to Rome.")
    actions = [made.action for made in story.memory.explain(old.fact_id).decisions]
    assert actions == ["ACCEPT", "SUPERSEDE"]
    assert story.memory.explain(old.fact_id).decisions[-1].fact_id == new.fact_id
