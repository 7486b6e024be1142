"""Does each format turn a file into the right records: text, time, author, topic, origin?"""

import json
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stilltrue.connect.importers.chat import read_messages, read_sessions
from stilltrue.connect.importers.guess import Format, guess
from stilltrue.connect.importers.markdown import read_markdown
from stilltrue.connect.importers.mem0 import read_mem0
from stilltrue.connect.importers.memories import read_jsonl
from stilltrue.connect.importers.record import Record, Upload
from stilltrue.errors import InvalidInputError
from stilltrue.formats.lines import LineError

SAVED = datetime(2026, 2, 3, 4, 5, tzinfo=UTC)
READERS = [read_sessions, read_messages, read_jsonl, read_mem0, read_markdown]


def upload(content, name="file"):
    return Upload(content if isinstance(content, str) else json.dumps(content), name, SAVED)


def session(number, date, *texts, project="api"):
    messages = [{"role": role, "content": text} for role, text in zip(("user", "assistant") * 9, texts, strict=False)]
    return {"sessionId": f"S{number}", "metadata": {"date": date, "project": project}, "messages": messages}


def day(text, minutes=0):
    return datetime.fromisoformat(text).replace(tzinfo=UTC) + timedelta(minutes=minutes)


# sessions


def test_sessions_come_in_order_of_date_a_minute_a_message():
    records = list(read_sessions(upload([session(2, "2025-01-16", "c"), session(1, "2025-01-15", "a", "b")])))
    assert [(record.text, record.said_at) for record in records] == [
        ("a", day("2025-01-15")),
        ("b", day("2025-01-15", 1)),
        ("c", day("2025-01-16")),
    ]
    assert [(record.role, record.author) for record in records[:2]] == [("user", None), ("assistant", "assistant")]


def test_two_sessions_of_one_day_do_not_run_into_each_other():
    records = list(read_sessions(upload([session(1, "2025-01-15", "a", "b"), session(2, "2025-01-15", "c")])))
    assert [record.said_at for record in records] == [day("2025-01-15", minutes) for minutes in range(3)]


@pytest.mark.parametrize("project", ["both", None, "", 3])
def test_a_session_about_no_single_project_has_no_topic(project):
    (record,) = read_sessions(upload([session(1, "2025-01-15", "a", project=project)]))
    assert (record.topic, dict(record.given)) == (None, {})


def test_a_project_is_topic_and_qualifier():
    (record,) = read_sessions(upload([session(1, "2025-01-15", "a", project="Shop")]))
    assert (record.topic, record.given) == ("Shop", {"qualifiers": {"project": "Shop"}})


def test_a_sessions_origin_is_its_content_and_the_place_of_the_message():
    first, second = read_sessions(upload([session(1, "2025-01-15", "a", "b")]))
    kind, mark, place = second.origin.split(":")
    assert (kind, len(mark), place) == ("sessions", 64, "1")
    assert first.origin.split(":")[1] == mark
    (other,) = read_sessions(upload([session(1, "2025-01-15", "changed")]))
    assert other.origin.split(":")[1] != mark


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ({"messages": []}, "'metadata.date' is missing"),
        ({"metadata": {"date": "2025-01-15"}}, "'messages' is missing"),
        ({"metadata": {"date": "someday"}, "messages": []}, "'date' is no time"),
        ({"metadata": 3, "messages": []}, "a JSON object is expected"),
        ("text", "a JSON object is expected"),
        (session(1, "2025-01-15", ""), "message 1: 'content' is missing or empty"),
        ({"metadata": {"date": "2025-01-15"}, "messages": ["x"]}, "message 1: a JSON object is expected"),
    ],
)
def test_a_bad_session_is_reported_and_the_others_are_read(bad, words):
    text = "[\n" + json.dumps(bad) + ",\n" + json.dumps(session(2, "2025-01-15", "good")) + "]"
    items = list(read_sessions(upload(text)))
    (error,) = [item for item in items if isinstance(item, LineError)]
    assert error.line == 2
    assert words in error.message
    assert [item.text for item in items if isinstance(item, Record)] == ["good"]


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize(
    ("change", "form"),
    [
        ({}, Format.SESSIONS),
        ({"metadata": {"date": "2025-01-15"}, "sessionId": None}, Format.SESSIONS),
        ({"metadata": {"model": "x"}, "sessionId": None}, Format.MESSAGES),
        ({"metadata": None, "sessionId": None}, Format.MESSAGES),
        ({"metadata": None}, Format.SESSIONS),
    ],
)
def test_one_session_alone_is_told_from_a_conversation(indent, change, form):
    found = upload(json.dumps(session(1, "2025-01-15", "a", "b") | change, indent=indent))
    assert guess(found) is form
    if form is Format.SESSIONS and "metadata" not in change:
        assert [(one.text, one.said_at) for one in read_sessions(found)] == [
            ("a", day("2025-01-15")),
            ("b", day("2025-01-15", 1)),
        ]


