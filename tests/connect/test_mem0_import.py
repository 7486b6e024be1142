"""Mem0's formats: what do get_all, history, exports and raw payloads become?"""

import json
from datetime import UTC, datetime

import pytest

from stilltrue.connect.importers import import_data
from stilltrue.connect.importers.guess import Format, guess
from stilltrue.connect.importers.mem0 import read_mem0
from stilltrue.connect.importers.record import Record, Upload


def day(text):
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def records(content):
    return [item for item in read_mem0(Upload(json.dumps(content))) if isinstance(item, Record)]


ITEM = {
    "id": "f4cbdb08-7062-4f3e-8eb2-9f5c80dfe64c",
    "memory": "Alex is vegetarian.",
    "user_id": "alex",
    "hash": "x",
    "metadata": {"any": [1]},
    "created_at": "2025-07-01T10:00:00Z",
    "updated_at": "2025-07-02T10:00:00Z",
}

CASES = {
    "open source, get_all": ({"results": [ITEM]}, {}),
    "open source with graph relations": ({"results": [ITEM], "relations": [{"source": "alex"}]}, {}),
    "platform, a page": ({"count": 1, "next": None, "previous": None, "results": [ITEM]}, {}),
    "platform, v1 list": ([{**ITEM, "input": [], "owner": "o", "immutable": False, "organization": "g"}], {}),
    "an export under memories": ({"memories": [ITEM]}, {}),
    "a score of a search": ({"results": [{**ITEM, "score": 0.3}]}, {}),
    "a point of a vector store": (
        [{"id": ITEM["id"], "payload": {**{k: v for k, v in ITEM.items() if k != "id"}, "data": ITEM["memory"]}}],
        {},
    ),
    "only a date of birth": ([{**ITEM, "updated_at": None}], {"said_at": day("2025-07-01T10:00:00")}),
    "a time with a zone": ([{**ITEM, "updated_at": "2025-07-02T03:00:00-07:00"}], {}),
    "a time in seconds": ([{**ITEM, "updated_at": 1751450400}], {}),
    "no time at all": ([{**ITEM, "created_at": None, "updated_at": None}], {"said_at": None}),
    "categories": ([{**ITEM, "categories": ["food", "health"]}], {"topic": "food"}),
    "no categories": ([{**ITEM, "categories": None}], {"topic": None}),
    "a speaker": ([{**ITEM, "actor_id": "Ann", "role": "user"}], {"author": "Ann", "role": "user"}),
    "an expiration date is the last day": (
        [{**ITEM, "expiration_date": "2025-08-31"}],
        {"given": {"valid_until": day("2025-09-01")}},
    ),
    "an expiration time": (
        [{**ITEM, "expiration_date": "2025-08-31T12:00:00Z"}],
        {"given": {"valid_until": day("2025-08-31T12:00:00")}},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_issue6_mem0_import_reads_every_format(case):
    content, expected = CASES[case]
    (record,) = records(content)
    wanted = {"text": ITEM["memory"], "said_at": day("2025-07-02T10:00:00"), "author": None, "given": {}} | expected
    assert {name: getattr(record, name) for name in wanted} == wanted
    assert guess(Upload(json.dumps(content))) is Format.MEM0


@pytest.mark.parametrize("mark", [{"is_deleted": True}, {"deleted": True}, {"event": "DELETE"}, {"is_deleted": 1}])
def test_issue6_mem0_import_leaves_out_what_was_deleted(mark):
    assert records([{**ITEM, **mark}]) == []


def test_issue6_mem0_import_tells_owners_apart_where_there_are_several():
    mixed = [ITEM, {"memory": "Bo likes rum.", "user_id": "bo"}, {"memory": "Guides whisper.", "agent_id": "guide"}]
    assert [record.author for record in records(mixed)] == ["alex", "bo", "guide"]
    assert [record.author for record in records([ITEM, {**ITEM, "id": "2"}])] == [None, None]


def row(event, old, new, at, memory_id="m1", **more):
    return {
        "id": f"{memory_id}-{at}",
        "memory_id": memory_id,
        "old_memory": old,
        "new_memory": new,
        "event": event,
        "created_at": "2025-01-01T00:00:00Z",
        "updated_at": at,
        "is_deleted": int(event == "DELETE"),
        **more,
    }


MOVES = [
    row("UPDATE", "I live in Porto.", "I live in Lisbon.", "2025-03-01"),
    row("ADD", None, "I live in Porto.", "2025-01-01"),
    row("ADD", None, "The cat is called Tom.", "2025-02-01", "m2"),
    row("DELETE", "The cat is called Tom.", None, "2025-04-01", "m2"),
]


def test_issue6_mem0_import_of_a_history_is_versions_and_ends(memory):
    report = import_data(memory, json.dumps(MOVES).encode())
    assert (report.format, report.new, report.errors) == (Format.MEM0, 3, ())
    assert [found.text for found in memory.search("Where do I live?").results] == ["I live in Lisbon."]
    assert [found.text for found in memory.search("Where do I live?", as_of="2025-02-01").results] == [
        "I live in Porto."
    ]
    assert memory.search("What is the cat called?").results == ()
    assert len(memory.search("What is the cat called?", as_of="2025-03-01").results) == 1
    again = import_data(memory, json.dumps({"history": MOVES}).encode())
    assert (again.new, again.repeated) == (0, 3)
    assert memory.check_invariants() == []


def test_issue6_mem0_import_of_a_version_supersedes_where_the_words_alone_would_not(memory):
    rows = [
        row("ADD", None, "The dog is called Rex.", "2025-01-01"),
        row("UPDATE", "The dog is called Rex.", "The printer is on the second floor.", "2025-02-01"),
    ]
    import_data(memory, json.dumps(rows).encode())
    assert memory.search("What is the dog called?").results == ()
    assert memory.check_invariants() == []


def test_issue6_mem0_import_of_a_history_that_returns_to_an_old_text():
    texts = ["a", "b", "a"]
    rows = [row("UPDATE", None, text, f"2025-0{month}-01") for month, text in enumerate(texts, start=1)]
    found = records(rows)
    assert [record.text for record in found] == texts
    assert len({record.origin for record in found}) == 3
    assert [record.replaces for record in found] == [None, found[0].origin, found[1].origin]


def test_issue6_mem0_import_of_what_was_deleted_at_once_or_added_again():
    rows = [
        row("ADD", None, "a", "2025-01-01"),
        row("DELETE", "a", None, "2025-01-01"),
        row("ADD", None, "b", "2025-02-01"),
    ]
    (record,) = records(rows)
    assert (record.text, record.replaces, record.given) == ("b", None, {})


def test_issue6_mem0_import_of_a_memory_and_its_history_meets_itself(memory):
    item = {**ITEM, "id": "m1", "memory": "I live in Lisbon."}
    import_data(memory, json.dumps(MOVES[:2]).encode())
    assert import_data(memory, json.dumps([item]).encode()).repeated == 1


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ({"memory": ""}, "memory"),
        ({"memory": 7}, "string"),
        ({"id": "1"}, "memory"),
        ({**ITEM, "created_at": None, "updated_at": "soon"}, "updated_at"),
        ({**ITEM, "categories": 7}, "categories"),
        ({**ITEM, "expiration_date": "never"}, "expiration_date"),
        (row("ADD", None, "a", None, created_at=None), "updated_at"),
        (row("ADD", None, None, "2025-01-01"), "new_memory"),
        ("no object", "object"),
    ],
)
def test_issue6_mem0_import_reports_a_bad_record_and_keeps_the_rest(bad, words):
    items = list(read_mem0(Upload(json.dumps([ITEM, bad, {**ITEM, "id": "2"}]))))
    assert sum(isinstance(item, Record) for item in items) == 2
    (error,) = (item for item in items if not isinstance(item, Record))
    assert words in error.message
