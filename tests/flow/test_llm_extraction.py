"""What if an LLM reads the texts? Rows D1, D8: claims become candidates of the same slots as offline, each fact's span
is in its episode, a failure falls back to the local reader with its reason, a crash while it reads loses nothing."""

from __future__ import annotations

import dataclasses

import pytest

from stilltrue.connect.importers import import_data
from stilltrue.memory import Memory
from stilltrue.model.episode import Span
from stilltrue.model.expert import Claim, Claims, Usage
from stilltrue.model.fact import Modality
from stilltrue.settings import Settings
from tests.flow.canon import content
from tests.flow.teller import WordEmbedder, day

ON = Settings(llm_extraction=True)


def claim(episode, quote, text, subject, attribute, value=None, **more):
    start = episode.text.index(quote)
    more.setdefault("modality", Modality.ASSERTION)
    return Claim(
        text=text, span=Span(start, start + len(quote)), subject=subject, attribute=attribute, value=value, **more
    )


class Reader:
    """An LLM tier that reads as a test wants: a function from an episode to claims, or to why there are none."""

    model_version = "scripted-llm-1"

    def __init__(self, reading):
        self.reading = reading
        self.read = []

    def extract(self, episode, allowance):
        self.read.append(episode)
        told = self.reading(episode)
        return Claims((), Usage(1, 40), told) if isinstance(told, str) else Claims(tuple(told), Usage(1, 100))


@pytest.fixture
def read_by(stories, words):
    """A story whose texts a scripted LLM reads."""

    def begin(reading, path=":memory:", settings=ON):
        story = stories(path, embedder=words, settings=settings)
        reader = Reader(reading)
        story.memory = Memory(dataclasses.replace(story.memory.engine, expert=reader), story.memory.space)
        return story, reader

    return begin


def homes(episode):
    return [claim(episode, "flat in Oslo", "User lives in Oslo.", "User", "home", "Oslo")]


def test_D1_claims_become_facts_in_the_slots_of_the_offline_reader(read_by):
    story, _ = read_by(homes)
    [decision] = story.says("After years I finally got a flat in Oslo.", "2025-01-02")
    fact = story.fact(decision.fact_id)
    assert (fact.subject, fact.attribute, fact.value) == ("user", "residence", "Oslo")
    assert fact.text == "User lives in Oslo."


@pytest.mark.parametrize("subject", ["User", "I", "me", "the user"])
def test_D1_all_names_of_the_speaker_are_one_subject(read_by, subject):
    story, _ = read_by(lambda e: [claim(e, "Oslo", "Base is Oslo now.", subject, "residence", "Oslo")])
    [decision] = story.says("Base is Oslo now.")
    assert story.fact(decision.fact_id).subject == "user"
    named, _ = read_by(lambda e: [claim(e, "Oslo", "Base is Oslo now.", subject, "residence", "Oslo")])
    [decision] = named.says("Base is Oslo now.", author="Mara")
    assert named.fact(decision.fact_id).subject == "mara"


def test_D1_a_claim_takes_the_place_of_what_was_read_offline(read_by):
    story, _ = read_by(
        lambda e: [claim(e, "keys to the new place in Rome", "User moved to Rome.", "User", "home", "Rome")]
    )
    offline = Memory(dataclasses.replace(story.memory.engine, expert=None), story.memory.space)
    [old] = offline.remember("User lives in Oslo.")
    [decision] = story.says("Got the keys to the new place in Rome!", "2025-03-02")
    assert (decision.action, decision.targets) == ("SUPERSEDE", (old.fact_id,))
    assert story.values() == ["Rome"]


def test_D1_an_unknown_attribute_keeps_the_name_that_the_llm_gave_it(read_by):
    story, _ = read_by(
        lambda e: [
            claim(e, "gate code: 4711", "The gate code of Elm Street is 4711.", "Elm Street", "Gate code", "4711")
        ]
    )
    [decision] = story.says("Elm Street: gate code: 4711")
    fact = story.fact(decision.fact_id)
    assert (fact.subject, fact.value) == ("elm street", "4711")
    assert fact.attribute in {"gate code", "gate_code"}