def test_messages_of_a_session_keep_the_time_and_the_author_that_they_bear():
    told = session(1, "2025-01-15", "a", "b", "c", "d")
    told["messages"][1] |= {"at": "2025-01-15T18:00:00Z", "author": "maria"}
    told["messages"][3] |= {"timestamp": "2025-01-16T08:00:00Z", "name": "ben"}
    records = list(read_sessions(upload([told, session(2, "2025-01-15", "e")])))
    assert [(one.text, one.said_at, one.author) for one in records] == [
        ("a", day("2025-01-15"), None),
        ("b", day("2025-01-15", 1080), "maria"),
        ("c", day("2025-01-15", 1081), None),
        ("d", day("2025-01-16", 480), "ben"),
        ("e", day("2025-01-15", 1082), None),
    ]


def test_a_session_without_a_date_took_place_when_its_first_dated_message_was_said():
    told = session(1, "2025-01-15", "a", "b") | {"metadata": {}}
    told["messages"][1]["at"] = "2025-01-15T18:00:00Z"
    assert [one.said_at for one in read_sessions(upload([told]))] == [day("2025-01-15", 1080)] * 2


def test_a_message_with_a_time_that_is_none_is_reported_and_the_others_are_read():
    told = session(1, "2025-01-15", "a", "b")
    told["messages"][0]["at"] = "noon"
    error, record = read_sessions(upload([told]))
    assert "message 1: 'at' is no time" in error.message
    assert record.text == "b"


@pytest.mark.parametrize("content", ["", " ", None])
@pytest.mark.parametrize("calls", ["tool_calls", "function_call"])
def test_a_message_that_only_calls_a_tool_has_nothing_to_say(content, calls):
    messages = [{"role": "assistant", "content": content, calls: [{"id": 1}]}, {"role": "user", "content": "a"}]
    for read, text in ((read_messages, messages), (read_sessions, [session(1, "2025-01-15") | {"messages": messages}])):
        assert [item.text for item in read(upload(text))] == ["a"]


# messages

MESSAGES = [
    {"role": "user", "content": "a", "at": "2025-01-15T09:00:00Z"},
    {"role": "assistant", "content": "b"},
    {"role": "user", "content": "c", "author": "maria", "created_at": 1740787200},
    {"role": "system", "content": "You are helpful."},
    {"role": "assistant", "content": None, "tool_calls": []},
    {"role": "user", "content": [{"type": "text", "text": "d"}, {"type": "image"}], "timestamp": "2025-03-02"},
]


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(MESSAGES),
        json.dumps({"id": 1, "messages": MESSAGES, "model": "x"}, indent=1),
        "\n".join(json.dumps(message) for message in MESSAGES),
        "\ufeff".join(["", json.dumps(MESSAGES, indent=2)]).lstrip("\ufeff"),
    ],
    ids=["list", "wrapped", "lines", "indented"],
)
def test_messages_are_read_from_a_list_a_wrapped_list_and_lines(text):
    assert guess(upload(text)) is Format.MESSAGES
    records = list(read_messages(upload(text)))
    assert [(record.text, record.author, record.said_at) for record in records] == [
        ("a", None, day("2025-01-15", 540)),
        ("b", "assistant", day("2025-01-15", 541)),
        ("c", "maria", day("2025-03-01")),
        ("d", None, day("2025-03-02")),
    ]


