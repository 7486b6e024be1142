"""Does erased text leave the store for good? Every byte of every file is scanned, in five encodings."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from stilltrue.model.change import BeliefChanged, ConflictChanged, FactAdded, JudgedPair, Tombstone, TombstoneKind
from stilltrue.model.codec import decode, encode
from stilltrue.model.conflict import ConflictStatus
from stilltrue.model.decision import Action
from stilltrue.model.episode import Span
from stilltrue.model.job import Job
from stilltrue.model.slot import Slot, Value, ValueType
from stilltrue.model.story import StoryRun
from stilltrue.model.timeline import Interval
from stilltrue.model.verdict import Undecided
from stilltrue.ports import Filter
from tests.store.making import (
    SPACE,
    Clock,
    add,
    conflict,
    day,
    decision,
    digest,
    episode,
    history,
    new_id,
    open_store,
    source,
    vector,
    verdict,
)

SECRET = "Ada keeps the zanzibar key under the doormat"
ENCODINGS = ("utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")
CANARIES = ("zanzibar", "doormat")
KINDS = {"fact_added": FactAdded, "belief_changed": BeliefChanged, "conflict_changed": ConflictChanged}


def traces(folder, words):
    found = []
    for file in sorted(Path(folder).rglob("*")):
        data = file.read_bytes() if file.is_file() else b""
        for word in words:
            for form in (word, word.upper(), word.capitalize()):
                encodings = [name for name in ENCODINGS if form.encode(name) in data]
                found += [(file.name, form, name) for name in encodings]
            if json.dumps(word).strip('"').encode() in data:
                found.append((file.name, word, "json"))
    return found


def tell(tx, text=SECRET):
    """A secret in every place that keeps words."""
    held = Interval(tx.now)
    fact = add(
        tx, text, seed=1, subject="zanzibar key", attribute="place of the doormat", topic="zanzibar",
        leaves=("zanzibar",), value=Value("under the doormat", ValueType.TEXT, "doormat"),
    )  # fmt: skip
    other = add(tx, "Ada keeps a spare key at work", seed=2)
    chat = episode(tx, f"Hello. {text}. And I like tea.")
    tx.add_episode(chat)
    span = Span(7, 7 + len(text))
    tx.set_source(SPACE, source(tx, fact, chat, span=span, quote=text), present=True)
    tx.set_source(SPACE, source(tx, other, chat, span=Span(0, len(chat.text)), quote=chat.text), present=True)
    made = decision(tx, fact, considered=(other,), episode_id=fact.episode_id)
    weighed = decision(tx, other, considered=(fact,), action=Action.SUPERSEDE, targets=(fact.id,))
    for item in (made, weighed):
        tx.add_decision(item)
    tx.add_history(history(tx, made, payload=encode(FactAdded(fact, ())), reason=f"because {text}"))
    changed = BeliefChanged(fact.id, fact.belief, fact.belief)
    tx.add_history(history(tx, weighed, "belief_changed", payload=encode(changed), reason="the zanzibar one"))
    tx.put_judged(SPACE, JudgedPair(other.id, fact.id, verdict("doormat or work?"), "v1"))
    third = add(tx, "Ada keeps nothing")
    tx.put_judged(SPACE, JudgedPair(third.id, fact.id, Undecided("is it the doormat?"), "v1"))
    tx.put_conflict(conflict(tx, [fact, other], question="Is the zanzibar key under the doormat?"))
    tx.add_job(Job(id="job", space_id=SPACE, kind="judge", payload={"text": text, "fact": fact.id}, due_at=tx.now))
    settle(tx, fact, other)
    given = {"is": "Given", "subject": "zanzibar", "value": "doormat", "qualifiers": [["at", "doormat"]], "whole": True}
    waits = {"episode": chat.id, "given": given, "early": [fact.id], "unread": "no zanzibar"}
    tx.add_job(Job(id="told", space_id=SPACE, kind="remember", payload=waits, due_at=tx.now, failure="a doormat?"))
    tx.add_story_run(StoryRun(id="run", space_id=SPACE, at=tx.now, seed="s", failure="not read: doormat"))
    mark = {"subject": "zanzibar key", "attribute": "place of the doormat", "value_key": "doormat", "at": held.start}
    tx.set_tombstone(SPACE, Tombstone(kind=TombstoneKind.NEVER_TRUE, text_hash=digest(text), **mark), present=True)
    return fact, other, chat


def settle(tx, fact, other):
    """A question answered in favour of the other fact, and one that was taken back: both with the secret in them."""
    asked = conflict(tx, [fact], question="Is the doormat wet?")
    tx.put_conflict(asked)
    answered = replace(asked, status=ConflictStatus.ANSWERED, closed_at=tx.now, reason="the doormat is gone")
    tx.put_conflict(answered)
    dropped = replace(asked, id=new_id(), question="Is the zanzibar dry?")
    for change, about in (
        (ConflictChanged(asked, answered), asked),
        (ConflictChanged(None, dropped), dropped),
        (ConflictChanged(dropped, None), dropped),
    ):
        made = decision(tx, other, action=Action.RESOLVE, conflict_id=about.id)
        made = replace(made, text=about.question, episode_id=None)
        tx.add_decision(made)
        row = history(tx, made, "conflict_changed", payload=encode(change), reason="the doormat is gone")
        tx.add_history(replace(row, fact_id=None, conflict_id=about.id))


def test_an_erased_fact_leaves_no_byte(tmp_path):
    with open_store(tmp_path / "m.db", Clock()) as store:
        with store.write(SPACE) as tx:
            fact, other, chat = tell(tx)
        with store.read() as reader:  # fill the caches of words and vectors
            where = Filter(day(1))
            assert reader.mentioning(SPACE, ["zanzibar"], 5, where)
            assert len(reader.near(SPACE, vector(1), 5, where)) == 2
        assert traces(tmp_path, CANARIES)
        with store.write(SPACE) as tx:
            tx.erase(SPACE, [fact.id], [fact.episode_id])
            gone = Tombstone(
                kind=TombstoneKind.ERASED, subject=None, attribute=None, value_key=None, text_hash="h", at=tx.now
            )
            tx.set_tombstone(SPACE, gone, present=True)
        assert not store.erasure_pending
        assert traces(tmp_path, CANARIES) == []
        with store.read() as reader:
            assert reader.fact(SPACE, fact.id).statement.slot == Slot("", None)
            assert reader.fact(SPACE, fact.id).belief is None
            assert reader.mentioning(SPACE, ["zanzibar", "doormat"], 5, where) == []
            assert [hit.fact_id for hit in reader.near(SPACE, vector(1), 5, where)] == [other.id]
            past = Filter(day(1), known_at=day(0))
            assert reader.mentioning(SPACE, ["zanzibar"], 5, past) == []
            assert fact.id not in [hit.fact_id for hit in reader.near(SPACE, vector(1), 5, past)]
            kept = reader.episode(SPACE, chat.id).text
            assert kept == "Hello. " + " " * len(SECRET) + ". And I like tea."
            assert [item.quote for item in reader.sources(SPACE, other.id)] == [other.statement.text, kept]
            assert reader.fact(SPACE, other.id) == other
            for row in reader.history(SPACE):
                decode(KINDS[row.kind], row.payload)
            assert reader.tombstones(SPACE, "", "h") == [gone]
            assert len(reader.decisions(SPACE, fact_id=fact.id)) == 2
        assert store.check_invariants() == []
    assert traces(tmp_path, CANARIES) == []


def test_an_erased_episode_leaves_no_byte_and_spares_what_was_said_elsewhere(tmp_path):
    with open_store(tmp_path / "m.db", Clock()) as store:
        with store.write(SPACE) as tx:
            fact, other, chat = tell(tx)
        with store.write(SPACE) as tx:
            tx.erase(SPACE, [fact.id], [chat.id, fact.episode_id])
        assert traces(tmp_path, CANARIES) == []
        with store.read() as reader:
            assert reader.episode(SPACE, chat.id).text == ""
            assert reader.fact(SPACE, other.id) == other
        assert store.check_invariants() == []


def test_texts_erased_from_a_well_used_file_leave_no_byte(tmp_path):
    """Pages were split, merged and freed; full-text segments too; some texts span overflow pages."""
    with open_store(tmp_path / "m.db", Clock()) as store:
        doomed = []
        for number in range(150):
            with store.write(SPACE) as tx:
                filler = "so it goes on " * (number * 7 % 400)
                fact = add(tx, f"canary{number}bird sang {filler}", seed=number, subject=f"canary{number}bird")
                made = decision(tx, fact)
                tx.add_decision(made)
                tx.add_history(history(tx, made, payload=encode(FactAdded(fact, ()))))
                if number % 3 == 0:
                    doomed.append((number, fact))
        for start in range(0, len(doomed), 10):
            with store.write(SPACE) as tx:
                chosen = [fact for _, fact in doomed[start : start + 10]]
                tx.erase(SPACE, [fact.id for fact in chosen], [fact.episode_id for fact in chosen])
        assert traces(tmp_path, [f"canary{number}bird" for number, _ in doomed]) == []
        with store.read() as reader:
            assert (
                len(reader.mentioning(SPACE, [f"canary{number}bird" for number in range(64)], 99, Filter(day(1)))) == 42
            )
        assert store.check_invariants() == []


def test_written_and_erased_in_one_transaction(tmp_path):
    with open_store(tmp_path / "m.db", Clock()) as store:
        with store.write(SPACE) as tx:
            fact = add(tx, SECRET)
            tx.erase(SPACE, [fact.id], [fact.episode_id])
        assert traces(tmp_path, CANARIES) == []
        assert store.check_invariants() == []


def test_a_reader_of_an_older_snapshot_puts_it_off_and_the_store_says_so(tmp_path):
    with open_store(tmp_path / "m.db", Clock()) as store:
        with store.write(SPACE) as tx:
            fact = add(tx, SECRET)
        with store.read() as reader:
            reader.fact(SPACE, fact.id)
            with store.write(SPACE) as tx:
                tx.erase(SPACE, [fact.id], [fact.episode_id])
            assert store.erasure_pending
            assert reader.fact(SPACE, fact.id) == fact
        with store.write(SPACE) as tx:
            add(tx, "tea")
        assert not store.erasure_pending
        assert traces(tmp_path, CANARIES) == []


def test_erasing_twice_is_no_error(tmp_path):
    with open_store(tmp_path / "m.db", Clock()) as store:
        with store.write(SPACE) as tx:
            fact = add(tx, SECRET, seed=1)
        for _ in range(2):
            with store.write(SPACE) as tx:
                tx.erase(SPACE, [fact.id], [])
                tx.set_vector(SPACE, fact.id, vector(1).tobytes())
        assert traces(tmp_path, CANARIES) == []
        assert store.check_invariants() == []


@pytest.mark.parametrize("text", ["zanzibar", 'say "zanzibar"\n\\ doormat', "zanzibar \x00 doormat"])
def test_short_and_awkward_texts_are_erased(tmp_path, text):
    with open_store(tmp_path / "m.db", Clock()) as store:
        with store.write(SPACE) as tx:
            fact, _, chat = tell(tx, text)
        with store.write(SPACE) as tx:
            tx.erase(SPACE, [fact.id], [fact.episode_id, chat.id])
        assert traces(tmp_path, CANARIES) == []