def test_D1_pronouns_mean_the_subject_named_before(read_by):
    def both(episode):
        return [
            claim(episode, "Ada works at Acme", "Ada works at Acme.", "Ada", "employer", "Acme"),
            claim(episode, "She lives in Graz", "She lives in Graz.", "she", "home", "Graz"),
        ]

    story, _ = read_by(both)
    story.says("Ada works at Acme. She lives in Graz.")
    assert story.values("ada", "residence") == ["Graz"]


def test_D1_stated_dates_are_days_where_the_asker_is(read_by):
    dated = {"valid_from": day("2025-02-01"), "valid_until": day("2025-06-01")}
    settings = Settings(llm_extraction=True, timezone="Asia/Tokyo")
    story, _ = read_by(
        lambda e: [claim(e, "in Oslo", "User lives in Oslo.", "User", "home", "Oslo", **dated)], settings=settings
    )
    [decision] = story.says("Four months in Oslo, February to May", "2025-03-02")
    fact = story.fact(decision.fact_id)
    assert fact.valid_from == day("2025-01-31T15:00")
    assert fact.valid_until == day("2025-05-31T15:00")


def test_D1_relative_dates_count_from_when_it_was_said(read_by):
    story, _ = read_by(lambda e: [claim(e, "moved to Rome", "User moved to Rome yesterday.", "User", "home", "Rome")])
    [decision] = story.says("yesterday I moved to Rome", "2025-03-02T10:00")
    assert story.fact(decision.fact_id).valid_from == day("2025-03-01")


@pytest.mark.parametrize("voice", [Modality.PLAN, Modality.HYPOTHETICAL, Modality.HEARSAY, Modality.PAST])
def test_D1_what_states_nothing_keeps_its_voice_and_retires_nothing(read_by, voice):
    story, _ = read_by(lambda e: [claim(e, "Rome", "User lives in Rome.", "User", "home", "Rome", modality=voice)])
    offline = Memory(dataclasses.replace(story.memory.engine, expert=None), story.memory.space)
    [old] = offline.remember("User lives in Oslo.")
    [decision] = story.says("Rome, oh Rome!", "2025-03-02")
    assert story.fact(decision.fact_id).modality is voice
    assert story.fact(old.fact_id).status == "active"


def test_D1_an_llm_cannot_make_a_fact_of_a_plan(read_by):
    story, _ = read_by(lambda e: [claim(e, "move to Rome", "User plans to move to Rome.", "User", "home", "Rome")])
    [decision] = story.says("I plan to move to Rome.")
    assert story.fact(decision.fact_id).modality is Modality.PLAN


def test_D1_questions_are_no_facts(read_by):
    def asked(episode):
        return [
            claim(
                episode, "live in Rome?", "Does User live in Rome?", "User", "home", "Rome", modality=Modality.QUESTION
            ),
            claim(episode, "Ada works at Acme", "Ada works at Acme.", "Ada", "employer", "Acme"),
        ]

    story, _ = read_by(asked)
    assert [d.text for d in story.says("Should I live in Rome? Ada works at Acme.")] == ["Ada works at Acme."]


def test_D8_every_span_is_in_its_episode_and_invented_words_give_way_to_the_quote(read_by):
    def invented(episode):
        return [
            claim(episode, "the auth limit went up", "The auth limit is 9,999 req/s.", "auth", "rate limit"),
            claim(episode, "Ada is ill", "Ada owes the bank an enormous sum of money.", "Ada", "health", "ill"),
        ]

    story, _ = read_by(invented)
    text = "Yesterday the auth limit went up, and Ada is ill."
    decisions = story.says(text)
    assert [d.text for d in decisions] == ["the auth limit went up", "Ada is ill"]
    for decision in decisions:
        for source in story.fact(decision.fact_id).sources:
            assert text[source.start : source.end] == source.quote
            assert source.quote


def test_D1_what_the_caller_gave_wins(read_by):
    story, reader = read_by(homes)
    [decision] = story.says(
        "After years I got a flat in Oslo.", valid_from="2024-01-01", confidence=0.55, kind="constraint"
    )
    fact = story.fact(decision.fact_id)
    assert (fact.valid_from, fact.confidence, fact.kind.value) == (day("2024-01-01"), 0.55, "constraint")
    assert len(reader.read) == 1
    story.says("A flat in Oslo", subject="user", attribute="wish", value="Oslo")
    assert len(reader.read) == 1