def test_the_same_words_said_twice_are_two_messages():
    first, second = read_messages(upload([{"role": "user", "content": "yes"}] * 2))
    assert first.origin != second.origin
    assert [first.said_at, second.said_at] == [None, None]


# jsonl


def test_a_memory_line_states_what_it_likes():
    line = {
        "text": "Ada's phone is a Pixel.", "author": "ada", "topic": "profile", "at": "2025-01-01", "subject": "ada",
        "attribute": "phone", "value": "Pixel", "qualifiers": {"use": "work"}, "valid_from": "2024-06-01",
        "valid_until": None, "kind": "fact", "category": "core", "importance": 0.9, "confidence": 1,
        "supersedes": "abcdef", "unknown": [1],
    }  # fmt: skip
    (record,) = read_jsonl(upload(line))
    assert (record.text, record.author, record.topic) == ("Ada's phone is a Pixel.", "ada", "profile")
    assert record.said_at == day("2025-01-01")
    assert record.given == {
        "subject": "ada", "attribute": "phone", "value": "Pixel", "qualifiers": {"use": "work"}, "kind": "fact",
        "valid_from": day("2024-06-01"), "category": "core", "importance": 0.9, "confidence": 1.0,
        "supersedes": ("abcdef",),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ({}, "'text' is missing or empty"),
        ({"text": 3}, "'text' should be a string"),
        ({"text": "x", "kind": "law"}, "'kind' is 'law'; it is one of fact, constraint"),
        ({"text": "x", "category": "gold"}, "it is one of episodic, semantic, core, procedural"),
        ({"text": "x", "importance": 7}, "'importance' should be a number from 0 to 1"),
        ({"text": "x", "said_at": "noon"}, "'said_at' is no time"),
        ({"text": "x", "qualifiers": "x"}, "'qualifiers' should be an object"),
    ],
)
def test_a_bad_memory_line_is_reported(bad, words):
    items = list(read_jsonl(upload("\n".join(map(json.dumps, [{"text": "a"}, bad, {"text": "c"}])))))
    assert [getattr(item, "text", None) for item in items] == ["a", None, "c"]
    assert items[1].line == 2
    assert words in items[1].message


# mem0


def test_a_mem0_export_keeps_time_and_tells_users_apart_where_there_are_several():
    items = [
        {
            "id": "1",
            "memory": "Likes tea",
            "user_id": "ann",
            "created_at": "2024-07-23T20:45:04-07:00",
            "updated_at": None,
        },
        {"id": "2", "memory": "Likes rum", "user_id": "ann", "created_at": "2024-07-24", "updated_at": "2024-08-01"},
    ]
    records = list(read_mem0(upload({"results": items, "relations": []})))
    assert [(record.author, record.said_at) for record in records] == [
        (None, datetime(2024, 7, 24, 3, 45, 4, tzinfo=UTC)),
        (None, day("2024-08-01")),
    ]
    several = list(read_mem0(upload([*items, {"memory": "Likes mud", "user_id": "bob"}])))
    assert [record.author for record in several] == ["ann", "ann", "bob"]


def test_an_edited_mem0_memory_has_another_origin():
    first, second = read_mem0(upload([{"id": "1", "memory": "a"}, {"id": "1", "memory": "b"}]))
    assert first.origin != second.origin


# markdown

NOTES = """\
---
title: notes
date: 2025-01-02
---
# Preferences <!-- hidden
over two lines -->

- Dark mode everywhere
  - except in slides
- Coffee,
  black
1. First things first

A paragraph
on two lines.

```sh
- not a bullet
```

| a | table |
|---|-------|

## 2025-06-07 Deploys ##
* Never on Fridays
"""


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("---\nowner: Dana\n---\nTabs.\n", [(4, "Tabs.")]),
        ("\n---\nowner: Dana\n---\nTabs.\n", [(5, "Tabs.")]),
        ("---\r\nowner: Dana\r\n...\r\nTabs.\r\n", [(4, "Tabs.")]),
        ("+++\nowner='Dana'\n+++\nTabs.\n", [(4, "Tabs.")]),
        ("---\n\nTabs.\n\n---\n\nSpaces.\n", [(3, "Tabs."), (7, "Spaces.")]),
        ("---\nowner: Dana\n", [(2, "owner: Dana")]),
        ("```make``` builds it.\n\nTabs.\n", [(1, "```make``` builds it."), (3, "Tabs.")]),
        ("````md\n```\nno\n```\n````\nTabs.\n", [(6, "Tabs.")]),
        ("```\nno\n~~~\n```\nTabs.\n", [(5, "Tabs.")]),
    ],
)
def test_markdown_knows_front_matter_and_fences(text, told):
    assert [(record.line, record.text) for record in read_markdown(upload(text))] == told


