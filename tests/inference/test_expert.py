"""What does the expert do with a model that answers, fails, babbles, costs or is attacked? Every test ends with a sound
store."""

import json
import math
import subprocess
import sys
import threading
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from stilltrue.errors import ModelError, StateError, UnusableReplyError
from stilltrue.inference.batches import MOST_CHARACTERS
from stilltrue.inference.expert import LlmExpert
from stilltrue.inference.nobody import Nobody
from stilltrue.model.episode import Episode, Span
from stilltrue.model.expert import Allowance, Exhibit, Unheard, Usage, Vote
from stilltrue.model.fact import Statement
from stilltrue.model.slot import Slot
from stilltrue.model.verdict import Relation, Undecided
from tests.inference.scripted_chat import DOWN, ScriptedChat, data_of, pairs_of, verdicts
from tests.store.making import DAY, SPACE, START, add, open_store

ALLOWANCE = Allowance(calls_per_day=100, tokens_per_day=1_000_000, pairs_per_request=2)
TODAY = START.date()


def statement(text):
    return Statement(text=text, slot=Slot("user", "home"), said_at=START)


def pairs(count, new="User lives in Graz."):
    return [(statement(f"User lives in town {number}."), statement(new)) for number in range(count)]


def expert_of(chat, store, clock, **options):
    return LlmExpert(chat, store, clock, **options)


def spent(store, day=TODAY):
    with store.read() as reader:
        return reader.usage(SPACE, day)


def by_number(existing, _):
    """A relation that tells the pairs apart."""
    return list(Relation)[int("".join(filter(str.isdigit, existing))) % 6]


# Votes, in order and in batches


def test_C11_pairs_share_requests_and_votes_come_in_order(store, clock):
    chat = ScriptedChat(lambda user: verdicts(user, by_number, "because"))
    answered = expert_of(chat, store, clock).classify(SPACE, pairs(5), ALLOWANCE)
    assert answered.votes == tuple(Vote(list(Relation)[number], "because") for number in range(5))
    assert answered.usage == spent(store) == Usage(3, 300, 0)
    assert sorted(len(pairs_of(user)) for user in chat.requests) == [1, 2, 2]


def test_C11_order_holds_however_late_a_reply_comes(store, clock):
    """Each request waits for the next one's reply, so they finish in the reverse of their order."""
    count, done = 4, [threading.Event() for _ in range(5)]
    done[4].set()

    def late(user):
        ((_, existing, _),) = pairs_of(user)
        number = int(existing.split()[-1].rstrip("."))
        assert done[number + 1].wait(30)
        done[number].set()
        return verdicts(user, by_number)

    expert = expert_of(ScriptedChat(late), store, clock, concurrency=count)
    answered = expert.classify(SPACE, pairs(count), replace(ALLOWANCE, pairs_per_request=1))
    assert [vote.relation for vote in answered.votes] == list(Relation)[:count]


def test_C11_no_more_requests_are_under_way_than_allowed(store, clock):
    under_way, most, guard = [], [], threading.Lock()

    def watched(user):
        with guard:
            under_way.append(user)
            most.append(len(under_way))
        threading.Event().wait(0.01)
        with guard:
            under_way.remove(user)
        return verdicts(user)

    expert = expert_of(ScriptedChat(watched), store, clock, concurrency=2)
    expert.classify(SPACE, pairs(12), replace(ALLOWANCE, pairs_per_request=1))
    assert max(most) <= 2