def test_D1_with_the_setting_off_no_text_is_shown_to_an_llm(read_by):
    story, reader = read_by(homes, settings=Settings())
    story.says("User lives in Oslo.")
    assert reader.read == []


def test_D1_a_write_that_does_not_wait_is_read_here(read_by):
    story, reader = read_by(homes)
    [kept] = story.says("User lives in Oslo.", wait=False)
    assert kept.fact_id is not None
    story.memory.drain()
    assert reader.read == []


@pytest.mark.parametrize("asks", [True, False])
def test_C11_an_import_waits_for_no_llm_to_read_its_texts(read_by, asks):
    story, reader = read_by(homes)
    report = import_data(story.memory, b'{"text": "User lives in Rome."}', asks=asks)
    assert (report.new, report.decisions, reader.read) == (1, {"ACCEPT": 1}, [])
    assert story.values() == ["Rome"]


def test_C11_a_drain_that_is_not_to_ask_reads_what_a_crash_left_with_the_local_reader(stories, tmp_path):
    ended = dies(stories, tmp_path / "memory.db", two, 0)
    expert = Reader(two)
    resumed = again(stories, tmp_path / "memory.db", expert, ended.clock, asks=False)
    assert expert.read == []
    assert resumed.values("user", "employer") == ["Bosch"]
    reasons = [one.receipt.reason for one in decisions(resumed)]
    assert all(reason.endswith("read by the local reader: no LLM was to be asked") for reason in reasons)


def decisions(story):
    with story.memory.engine.store.read() as reader:
        return reader.decisions(story.memory.space)


# When it fails


@pytest.mark.parametrize("reason", ["llm: no answer within 30 s", "budget: 500 calls a day are used up"])
def test_D1_a_failure_falls_back_to_the_local_reader_and_the_receipt_says_why(read_by, reason):
    story, _ = read_by(lambda episode: reason)
    first, second = story.says("User lives in Oslo. User speaks French.", "2025-01-02")
    for decision in (first, second):
        assert decision.receipt.reason.endswith(f"read by the local reader: {reason}")
    assert (first.receipt.cost.llm_calls, first.receipt.cost.llm_tokens) == (1, 40)
    assert second.receipt.cost.llm_calls == 0
    assert story.values() == ["Oslo"]
    assert story.memory.stats().counts["jobs"] == 0
    assert story.memory.explain(first.id).decisions[0].reason == first.receipt.reason


def test_D1_an_llm_that_finds_nothing_does_not_silence_a_text(read_by):
    story, _ = read_by(lambda episode: [])
    [decision] = story.says("User lives in Oslo.")
    assert "the LLM found no claim in it" in decision.receipt.reason


def test_D1_a_text_without_facts_is_kept_and_leaves_no_job(read_by):
    story, _ = read_by(lambda episode: [])
    assert story.says("Thanks!") == []
    counts = story.memory.stats().counts
    assert (counts["episodes"], counts["facts"], counts["jobs"]) == (1, 0, 0)


def test_A6_reading_is_in_the_receipt_of_the_first_decision(read_by):
    def both(episode):
        return [*homes(episode), claim(episode, "speak French", "User speaks French.", "User", "languages", "French")]

    story, _ = read_by(both)
    first, second = story.says("I have a flat in Oslo and speak French.")
    assert (first.receipt.cost.llm_calls, first.receipt.cost.llm_tokens) == (1, 100)
    assert second.receipt.cost.llm_calls == 0


# When the process dies


def two(episode):
    return [
        claim(episode, "flat in Oslo", "User lives in Oslo.", "User", "home", "Oslo"),
        claim(episode, "French", "User speaks French.", "User", "languages", "French"),
    ]


class Dies(WordEmbedder):
    """Raises at the nth call, as if the process had ended there."""

    def __init__(self, after):
        self.left = after

    def embed(self, texts):
        if self.left == 0:
            raise KeyboardInterrupt
        self.left -= 1
        return super().embed(texts)