def test_markdown_gives_bullets_and_paragraphs_under_their_headings():
    records = list(read_markdown(upload(NOTES, "notes-2020-01-01.md")))
    assert [(record.line, record.text) for record in records] == [
        (8, "# Preferences\n\n- Dark mode everywhere\n  - except in slides"),
        (10, "# Preferences\n\n- Coffee,\n  black"),
        (12, "# Preferences\n\n1. First things first"),
        (14, "# Preferences\n\nA paragraph\non two lines."),
        (25, "# Preferences\n## 2025-06-07 Deploys\n\n* Never on Fridays"),
    ]
    assert [record.said_at for record in records] == [day("2025-01-02")] * 4 + [day("2025-06-07")]


@pytest.mark.parametrize(
    ("name", "expected"), [("2024-03-01.md", day("2024-03-01")), ("MEMORY.md", SAVED), ("2024-13-41.md", SAVED)]
)
def test_without_a_date_inside_the_files_name_and_then_its_time_count(name, expected):
    (record,) = read_markdown(upload("- a fact", name))
    assert record.said_at == expected


def test_an_edited_note_keeps_the_origins_of_what_did_not_change():
    before = {record.text: record.origin for record in read_markdown(upload(NOTES))}
    after = {
        record.text: record.origin for record in read_markdown(upload("Intro.\r\n\r\n" + NOTES.partition("---\n# ")[2]))
    }
    assert before.items() - after.items() == before.items() - (before.items() & after.items())
    edited = NOTES.replace("Never on Fridays", "Never on Mondays")
    now = {record.text: record.origin for record in read_markdown(upload(edited))}
    assert len(now.items() & before.items()) == 4


# telling them apart


@pytest.mark.parametrize(
    ("content", "name", "expected"),
    [
        ([session(1, "2025-01-15", "a")], "x", Format.SESSIONS),
        ({"sessions": [session(1, "2025-01-15", "a")]}, "x", Format.SESSIONS),
        (MESSAGES, "x", Format.MESSAGES),
        ({"messages": MESSAGES}, "x.txt", Format.MESSAGES),
        ([{"memory": "a"}], "x", Format.MEM0),
        ({"results": [{"memory": "a"}]}, "x", Format.MEM0),
        ({"text": "a"}, "x", Format.JSONL),
        ('broken {\n{"text": "a"}', "x.jsonl", None),
        ('{broken\n{"text": "a"}', "x", Format.JSONL),
        ("# Notes\n- a", "x", Format.MARKDOWN),
        ("[a link](x) opens it", "x.md", Format.MARKDOWN),
        ("plain prose", "x.txt", Format.MARKDOWN),
        ("plain prose", "x", None),
        ("[1, 2]", "x", None),
        ({"a": 1}, "x.json", None),
    ],
)
def test_the_format_is_told_from_the_content(content, name, expected):
    if expected is None:
        with pytest.raises(InvalidInputError, match="name it with --format"):
            guess(upload(content, name))
    else:
        assert guess(upload(content, name)) is expected


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["messages", "metadata", "date", "role", "content", "text", "memory", "at", "results", "user_id"]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)


@pytest.mark.parametrize("reader", READERS)
@given(value=JSON_VALUES, prose=st.text(alphabet="# -*`|\n2025abc:\udcff"))
def test_no_content_raises_anything_but_an_item(reader, value, prose):
    for content in (json.dumps(value), prose):
        for item in reader(upload(content)):
            assert isinstance(item, (Record, LineError))
