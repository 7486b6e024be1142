"""What does the expert make of chapters that a model reads, well, badly or not at all? Rows B1, B5, B7 and F7."""

from __future__ import annotations

import json
import threading
from datetime import timedelta

import pytest

from stilltrue.errors import ModelError, UnusableReplyError
from stilltrue.inference.expert import LlmExpert
from stilltrue.inference.nobody import Nobody
from stilltrue.model.conflict import ConflictKind
from stilltrue.model.expert import Allowance, Unheard, Usage
from stilltrue.model.story import Confusion, StoryLine
from stilltrue.model.verdict import Undecided
from stilltrue.rules.story import chapters
from tests.inference.scripted_chat import DOWN, ScriptedChat, data_of
from tests.store.making import SPACE, START

ALLOWANCE = Allowance(calls_per_day=100, tokens_per_day=1_000_000, pairs_per_request=20)
QUESTION = "Is the limit still 10?"


def story(count, text="The limit is {}."):
    return [
        StoryLine(
            fact_id=f"fact-{number:03}",
            text=text.format(number),
            said_at=START + timedelta(days=number),
            recorded_at=START,
        )
        for number in range(count)
    ]


def finds(*texts, kind="ambiguity", question=QUESTION):
    """A model that reports the lines with these texts where it sees them all."""

    def reply(user):
        ids = [line["id"] for text in texts for line in data_of(user)["story"] if line["text"] == text]
        found = [{"facts": ids, "kind": kind, "question": question}] if len(ids) == len(texts) else []
        return json.dumps({"confusions": found})

    return reply


def sound(_):
    return '{"confusions": []}'


def tell(chat, store, clock, *parts, allowance=ALLOWANCE):
    return LlmExpert(chat, store, clock).tell(SPACE, list(parts), allowance)


def spent(store):
    with store.read() as reader:
        return reader.usage(SPACE, START.date())


def test_B1_lines_get_short_ids_for_this_request_and_come_back_as_facts(store, clock):
    chat = ScriptedChat(finds("The limit is 2.", "The limit is 0."))
    told = tell(chat, store, clock, story(3))
    assert told.found == (Confusion(("fact-000", "fact-002"), ConflictKind.AMBIGUITY, QUESTION),)
    assert [line["id"] for line in data_of(chat.requests[0])["story"]] == ["f1", "f2", "f3"]
    assert "fact-" not in chat.requests[0]
    assert told.usage == spent(store) == Usage(1, 100)


def test_B1_a_sound_story_and_no_story_yield_nothing(store, clock):
    assert tell(ScriptedChat(sound), store, clock, story(3)).found == ()
    assert tell(ScriptedChat([]), store, clock).usage == Usage()


def test_B5_chapters_are_asked_at_once_and_their_confusions_come_in_their_order(store, clock):
    meet = threading.Barrier(3, timeout=30)

    def together(user):
        meet.wait()
        first = data_of(user)["story"][0]["text"]
        return finds(first, "The limit is 9.")(user)

    parts = [[*story(9)[number : number + 1], *story(10)[9:]] for number in range(3)]
    told = tell(ScriptedChat(together), store, clock, *parts)
    assert [one.fact_ids[0] for one in told.found] == ["fact-000", "fact-001", "fact-002"]
    assert told.usage == spent(store) == Usage(3, 300)


def test_B5_a_confusion_across_a_border_is_seen_by_the_model(store, clock):
    lines = story(60, "The limit is {}, " + "as far as anybody knows, " * 8)
    parts = chapters(lines, 6_000, 1_200)
    borders = [part[-1].text for part in parts[:-1]]
    for border in borders:
        place = [line.text for line in lines].index(border)
        chat = ScriptedChat(finds(border, lines[place + 1].text))
        assert tell(chat, store, clock, *parts).found
    assert len(borders) > 2