TEXT = "I have a flat in Oslo. I speak French. User works at Bosch."


def dies(stories, path, reading, after):
    story = stories(path, embedder=Dies(after), settings=ON)
    story.memory = Memory(dataclasses.replace(story.memory.engine, expert=Reader(reading)), story.memory.space)
    with pytest.raises(KeyboardInterrupt):
        story.says(TEXT, "2025-01-02")
    return story


def again(stories, path, expert, clock, **how):
    story = stories(path, embedder=WordEmbedder(), settings=ON, clock=clock)
    story.memory = Memory(dataclasses.replace(story.memory.engine, expert=expert), story.memory.space)
    story.clock.advance(86_400)
    story.memory.drain(**how)
    return story


@pytest.mark.parametrize("after", [0, 1])
@pytest.mark.parametrize("reading", [two, lambda episode: "llm: no answer"], ids=["read", "not read"])
def test_D1_a_crash_between_keeping_and_deciding_comes_to_the_same(stories, read_by, tmp_path, reading, after):
    whole, _ = read_by(reading)
    whole.says(TEXT, "2025-01-02")
    ended = dies(stories, tmp_path / "memory.db", reading, after)
    assert ended.memory.stats().counts["jobs"] == 1
    resumed = again(stories, tmp_path / "memory.db", Reader(two), ended.clock)
    assert content(resumed.memory) == content(whole.memory)
    assert resumed.memory.stats().counts["jobs"] == 0


def test_D1_a_crash_while_the_llm_reads_loses_nothing(stories, tmp_path):
    def dying(episode):
        raise KeyboardInterrupt

    ended = dies(stories, tmp_path / "memory.db", dying, 9)
    assert ended.memory.stats().counts["episodes"] == 1
    resumed = again(stories, tmp_path / "memory.db", Reader(two), ended.clock)
    assert resumed.values() == ["Oslo"]
    assert resumed.memory.stats().counts["jobs"] == 0


def test_D1_without_the_llm_the_rest_is_read_here_and_nothing_is_told_twice(stories, tmp_path):
    ended = dies(stories, tmp_path / "memory.db", two, 1)
    resumed = again(stories, tmp_path / "memory.db", None, ended.clock)
    assert resumed.values() == ["Oslo"]
    assert resumed.values("user", "employer") == ["Bosch"]
    assert len(resumed.memory.lookup("user", "residence", include_superseded=True)) == 1
    assert resumed.memory.stats().counts["jobs"] == 0


def test_D10_an_episode_erased_before_it_was_read_is_not_shown(stories, tmp_path):
    ended = dies(stories, tmp_path / "memory.db", two, 0)
    with ended.memory.engine.store.read() as reader:
        [job] = reader.jobs(ended.memory.space, day("2026-01-01"), 10)
    ended.memory.erase(job.payload["episode"])
    expert = Reader(two)
    resumed = again(stories, tmp_path / "memory.db", expert, ended.clock)
    assert expert.read == []
    assert resumed.memory.stats().counts["jobs"] == 0


def test_D1_nobody_takes_up_an_episode_that_is_being_read(read_by):
    taken = []

    def reading(episode):
        taken.extend(story.memory.drain())
        return homes(episode)

    story, reader = read_by(reading)
    assert len(story.says("A flat in Oslo, at last.")) == 1
    assert taken == []
    assert len(reader.read) == 1


def test_E8_no_llm_is_asked_while_a_transaction_is_open(read_by, monkeypatch):
    story, _ = read_by(homes)
    store = story.memory.engine.store
    open_now = []
    write = type(store).write

    def watched(self, space):
        from contextlib import contextmanager

        @contextmanager
        def manager():
            with write(self, space) as transaction:
                open_now.append(True)
                try:
                    yield transaction
                finally:
                    open_now.pop()

        return manager()

    monkeypatch.setattr(type(store), "write", watched)
    seen = []
    story.memory.engine.expert.reading = lambda episode: seen.append(bool(open_now)) or homes(episode)
    story.says("A flat in Oslo, at last.")
    assert seen == [False]