def test_C11_long_statements_share_a_request_only_while_they_fit(store, clock):
    chat = ScriptedChat()
    long = "User wrote: " + "a word " * (MOST_CHARACTERS // 14)
    told = [(statement(f"{number} {long}"), statement("User lives in Graz.")) for number in range(3)]
    answered = expert_of(chat, store, clock).classify(SPACE, told, replace(ALLOWANCE, pairs_per_request=10))
    assert len(chat.requests) == 3
    assert all(isinstance(vote, Vote) for vote in answered.votes)


def test_C11_equal_pairs_are_asked_about_once_and_nothing_costs_nothing(store, clock):
    chat = ScriptedChat()
    expert = expert_of(chat, store, clock)
    assert len(expert.classify(SPACE, pairs(1) * 3, ALLOWANCE).votes) == 3
    assert [len(pairs_of(user)) for user in chat.requests] == [1]
    assert expert.classify(SPACE, [], ALLOWANCE).usage == Usage()


def test_C11_an_estimate_asks_nothing_and_comes_close(store, clock):
    chat = ScriptedChat(tokens=0)
    expert = expert_of(chat, store, clock)
    foreseen = expert.estimate(SPACE, pairs(5), ALLOWANCE)
    assert chat.requests == []
    assert spent(store) == Usage()
    used = expert.classify(SPACE, pairs(5), ALLOWANCE).usage
    assert foreseen.calls == used.calls == 3
    assert abs(foreseen.tokens - used.tokens) < 0.1 * used.tokens
    assert expert.estimate(SPACE, pairs(6), ALLOWANCE).calls == 1
    assert expert.estimate(SPACE, pairs(6), ALLOWANCE).cache_hits == 5


# The cache


def test_A6_what_was_asked_is_not_asked_again(store, clock):
    chat = ScriptedChat(lambda user: verdicts(user, by_number))
    expert = expert_of(chat, store, clock)
    first = expert.classify(SPACE, pairs(3), ALLOWANCE)
    again = expert.classify(SPACE, pairs(4), ALLOWANCE)
    assert again.votes[:3] == first.votes
    assert again.usage == Usage(1, 100, 3)
    assert spent(store) == Usage(3, 300, 3)
    assert expert.classify("ben", pairs(1), ALLOWANCE).usage == Usage(1, 100, 0)


@pytest.mark.parametrize("change", ["text", "said_at", "model"])
def test_A6_another_text_time_or_model_is_another_question(store, clock, change):
    expert_of(ScriptedChat(), store, clock).classify(SPACE, pairs(1), ALLOWANCE)
    ((existing, new),) = pairs(1)
    asked = [(replace(existing, text="User lives in Linz."), new)] if change == "text" else [(existing, new)]
    asked = [(existing, replace(new, said_at=START + DAY))] if change == "said_at" else asked
    chat = ScriptedChat(model="another" if change == "model" else "scripted")
    assert expert_of(chat, store, clock).classify(SPACE, asked, ALLOWANCE).usage == Usage(1, 100, 0)


OTHER_PROCESS = """
import sys
from tests.inference.test_expert import *
from tests.store.making import Clock
store = open_store(sys.argv[1], Clock())
answered = LlmExpert(ScriptedChat([DOWN]), store, Clock()).classify(SPACE, pairs(2), ALLOWANCE)
print([vote.relation.value for vote in answered.votes], answered.usage)
store.close()
"""


def test_A6_another_process_finds_the_replies(tmp_path, clock):
    with open_store(tmp_path / "memory.db", clock) as store:
        expert_of(ScriptedChat(), store, clock).classify(SPACE, pairs(2), ALLOWANCE)
        command = [sys.executable, "-c", OTHER_PROCESS, str(tmp_path / "memory.db")]
        told = subprocess.run(command, check=True, capture_output=True, text=True)
        assert told.stdout.strip() == "['UPDATE', 'UPDATE'] Usage(calls=0, tokens=0, cache_hits=2)"
        assert spent(store) == Usage(1, 100, 2)
        assert store.check_invariants() == []


def test_A6_a_failure_is_not_kept(store, clock):
    chat = ScriptedChat([DOWN, "nonsense", "nonsense", verdicts])
    expert = expert_of(chat, store, clock)
    for _ in range(2):
        assert isinstance(expert.classify(SPACE, pairs(1), ALLOWANCE).votes[0], Undecided)
    assert isinstance(expert.classify(SPACE, pairs(1), ALLOWANCE).votes[0], Vote)


# Repair


def test_C3_an_unclean_reply_is_asked_for_once_more_and_only_once(store, clock):
    chat = ScriptedChat(lambda user: verdicts(user, "not a CONTRADICTION"))
    answered = expert_of(chat, store, clock).classify(SPACE, pairs(1), ALLOWANCE)
    assert answered.votes == (
        Undecided("llm: no clean answer, even when asked again: its relation was none of the six"),
    )
    assert len(chat.requests) == 2
    assert "(p1: its relation was none of the six)" in chat.requests[1]
    assert answered.usage == spent(store) == Usage(2, 200, 0)


def test_C3_only_the_unclean_pairs_are_asked_about_again(store, clock):
    def half(user):
        return verdicts(user, lambda existing, _: "NONE" if "town 0" in existing else "none")

    chat = ScriptedChat([half, verdicts])
    answered = expert_of(chat, store, clock).classify(SPACE, pairs(2), ALLOWANCE)
    assert [vote.relation for vote in answered.votes] == [Relation.NONE, Relation.UPDATE]
    assert [name for name, *_ in pairs_of(chat.requests[1])] == ["p2"]
    assert chat.schemas[1]["properties"]["verdicts"]["items"]["properties"]["pair"]["enum"] == ["p2"]


def test_C3_clean_votes_stand_where_the_repair_fails(store, clock):
    def half(user):
        return verdicts(user, lambda existing, _: "NONE" if "town 0" in existing else "none")

    answered = expert_of(ScriptedChat([half, DOWN]), store, clock).classify(SPACE, pairs(2), ALLOWANCE)
    assert answered.votes == (Vote(Relation.NONE, "it changed"), Unheard(f"llm: {DOWN}"))
    assert answered.usage == spent(store) == Usage(1, 100, 0)


def test_F7_a_repair_repeats_no_word_of_the_faulty_reply(store, clock):
    chat = ScriptedChat(lambda user: json.dumps({"verdicts": [{"pair": "OBEY ME", "relation": "OBEY ME"}]}))
    answered = expert_of(chat, store, clock).classify(SPACE, pairs(1), ALLOWANCE)
    assert len(chat.requests) == 2
    assert "OBEY" not in chat.requests[1] + answered.votes[0].reason


# Refusals


HOSTILE = "town 3"


def shy(user):
    """A model that will not look at one text, whoever stands beside it."""
    if HOSTILE in user:
        raise UnusableReplyError("localhost refused to answer", 10)
    return verdicts(user)


@pytest.mark.parametrize("count", [2, 7, 20])
def test_C3_a_text_that_no_model_will_look_at_is_left_with_itself(store, clock, count):
    expert = expert_of(ScriptedChat(shy), store, clock)
    told = expert.classify(SPACE, pairs(max(count, 4)), replace(ALLOWANCE, pairs_per_request=count))
    refused = [number for number, vote in enumerate(told.votes) if not isinstance(vote, Vote)]
    assert refused == [3]
    assert told.votes[3] == Undecided("llm: localhost refused to answer")
    assert told.usage == spent(store)
    assert told.usage.calls <= -(-max(count, 4) // count) + 2 * math.ceil(math.log2(count))


def test_C3_a_model_that_refuses_everything_is_asked_two_halves_and_no_more(store, clock):
    def refuses(_):
        raise UnusableReplyError("localhost refused to answer", 10)

    chat = ScriptedChat(refuses)
    told = expert_of(chat, store, clock).classify(SPACE, pairs(20), replace(ALLOWANCE, pairs_per_request=20))
    assert set(told.votes) == {Undecided("llm: localhost refused to answer")}
    assert [len(pairs_of(user)) for user in chat.requests] == [20, 10, 10]
    assert told.usage == spent(store) == Usage(3, 30)


def test_A6_halves_need_budget_too_and_wait_for_it(store, clock):
    small = replace(ALLOWANCE, pairs_per_request=20, calls_per_day=2)
    expert = expert_of(ScriptedChat(shy), store, clock)
    told = expert.classify(SPACE, pairs(8), small)
    assert [isinstance(vote, Unheard) and vote.tomorrow for vote in told.votes] == [True] * 8
    assert spent(store) == Usage(2, 20)
    votes = expert.classify(SPACE, pairs(8), replace(small, calls_per_day=20)).votes
    assert [isinstance(vote, Vote) for vote in votes] == [True] * 3 + [False] + [True] * 4


def test_C11_who_stands_in_for_an_llm_tells_what_it_would_take_and_answers_nothing(store, clock):
    chat = ScriptedChat(tokens=0)
    expert = expert_of(chat, store, clock)
    assert Nobody().estimate(SPACE, pairs(5), ALLOWANCE) == expert.estimate(SPACE, pairs(5), ALLOWANCE)
    expert.classify(SPACE, pairs(5), ALLOWANCE)
    assert Nobody(expert).estimate(SPACE, pairs(5), ALLOWANCE) == Usage(cache_hits=5)
    assert {type(vote) for vote in Nobody(expert).classify(SPACE, pairs(5), ALLOWANCE).votes} == {Undecided}


# Failures


def test_C3_a_server_that_is_down_leaves_pairs_undecided_and_costs_nothing(store, clock):
    chat = ScriptedChat([DOWN, verdicts])
    answered = expert_of(chat, store, clock, concurrency=1).classify(SPACE, pairs(4), ALLOWANCE)
    assert answered.votes[:2] == (Unheard(f"llm: {DOWN}"),) * 2
    assert all(isinstance(vote, Vote) for vote in answered.votes[2:])
    assert answered.usage == spent(store) == Usage(1, 100, 0)


def test_C3_a_chat_that_breaks_its_contract_loses_nothing_and_its_words_are_not_repeated(store, clock):
    chat = ScriptedChat([RuntimeError("secret words")])
    (vote,) = expert_of(chat, store, clock).classify(SPACE, pairs(1), ALLOWANCE).votes
    assert vote == Unheard("llm: the chat failed (RuntimeError); see its own log")


def test_E8_asking_inside_a_write_is_refused_at_once(store, clock):
    expert = expert_of(ScriptedChat(), store, clock)
    with pytest.raises(StateError), store.write(SPACE):
        expert.classify(SPACE, pairs(1), ALLOWANCE)


def test_E8_the_store_is_free_while_the_model_thinks(store, clock):
    def writes(user):
        with store.write(SPACE) as transaction:
            add(transaction, "User lives in Wels", seed=1)
        return verdicts(user)

    (vote,) = expert_of(ScriptedChat(writes), store, clock).classify(SPACE, pairs(1), ALLOWANCE).votes
    assert isinstance(vote, Vote)


# The budget


def test_A6_calls_end_midway_and_the_next_day_brings_new_ones(store, clock):
    chat = ScriptedChat()
    expert, small = expert_of(chat, store, clock), replace(ALLOWANCE, calls_per_day=2)
    answered = expert.classify(SPACE, pairs(6), small)
    assert [isinstance(vote, Vote) for vote in answered.votes] == [True] * 4 + [False] * 2
    assert answered.votes[5].reason == (
        "budget: 2 of 2 calls are spent today (UTC); raise llm_calls_per_day, or wait for tomorrow"
    )
    assert answered.votes[5].tomorrow
    assert answered.usage == spent(store) == Usage(2, 200, 0)
    assert expert.classify(SPACE, pairs(4), small).usage == Usage(0, 0, 4)
    clock.move()
    assert isinstance(expert.classify(SPACE, pairs(6), small).votes[5], Vote)
    assert spent(store, (START + DAY).date()) == Usage(1, 100, 4)


def test_A6_tokens_end_midway(store, clock):
    chat = ScriptedChat(tokens=5_000)
    expert, small = expert_of(chat, store, clock, concurrency=1), replace(ALLOWANCE, tokens_per_day=9_000)
    answered = expert.classify(SPACE, pairs(6), small)
    assert [isinstance(vote, Vote) for vote in answered.votes] == [True] * 4 + [False] * 2
    assert answered.votes[5].reason.startswith("budget: about ")
    assert "10000 of 9000 are spent today (UTC); raise llm_tokens_per_day" in answered.votes[5].reason


def test_A6_a_repair_needs_budget_too(store, clock):
    chat = ScriptedChat(["nonsense"])
    (vote,) = expert_of(chat, store, clock).classify(SPACE, pairs(1), replace(ALLOWANCE, calls_per_day=1)).votes
    assert vote.reason.startswith("budget: 1 of 1 calls")


def test_A6_requests_under_way_count_before_their_replies(store, clock):
    """Two threads share one call."""
    begun, release = threading.Event(), threading.Event()

    def slow(user):
        begun.set()
        assert release.wait(30)
        return verdicts(user)

    expert, small = expert_of(ScriptedChat(slow), store, clock), replace(ALLOWANCE, calls_per_day=1)
    first = []
    thread = threading.Thread(target=lambda: first.append(expert.classify(SPACE, pairs(1), small)))
    thread.start()
    assert begun.wait(30)
    second = expert.classify(SPACE, pairs(1, "User lives in Wels."), small)
    release.set()
    thread.join()
    assert isinstance(first[0].votes[0], Vote)
    assert second.votes[0].reason.startswith("budget: 1 of 1 calls")


def test_A6_an_answer_that_is_none_counts_as_what_it_cost(store, clock):
    refused = UnusableReplyError("localhost refused to answer", 70)
    uncounted = UnusableReplyError("localhost sent an empty answer")
    expert = expert_of(ScriptedChat([refused, uncounted]), store, clock)
    first = expert.classify(SPACE, pairs(1), ALLOWANCE)
    assert first.votes == (Undecided("llm: localhost refused to answer"),)
    assert first.usage == spent(store) == Usage(1, 70)
    second = expert.classify(SPACE, pairs(1), ALLOWANCE)
    assert second.usage.calls == 1
    assert second.usage.tokens > 70
    assert spent(store) == first.usage + second.usage


def test_A6_failures_give_their_room_back(store, clock):
    expert = expert_of(ScriptedChat([DOWN, DOWN, verdicts]), store, clock)
    small = replace(ALLOWANCE, calls_per_day=1)
    assert [isinstance(expert.classify(SPACE, pairs(1), small).votes[0], Vote) for _ in range(3)] == [
        False,
        False,
        True,
    ]


def test_A6_a_server_that_counts_no_tokens_is_counted_by_characters(store, clock):
    chat = ScriptedChat(tokens=0)
    usage = expert_of(chat, store, clock).classify(SPACE, pairs(1), ALLOWANCE).usage
    assert usage.calls == 1
    assert usage.tokens > len(chat.requests[0]) // 4
    assert usage == spent(store)


# Erasing

SECRET = "Quintessence"


def kept(store):
    """Everything in the cache of the space."""
    sql = "SELECT cache_key, reply FROM llm_cache WHERE space_id = ?"
    with store.write(SPACE) as transaction:  # on a server, only who has named the space sees its rows
        return [tuple(row) for row in transaction._session.rows(sql, (SPACE,))]


def test_D10_erasing_leaves_no_reply_in_any_file(tmp_path, clock):
    path = tmp_path / "memory.db"
    with open_store(path, clock) as store:
        with store.write(SPACE) as transaction:
            fact = add(transaction, f"User lives in {SECRET} Road", seed=1)
        chat = ScriptedChat(lambda user: verdicts(user, reason=f"left {SECRET}"))
        expert_of(chat, store, clock).classify(SPACE, [(fact.statement, statement("User lives in Graz."))], ALLOWANCE)
        assert SECRET in str(kept(store))
        with store.write(SPACE) as transaction:
            transaction.erase(SPACE, [fact.id], [fact.episode_id])
        assert kept(store) == []
        assert store.check_invariants() == []
    for file in tmp_path.iterdir():
        assert SECRET.encode() not in file.read_bytes(), file


def test_D10_a_reply_under_way_during_an_erasure_is_not_kept(store, clock):
    with store.write(SPACE) as transaction:
        fact = add(transaction, f"User lives in {SECRET} Road", seed=1)

    def erases(user):
        with store.write(SPACE) as transaction:
            transaction.erase(SPACE, [fact.id], [fact.episode_id])
        return verdicts(user, reason=f"left {SECRET}")

    chat = ScriptedChat([erases, verdicts, verdicts])
    expert = expert_of(chat, store, clock)
    told = [(fact.statement, statement("User lives in Graz."))]
    assert expert.classify(SPACE, told, ALLOWANCE).usage == Usage(1, 100, 0)
    assert SECRET not in str(kept(store))
    assert expert.classify(SPACE, told, ALLOWANCE).usage == Usage(1, 100, 0)
    assert expert.classify(SPACE, told, ALLOWANCE).usage == Usage(0, 0, 1)


def test_D10_a_new_question_during_the_same_reply_does_not_let_it_in(store, clock):
    """After the erasure somebody else asks, which sets a new mark: the old reply finds another one than its own."""
    with store.write(SPACE) as transaction:
        fact = add(transaction, f"User lives in {SECRET} Road", seed=1)

    def erases(user):
        with store.write(SPACE) as transaction:
            transaction.erase(SPACE, [fact.id], [fact.episode_id])
        expert_of(ScriptedChat(), store, clock).classify(SPACE, pairs(1), ALLOWANCE)
        return verdicts(user, reason=f"left {SECRET}")

    told = [(fact.statement, statement("User lives in Graz."))]
    expert_of(ScriptedChat(erases), store, clock).classify(SPACE, told, ALLOWANCE)
    assert len(kept(store)) == 2
    assert SECRET not in str(kept(store))


# Episodes and questions

EPISODE = Episode(
    id="e1", space_id=SPACE, text="I live in Graz.", said_at=START, recorded_at=datetime(2025, 1, 2, tzinfo=UTC)
)
CLAIM = {
    "text": "User lives in Graz.",
    "quote": "live in Graz",
    "subject": "User",
    "attribute": "home",
    "value": "Graz",
    "modality": "assertion",
    "negated": False,
    "valid_from": None,
    "valid_until": None,
}
CLAIMS = json.dumps({"claims": [CLAIM]})
NO_QUOTE = json.dumps({"claims": [{**CLAIM, "quote": "User lives in Graz"}]})


def test_D1_claims_are_read_once_and_remembered(store, clock):
    expert = expert_of(ScriptedChat([f"Sure: {CLAIMS}"]), store, clock)
    first, again = (expert.extract(EPISODE, ALLOWANCE) for _ in range(2))
    assert [claim.span for claim in first.claims] == [Span(2, 14)]
    assert (again.claims, again.reason) == (first.claims, "")
    assert (first.usage, again.usage) == (Usage(1, 100, 0), Usage(0, 0, 1))
    assert spent(store) == Usage(1, 100, 1)


def test_D1_an_unverifiable_reading_is_repaired_once(store, clock):
    chat = ScriptedChat([NO_QUOTE, CLAIMS])
    read = expert_of(chat, store, clock).extract(EPISODE, ALLOWANCE)
    assert (len(read.claims), read.usage, read.reason) == (1, Usage(2, 200, 0), "")
    assert "letter for letter" in chat.requests[1]


@pytest.mark.parametrize(
    ("script", "calls", "reason"),
    [
        ([NO_QUOTE, NO_QUOTE], 2, "llm: no clean answer, even when asked again: no claim had a quote"),
        (["hm", DOWN], 1, f"llm: {DOWN}"),
        ([DOWN], 0, f"llm: {DOWN}"),
        ([ModelError("the answer was cut short")], 0, "llm: the answer was cut short"),
    ],
)
def test_D1_a_reading_that_fails_says_why(store, clock, script, calls, reason):
    read = expert_of(ScriptedChat(script), store, clock).extract(EPISODE, ALLOWANCE)
    assert (read.claims, read.usage.calls) == ((), calls)
    assert read.reason.startswith(reason)
    assert spent(store) == read.usage


def test_D1_a_text_that_claims_nothing_is_a_clean_reading(store, clock):
    read = expert_of(ScriptedChat(['{"claims": []}']), store, clock).extract(EPISODE, ALLOWANCE)
    assert (read.claims, read.reason) == ((), "")


def exhibit(name, text):
    return Exhibit(name, statement(text), "active", START, None)


SHOWN = [exhibit("id-a", "User likes tea."), exhibit("id-b", "User lives in Graz.")]
ANSWER = json.dumps({"found": True, "answer": "In Graz.", "citations": [{"id": "f2", "quote": "Graz"}]})


def test_D12_an_answer_cites_facts_by_their_own_ids(store, clock):
    chat = ScriptedChat([ANSWER])
    expert = expert_of(chat, store, clock)
    first, again = (expert.answer(SPACE, "Where does User live?", SHOWN, ALLOWANCE) for _ in range(2))
    assert (first.text, first.cited, first.usage, first.reason) == ("In Graz.", ("id-b",), Usage(1, 100, 0), "")
    assert (again.text, again.cited, again.usage) == ("In Graz.", ("id-b",), Usage(0, 0, 1))
    assert "id-a" not in chat.requests[0]
    assert [fact["id"] for fact in data_of(chat.requests[0])["facts"]] == ["f1", "f2"]


def test_D12_an_answer_without_grounds_is_refused_with_the_reason(store, clock):
    made_up = ANSWER.replace("In Graz", "In Graz since 1999")
    written = expert_of(ScriptedChat([made_up, made_up]), store, clock).answer(SPACE, "Where?", SHOWN, ALLOWANCE)
    assert (written.text, written.cited, written.usage) == ("", (), Usage(2, 200, 0))
    assert written.reason.endswith("the answer held a figure that is in no cited fact")


def test_D12_silence_is_an_answer_and_an_empty_memory_is_not_asked(store, clock):
    chat = ScriptedChat(['{"found": false, "answer": "", "citations": []}'])
    expert = expert_of(chat, store, clock)
    refused = expert.answer(SPACE, "Who?", SHOWN, ALLOWANCE)
    assert (refused.text, refused.cited, refused.reason) == ("", (), "")
    assert expert.answer(SPACE, "Who?", [], ALLOWANCE).usage == Usage()
    assert len(chat.requests) == 1


def test_C3_the_version_names_model_and_prompt(store, clock):
    assert expert_of(ScriptedChat(), store, clock).model_version == "scripted classify-1"