def test_B5_a_request_is_as_long_as_the_cut_foresaw(store, clock):
    chat = ScriptedChat(sound)
    for part in chapters(story(500), 24_000, 4_800):
        tell(chat, store, clock, part)
    sizes = [len(json.dumps(data_of(user))) for user in chat.requests]
    assert len(sizes) > 1
    assert max(sizes) <= 24_000


def test_A6_a_chapter_that_was_read_is_not_read_again(store, clock):
    chat = ScriptedChat(finds("The limit is 0.", "The limit is 1."))
    first = tell(chat, store, clock, story(2))
    again = tell(chat, store, clock, story(2))
    assert again.found == first.found
    assert again.usage == Usage(cache_hits=1)
    assert len(chat.requests) == 1


UNCLEAN = {
    "no JSON": ("All is well.", "it held no well-formed JSON object"),
    "an unknown id": (
        json.dumps({"confusions": [{"facts": ["f1", "f9"], "kind": "stale", "question": QUESTION}]}),
        "a confusion named an id that is none of the lines shown",
    ),
}


@pytest.mark.parametrize("name", UNCLEAN)
def test_B7_an_unclean_reply_is_asked_for_once_more(store, clock, name):
    reply, why = UNCLEAN[name]
    chat = ScriptedChat([reply, finds("The limit is 0.", "The limit is 1.")])
    told = tell(chat, store, clock, story(2))
    assert (len(told.found), told.failures, told.usage) == (1, (), Usage(2, 200))
    assert f"({why})" in chat.requests[1]


@pytest.mark.parametrize("name", UNCLEAN)
def test_B7_a_second_unclean_reply_is_a_failure_and_is_not_kept(store, clock, name):
    reply, why = UNCLEAN[name]
    told = tell(ScriptedChat([reply, reply]), store, clock, story(2))
    assert told.failures == (Undecided(f"llm: no clean answer, even when asked again: {why}"),)
    assert told.usage == spent(store) == Usage(2, 200)
    assert tell(ScriptedChat(sound), store, clock, story(2)).usage == Usage(1, 100)


def test_B7_a_failed_chapter_leaves_the_others(store, clock):
    def reply(user):
        if "The limit is 5." in user:
            raise UnusableReplyError("localhost refused to answer", 10)
        return finds("The limit is 0.", "The limit is 1.")(user)

    told = tell(ScriptedChat(reply), store, clock, story(2), story(6)[5:])
    assert (len(told.found), told.failures) == (1, (Undecided("llm: localhost refused to answer"),))


def test_B8_a_server_that_is_down_may_be_asked_later(store, clock):
    told = tell(ScriptedChat([DOWN]), store, clock, story(2))
    assert told.failures == (Unheard(f"llm: {DOWN}"),)
    assert told.usage == spent(store) == Usage()


def test_B8_a_budget_that_is_spent_is_one_for_tomorrow(store, clock):
    none = Allowance(calls_per_day=0, tokens_per_day=10, pairs_per_request=1)
    (failure,) = tell(ScriptedChat([]), store, clock, story(2), allowance=none).failures
    assert isinstance(failure, Unheard)
    assert failure.tomorrow


def test_F7_a_chat_that_breaks_its_contract_loses_nothing(store, clock):
    told = tell(ScriptedChat([RuntimeError("secret words")]), store, clock, story(2))
    assert told.failures == (Unheard("llm: the chat failed (RuntimeError); see its own log"),)
    assert ModelError in type(DOWN).__mro__


def test_F7_a_repair_repeats_no_word_of_the_faulty_reply(store, clock):
    chat = ScriptedChat([json.dumps({"confusions": [{"facts": ["OBEY"], "kind": "OBEY", "question": "OBEY"}]})] * 2)
    told = tell(chat, store, clock, story(2))
    assert "OBEY" not in chat.requests[1] + told.failures[0].reason


def test_B8_who_stands_in_for_an_llm_reads_no_story():
    assert [one.reason for one in Nobody().tell(SPACE, [story(2)], ALLOWANCE).failures] == [
        "only an estimate is made; nobody is asked"
    ]
