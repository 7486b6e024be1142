"""What does the detective make of a memory read as one story? Rows B1 to B8 and B11, with a scripted expert.

What a real model reads into a story is not tested here; what the engine tells it, believes of it and does with it is.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise

import pytest

from stilltrue.model.conflict import ConflictKind
from stilltrue.model.expert import Unheard, Usage
from stilltrue.model.story import Confusions
from stilltrue.model.verdict import Undecided
from stilltrue.testing import ScriptedExpert
from stilltrue.write.retrying import PAUSES
from stilltrue.write.wake import STORY

REVERSAL, AMBIGUITY, STALE = ConflictKind.REVERSAL, ConflictKind.AMBIGUITY, ConflictKind.STALE

REST, GRAPHQL, AGAIN = "The public API uses REST.", "The API team prefers GraphQL.", "The public API is built on REST."
LIMIT, OTHER = "Auth lets a client in 1,000 times a second.", "One address may log in 5,000 times a second."
"""Two values of one thing that no local rule takes for one: what the local detective asks about is asked already."""
OLD, MOVED = "Ask Mara whenever an invoice looks odd.", "Mara left the company in August."
SEED_LIMITS = "The rate limit is 1,000 req/s.", "Auth allows 5,000 req/s per IP."
SEED_VERSIONS = "Postgres 14 is our database version.", "The migration to Postgres 17 is finished."
IS_LIMIT = "Is the auth rate limit still 1,000 req/s?"


@pytest.fixture
def begin(stories):
    def opened(tells=lambda _: (), **knobs):
        expert = ScriptedExpert(tells=tells)
        story = stories(pair_model="off", expert=expert)
        story.memory.configure(similarity_gate=1.0, **knobs)
        return story, expert

    return opened


FORGETS_ALL = dict.fromkeys(("forgetting_day", "forgetting_week", "forgetting_older"), 0.0)


def reports(kind, texts, question):
    """Finds this, and only this, wherever all of it is told."""
    return lambda told: [(kind, texts, question)] if set(texts) <= set(told) else []


def limits(story, **given):
    """Two values for one thing, months and topics apart."""
    story.say(LIMIT, "2025-01-01", topic="auth", author="ann", **given)
    story.say(OTHER, "2025-03-01", topic="infra", author="ben", **given)


def due(story):
    story.clock.advance(story.memory.settings.story_debounce_seconds + 1)
    return story.memory.drain()


def opened(story):
    return [(one.conflict.kind, sorted(fact.text for fact in one.facts)) for one in story.conflicts()]


def runs(story):
    with story.memory.engine.store.read() as reader:
        return reader.story_runs(story.memory.space, 99)


# What is told


def test_B1_the_facts_are_told_oldest_first_in_one_story(begin):
    story, expert = begin()
    story.says("We deploy on Mondays.", "2025-03-01")
    story.says("The office is in Linz.", "2025-01-01")
    story.says("Backups run nightly.", "2025-02-01")
    assert story.memory.read_story().told == 3
    assert expert.chapters == [["The office is in Linz.", "Backups run nightly.", "We deploy on Mondays."]]


def test_B1_a_sound_story_opens_nothing(begin):
    story, _ = begin()
    limits(story)
    run = story.memory.read_story()
    assert (run.found, run.opened, run.failure, opened(story)) == (0, 0, "", [])


def test_B1_what_was_never_true_erased_undone_or_only_asked_is_not_told(begin):
    story, expert = begin()
    story.memory.forget(story.say("The office is in Wels.", "2025-01-01").fact_id, never_true=True)
    story.memory.erase(story.say("Mara owns a horse.", "2025-01-02").fact_id)
    story.memory.undo(story.say("Backups run weekly.", "2025-01-03").batch_id)
    story.says("Could we move to Graz?", "2025-01-04")
    story.says("We deploy on Mondays.", "2025-01-05")
    story.memory.read_story()
    assert expert.chapters == [["We deploy on Mondays."]]


def test_B1_an_empty_space_is_not_read_aloud(begin):
    story, expert = begin()
    assert story.memory.read_story().told == 0
    assert expert.chapters == []


# The stories of the seed


def test_B2_rest_then_graphql_then_rest_again_is_asked_about(begin):
    question = "Does the public API use REST again?"
    story, _ = begin(reports(REVERSAL, (REST, GRAPHQL), question))
    for text, when in ((REST, "2025-01-01"), (GRAPHQL, "2025-03-01"), (AGAIN, "2025-06-01")):
        story.says(text, when)
    assert story.memory.read_story().opened == 1
    assert opened(story) == [(REVERSAL, sorted([REST, GRAPHQL]))]
    assert story.conflicts()[0].conflict.question == question


def test_B2_what_only_repeats_an_older_fact_is_told_with_it_and_sets_a_reading_off(begin):
    story, expert = begin(**FORGETS_ALL)
    story.says(REST, "2025-01-01")
    story.says(GRAPHQL, "2025-03-01", author="ben")
    due(story)
    lines = []
    expert.tell = lambda _, chapters, __: lines.extend(*chapters) or Confusions((), Usage())
    assert story.say(AGAIN, "2025-06-01").action == "REINFORCE"
    due(story)
    assert [(line.text, line.again and line.again.date().isoformat()) for line in lines] == [(REST, "2025-06-01")]


def test_B2_two_rate_limits_under_two_topics_are_asked_about(begin):
    story, _ = begin(reports(AMBIGUITY, (LIMIT, OTHER), IS_LIMIT))
    limits(story)
    assert story.memory.read_story().opened == 1
    assert opened(story) == [(AMBIGUITY, sorted([LIMIT, OTHER]))]


@pytest.mark.parametrize(("kind", "texts"), [(AMBIGUITY, SEED_LIMITS), (STALE, SEED_VERSIONS)])
def test_B2_what_the_local_detective_has_asked_is_not_asked_a_second_time(begin, kind, texts):
    story, _ = begin(reports(kind, texts, "Is what was said first still the case?"))
    for text, when, topic, author in zip(texts, ("2025-01-01", "2025-03-01"), ("auth", "infra"), "ab", strict=True):
        story.says(text, when, topic=topic, author=author)
    assert opened(story) == [(kind, sorted(texts))]
    run = story.memory.read_story()
    assert (run.found, run.opened) == (1, 0)
    assert len(story.conflicts(None)) == 1


def test_B2_a_claim_that_word_from_elsewhere_overtook_is_asked_about(begin):
    story, _ = begin(reports(STALE, (OLD, MOVED), "Is Mara still the one to ask about invoices?"))
    story.says(OLD, "2025-01-01")
    story.says(MOVED, "2025-09-01")
    assert story.memory.read_story().opened == 1
    assert opened(story) == [(STALE, sorted([OLD, MOVED]))]


def eager(told):
    """Sees a confusion of each kind wherever there are two lines."""
    return [(kind, told, f"Is it still so that {told[0]} is right?") for kind in ConflictKind][1:4]


SETTLED = {
    "progress": (("User lives in Linz.", "2025-01-01", {}), ("User moved to Graz.", "2025-05-01", {})),
    "a change of mind": (
        ("We want to use Redux for state.", "2025-01-01", {}),
        ("We decided to use Zustand instead of Redux for state.", "2025-01-03", {}),
    ),
    "one sitting": (
        ("The cache is Redis.", "2025-01-01T10:00", {"topic": "cache"}),
        ("Memcached holds the sessions.", "2025-01-01T10:09", {"topic": "cache"}),
    ),
    "all over": (
        ("User worked at Acme.", "2025-01-01", {"valid_from": "2019-01-01", "valid_until": "2020-01-01"}),
        ("User worked at Bolt.", "2025-02-01", {"valid_from": "2020-01-01", "valid_until": "2021-01-01"}),
    ),
    "a plan": (
        ("The office is in Linz.", "2025-01-01", {}),
        ("The office is in Graz.", "2025-01-09", {"valid_from": "2026-01-01"}),
    ),
}


@pytest.mark.parametrize("kind", [AMBIGUITY, STALE])
@pytest.mark.parametrize("name", SETTLED)
def test_B3_what_the_facts_settle_is_not_asked_however_eager_the_model(begin, name, kind):
    story, expert = begin(lambda told: [(kind, told, f"Is it so that {told[0].rstrip('.')}?")])
    for text, when, given in SETTLED[name]:
        story.says(text, when, **given)
    before = opened(story)
    run = story.memory.read_story()
    assert len(expert.chapters[0]) >= 2
    assert (run.opened, opened(story)) == (0, before)
    assert run.dropped + run.known == 1


# Forgetting


def test_B4_what_set_the_reading_off_and_what_belongs_to_it_is_always_told(begin):
    story, expert = begin(**FORGETS_ALL)
    for number in range(20):
        story.says(f"The box {number} is green.", "2025-01-01")
    story.say("The office is in Linz.", "2025-02-01", subject="team", attribute="office", value="Linz")
    due(story)
    expert.chapters.clear()
    story.clock.advance(86_400)
    story.says("The office is in Graz.", subject="team", attribute="office", value="Graz")
    due(story)
    assert expert.chapters == [["The office is in Linz.", "The office is in Graz."]]


def test_B4_a_judged_pair_is_never_torn_by_forgetting(begin):
    story, expert = begin(**FORGETS_ALL)
    story.memory.configure(similarity_gate=0.2)
    story.says("User enjoys long hikes in Norway.", "2025-01-01")
    due(story)
    expert.chapters.clear()
    story.says("User hikes in Norway mostly alone.", "2025-06-01")
    due(story)
    assert expert.chapters == [["User enjoys long hikes in Norway.", "User hikes in Norway mostly alone."]]


def test_B4_the_same_seed_tells_the_same_sample_and_the_whole_tells_all(begin):
    story, expert = begin(forgetting_older=0.3)
    for number in range(40):
        story.says(f"The box {number} is green.", "2025-01-01")
    story.clock.advance(30 * 86_400)
    told = [story.memory.read_story(whole=False, seed=seed).told for seed in ("a", "a", "b")]
    assert expert.chapters[0] == expert.chapters[1] != expert.chapters[2]
    assert 0 < told[0] < 40
    assert story.memory.read_story().told == 40
    assert [run.seed for run in runs(story)] == ["", "b", "a", "a"]


def test_B4_disputed_facts_are_remembered_longer(begin):
    story, expert = begin(reports(AMBIGUITY, (LIMIT, OTHER), IS_LIMIT), forgetting_older=0.5)
    limits(story)
    assert story.memory.read_story().opened == 1
    story.clock.advance(30 * 86_400)
    expert.chapters.clear()
    for seed in range(20):
        story.memory.read_story(whole=False, seed=str(seed))
    assert [sorted(told) for told in expert.chapters] == [sorted([LIMIT, OTHER])] * 20


# Chapters


def test_B5_a_confusion_across_a_border_is_found_once(begin):
    story, expert = begin(reports(AMBIGUITY, (LIMIT, OTHER), IS_LIMIT), story_characters=4_000, story_overlap=1_500)
    for number in range(30):
        story.says(f"The box {number} is {'very ' * 20}green.", "2025-01-01")
        if number == 14:
            limits(story, said_at="2025-01-01")
    run = story.memory.read_story()
    assert (run.chapters, run.told) == (len(expert.chapters), 32)
    assert run.chapters > 1
    assert (run.found, run.opened) == (1, 1)
    for earlier, later in pairwise(expert.chapters):
        assert earlier[-1] in later


# Identity


@pytest.mark.parametrize("answer", [None, "dismiss", "both"])
def test_B6_what_was_asked_is_not_asked_again_however_it_was_answered(begin, answer):
    story, _ = begin(reports(AMBIGUITY, (OTHER, LIMIT), IS_LIMIT))
    limits(story)
    story.memory.read_story()
    if answer is not None:
        story.memory.resolve(story.conflicts()[0].conflict.id, answer)
    run = story.memory.read_story()
    assert (run.found, run.opened, run.known) == (1, 0, 1)
    assert len(story.conflicts(None)) == 1


def test_B6_new_evidence_may_open_it_again(begin):
    third = "Ben measured the auth service under load."
    told = []
    story, _ = begin(lambda chapter: told or reports(AMBIGUITY, (OTHER, LIMIT), IS_LIMIT)(chapter))
    limits(story)
    story.memory.read_story()
    story.memory.resolve(story.conflicts()[0].conflict.id, "dismiss")
    story.says(third, "2025-06-01")
    told.append((AMBIGUITY, (LIMIT, OTHER, third), "Is the auth rate limit now as Ben measured?"))
    assert story.memory.read_story().opened == 1
    assert opened(story) == [(AMBIGUITY, sorted([LIMIT, OTHER, third]))]


def test_B6_undo_takes_all_questions_of_a_reading_back(begin):
    story, _ = begin(
        lambda told: [
            (AMBIGUITY, told[:2], IS_LIMIT),
            (STALE, told[2:], "Is Mara still the one to ask about invoices?"),
        ]
    )
    limits(story)
    story.says(OLD, "2025-01-01")
    story.says(MOVED, "2025-09-01")
    story.clock.advance(60)
    first, *_ = made = story.memory.drain()
    assert [one.action for one in made] == ["ASK"] * len(made)
    story.memory.undo(first.batch_id)
    assert story.conflicts(None) == ()


# Failures


def test_B7_a_reading_without_a_clean_answer_is_kept_as_failed_and_shown(begin):
    story, _ = begin(lambda _: Undecided("llm: no clean answer, even when asked again: it had no list 'confusions'"))
    limits(story)
    due(story)
    stats = story.memory.stats()
    assert (stats.counts["story_runs"], stats.counts["story_failed"], stats.counts["story_waiting"]) == (1, 1, 0)
    assert stats.judges["detective"].startswith("on; the last reading failed: llm: no clean answer")
    assert runs(story)[0].failure.startswith("llm: no clean answer")


def test_B7_one_failed_chapter_does_not_cost_the_others(begin):
    def tells(told):
        return Undecided("llm: refused") if LIMIT not in told else [(AMBIGUITY, (LIMIT, OTHER), IS_LIMIT)]

    story, _ = begin(tells, story_characters=4_000, story_overlap=300)
    limits(story)
    for number in range(30):
        story.says(f"The box {number} is {'very ' * 20}green.", "2025-05-01")
    run = story.memory.read_story()
    assert (run.opened, run.failure) == (1, "llm: refused")


def test_B8_where_nobody_answers_the_job_is_put_off_and_read_later(begin):
    up = []
    story, expert = begin(lambda told: () if up else Unheard("llm: no server"))
    limits(story)
    due(story)
    assert story.memory.stats().counts["story_waiting"] == 1
    assert story.memory.drain() == []
    assert len(expert.chapters) == 1
    up.append(True)
    story.clock.advance(PAUSES[0].total_seconds())
    story.memory.drain()
    assert expert.chapters[0] == expert.chapters[1]
    assert story.memory.stats().counts["story_waiting"] == 0
    assert story.memory.stats().judges["detective"] == "on"


def test_B8_where_nobody_ever_answers_it_ends_at_last(begin):
    story, expert = begin(lambda _: Unheard("llm: no server"))
    limits(story)
    for _ in range(20):
        story.clock.advance(timedelta(days=1).total_seconds())
        story.memory.drain()
    assert len(expert.chapters) == len(PAUSES) + 1
    assert story.memory.stats().counts["story_waiting"] == 0


def test_B8_a_spent_budget_waits_for_the_next_day(begin):
    story, expert = begin(lambda _: Unheard("budget: spent", tomorrow=True))
    story.on("2025-03-01T10:00")
    limits(story, said_at="2025-02-01")
    due(story)
    story.on("2025-03-01T23:59").memory.drain()
    assert len(expert.chapters) == 1
    story.on("2025-03-02").memory.drain()
    assert len(expert.chapters) == 2


# After writes


def test_B8_writes_leave_one_job_and_wait_for_nothing(begin):
    story, expert = begin()
    for number in range(5):
        story.says(f"The box {number} is green.")
    story.says("The lid is blue.", wait=False)
    assert expert.chapters == []
    assert story.memory.stats().counts["story_waiting"] == 1
    story.memory.drain()
    assert expert.chapters == []
    due(story)
    assert [len(told) for told in expert.chapters] == [6]
    assert story.memory.stats().counts["story_waiting"] == 0
    assert due(story) == []
    assert len(expert.chapters) == 1


def test_B8_a_fact_kept_early_sets_a_reading_off_too(begin):
    story, expert = begin(**FORGETS_ALL)
    story.says("The lid is blue.", wait=False)
    due(story)
    assert expert.chapters == [["The lid is blue."]]


def test_B8_what_adds_nothing_to_the_story_sets_off_nothing(begin):
    story, _ = begin()
    story.says("The lid is blue.", "2025-01-01")
    due(story)
    assert story.say("The lid is blue.", "2025-01-01").action == "REJECT"
    assert story.memory.stats().counts["story_waiting"] == 0


def test_B8_what_is_said_while_the_story_is_read_is_read_next(begin):
    story, expert = begin(lambda told: late(story, told))

    def late(story, told):
        if "The lid is blue." not in told:
            story.memory.remember("The lid is blue.")
        return ()

    story.says("The box is green.")
    due(story)
    assert [sorted(told) for told in expert.chapters] == [["The box is green."]]
    assert story.memory.stats().counts["story_waiting"] == 1
    due(story)
    assert "The lid is blue." in expert.chapters[1]
    assert story.memory.stats().counts["story_waiting"] == 0


def test_B8_a_fact_that_changes_while_it_is_read_is_not_asked_about(begin):
    story, _ = begin(lambda told: changed(told))  # noqa: PLW0108 - it comes later

    def changed(told):
        story.memory.forget(kept.fact_id)
        return [(AMBIGUITY, told, IS_LIMIT)]

    kept = story.say(LIMIT, "2025-01-01", topic="auth")
    story.say(OTHER, "2025-03-01", topic="infra")
    run = story.memory.read_story()
    assert (run.found, run.opened, run.dropped) == (1, 0, 1)


def test_B8_without_an_llm_nothing_is_left_nothing_fails_and_it_is_said(stories):
    story = stories(pair_model="off")
    limits(story)
    assert story.memory.drain() == []
    assert story.memory.stats().counts["story_waiting"] == 0
    assert story.memory.stats().judges["detective"].startswith("off: no LLM")
    assert story.memory.read_story().failure.startswith("llm: none is configured")


def test_B8_a_job_waits_while_the_llm_is_away_or_not_to_be_asked(begin):
    story, expert = begin()
    limits(story)
    story.clock.advance(60)
    engine = story.memory.engine
    story.memory.engine = replace(engine, expert=None)
    assert story.memory.drain() == []
    story.memory.engine = engine
    assert story.memory.drain(asks=False) == []
    assert (expert.chapters, story.memory.stats().counts["story_waiting"]) == ([], 1)


def test_B8_the_setting_turns_it_off(begin):
    story, expert = begin(story_enabled=False)
    limits(story)
    due(story)
    assert expert.chapters == []
    assert story.memory.stats().judges["detective"] == "off: setting story_enabled"


def test_B8_two_that_read_at_once_ask_once(begin):
    meet = threading.Barrier(2, timeout=30)

    def tells(_):
        meet.wait()
        return [(AMBIGUITY, (LIMIT, OTHER), IS_LIMIT)]

    story, _ = begin(tells)
    limits(story)
    threads = [threading.Thread(target=story.memory.read_story) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(story.conflicts(None)) == 1
    assert sorted((run.opened, run.known) for run in runs(story)) == [(0, 1), (1, 0)]


# Questions


@pytest.mark.parametrize(
    "question", ["Which limit counts?", "Is it so?", "The rate limit is 1,000 req/s.", "Is f1 right?"]
)
def test_B11_a_question_that_no_person_could_answer_is_dropped_and_counted(begin, question):
    story, _ = begin(reports(AMBIGUITY, (LIMIT, OTHER), question))
    limits(story)
    run = story.memory.read_story()
    assert (run.found, run.opened, run.dropped) == (1, 0, 1)
    assert story.memory.stats().counts["story_dropped"] == 1
    assert opened(story) == []


def test_B11_one_reading_asks_no_more_than_a_person_can_bear(begin):
    boxes = [f"The box {number} is green." for number in range(30)]
    story, _ = begin(lambda told: [(AMBIGUITY, (a, b), f"Is it so that {a[:-1]}?") for a, b in pairwise(told)])
    for number, text in enumerate(boxes):
        story.says(text, f"2025-01-{number + 1:02}")
    run = story.memory.read_story()
    assert (run.found, run.opened, run.dropped) == (29, 10, 19)


def test_B12_an_answer_settles_a_question_of_the_story_like_any_other(begin):
    story, _ = begin(reports(AMBIGUITY, (LIMIT, OTHER), IS_LIMIT))
    limits(story)
    story.memory.read_story()
    (asked,) = story.conflicts()
    keep = next(fact.id for fact in asked.facts if fact.text == OTHER)
    story.memory.resolve(asked.conflict.id, "keep", keep=keep)
    assert story.served("address log in times a second") == [OTHER]


def test_F7_no_word_of_an_erased_fact_stays_in_a_question_of_the_story(begin):
    story, _ = begin(reports(AMBIGUITY, (LIMIT, OTHER), IS_LIMIT))
    limits(story)
    story.memory.read_story()
    (asked,) = story.conflicts()
    story.memory.erase(asked.facts[0].id)
    assert [one.conflict.question for one in story.conflicts(None)] == [""]
    with story.memory.engine.store.read() as reader:
        rows = [str(row.payload) for row in reader.history(story.memory.space)]
        texts = [one.text for one in reader.decisions(story.memory.space)]
    assert not any(IS_LIMIT in text for text in rows + texts)


def test_B8_a_story_job_has_one_id_for_the_space(begin):
    story, _ = begin()
    limits(story)
    with story.memory.engine.store.read() as reader:
        found = reader.jobs(story.memory.space, story.clock.now() + timedelta(days=1), 9)
    assert [(job.id, job.kind) for job in found] == [(STORY, STORY)]
