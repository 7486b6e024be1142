"""Does a program written from Mem0's public API documentation find here what that documentation promises?"""

import hashlib
import json
from datetime import UTC, datetime

import pytest

from stilltrue.connect.mem0_facade import Mem0Memory
from stilltrue.errors import InvalidInputError, NotFoundError
from stilltrue.testing import FrozenClock

NOW = datetime(2026, 1, 1, tzinfo=UTC)
DAY = 86_400


@pytest.fixture
def clock():
    return FrozenClock(NOW)


@pytest.fixture
def m(clock, embedder):
    with Mem0Memory.open(":memory:", clock=clock, embedder=embedder, pair_model="off") as opened:
        yield opened
        assert opened.space(user_id="any").check_invariants() == []


def texts(answer):
    return [item["memory"] for item in answer["results"]]


def only(answer):
    (found,) = answer["results"]
    return found


def test_issue6_mem0_add_takes_a_text_a_message_or_messages_and_tells_events(m):
    messages = [
        {"role": "system", "content": "You are a film expert. The user lives on Mars."},
        {"role": "user", "content": "I live in Porto. I like science fiction movies."},
    ]
    added = m.add(messages, user_id="alice", metadata={"category": "movies"})
    assert added.keys() == {"results"}
    assert [(one["memory"], one["event"]) for one in added["results"]] == [
        ("I live in Porto.", "ADD"),
        ("I like science fiction movies.", "ADD"),
    ]
    assert all(isinstance(one["id"], str) for one in added["results"])
    assert only(m.add("My name is Alice.", user_id="alice"))["event"] == "ADD"
    assert only(m.add({"role": "user", "content": "I work at Initech."}, user_id="alice"))["event"] == "ADD"
    parts = [{"type": "text", "text": "I own a boat."}, {"type": "image_url", "image_url": {"url": "…"}}]
    assert texts(m.add([{"role": "user", "content": parts}], user_id="alice")) == ["I own a boat."]


def test_issue6_mem0_an_update_keeps_the_id_and_a_repetition_is_none(m, clock):
    first = only(m.add("I live in Porto.", user_id="alice", metadata={"from": "form"}))
    clock.advance(30 * DAY)
    update = only(m.add("I moved to Lisbon.", user_id="alice", metadata={"by": "chat"}))
    assert update == {
        "id": first["id"],
        "memory": "I moved to Lisbon.",
        "event": "UPDATE",
        "previous_memory": "I live in Porto.",
    }
    assert only(m.add("I moved to Lisbon.", user_id="alice"))["event"] == "NONE"
    assert texts(m.get_all(filters={"user_id": "alice"})) == ["I moved to Lisbon."]
    assert m.get(first["id"])["metadata"] == {"from": "form", "by": "chat"}


def test_issue6_mem0_what_ends_without_another_in_its_place_is_a_delete(m, clock):
    dog = only(m.add("I have a dog.", user_id="alice"))
    m.add("I work at Initech.", user_id="alice")
    clock.advance(DAY)
    assert m.add("I no longer have a dog.", user_id="alice")["results"] == [
        {"id": dog["id"], "memory": "I have a dog.", "event": "DELETE"}
    ]
    assert texts(m.get_all(user_id="alice")) == ["I work at Initech."]
    assert m.history(dog["id"])[-1]["event"] == "DELETE"


def test_issue6_mem0_get_has_the_documented_fields(m):
    added = only(m.add("I live in Porto.", user_id="alice", agent_id="guide", run_id="r1", metadata={"n": 1}))
    item = m.get(added["id"])
    assert item == {
        "id": added["id"],
        "memory": "I live in Porto.",
        "hash": hashlib.md5(b"I live in Porto.").hexdigest(),
        "metadata": {"n": 1},
        "created_at": item["created_at"],
        "updated_at": item["created_at"],
        "user_id": "alice",
        "agent_id": "guide",
        "run_id": "r1",
    }
    assert datetime.fromisoformat(item["created_at"]).tzinfo is not None
    assert m.get("0" * 8 + "-0000-0000-0000-" + "0" * 12) is None
    assert m.get("nonsense") is None


def test_issue6_mem0_search_is_best_first_with_scores_and_a_limit(m):
    for text in ("I live in Porto.", "I like green tea.", "My dog is called Rex."):
        m.add(text, user_id="alice")
    found = m.search("What is the dog called?", filters={"user_id": "alice"})["results"]
    assert found[0]["memory"] == "My dog is called Rex."
    assert [one["score"] for one in found] == sorted((one["score"] for one in found), reverse=True)
    assert all(0 <= one["score"] <= 1 for one in found)
    assert found == m.search("What is the dog called?", user_id="alice")["results"]
    assert len(m.search("tea dog Porto", user_id="alice", limit=1)["results"]) == 1
    assert len(m.search("tea dog Porto", user_id="alice", top_k=2)["results"]) == 2
    assert m.search("tea dog Porto", user_id="alice", top_k=0) == {"results": []}
    assert m.search("What is the dog called?", user_id="alice", threshold=1.0)["results"] == []
    assert m.search("anything", user_id="nobody") == {"results": []}


FILTERS = [
    ({"n": 2}, {"b"}),
    ({"n": {"gt": 1}}, {"b", "c"}),
    ({"n": {"gte": 2, "lt": 3}}, {"b"}),
    ({"n": {"lte": 1}}, {"a"}),
    ({"tag": {"in": ["red", "blue"]}}, {"a", "b"}),
    ({"tag": {"nin": ["red"]}}, {"b", "c"}),
    ({"tag": {"ne": "red"}}, {"b", "c"}),
    ({"tag": {"eq": "red"}}, {"a"}),
    ({"tag": "*"}, {"a", "b"}),
    ({"tag": {"contains": "lu"}}, {"b"}),
    ({"tag": {"icontains": "BLU"}}, {"b"}),
    ({"metadata": {"n": 3}}, {"c"}),
    ({"AND": [{"n": {"gt": 1}}, {"tag": "blue"}]}, {"b"}),
    ({"OR": [{"n": 1}, {"n": 3}]}, {"a", "c"}),
    ({"NOT": [{"n": 1}]}, {"b", "c"}),
    ({"created_at": {"gte": "2026-01-01", "lte": "2026-01-02"}}, {"a", "b", "c"}),
    ({"created_at": {"lt": "2026-01-01"}}, set()),
    ({"n": {"gt": "text"}}, set()),
]


@pytest.mark.parametrize(("condition", "expected"), FILTERS, ids=[str(condition) for condition, _ in FILTERS])
def test_issue6_mem0_filters_mean_what_is_documented(m, condition, expected):
    for name, about in {"a": {"n": 1, "tag": "red"}, "b": {"n": 2, "tag": "blue"}, "c": {"n": 3}}.items():
        m.add(f"Server {name}{name} runs Debian.", user_id="alice", metadata=about)
    m.add("Server dd runs Debian.", user_id="bob", metadata={"n": 2, "tag": "red"})
    wanted = {f"Server {name}{name} runs Debian." for name in expected}
    assert set(texts(m.get_all(filters={"user_id": "alice", **condition}))) == wanted
    found = m.search("Which server runs Debian?", filters={"AND": [{"user_id": "alice"}, condition]})
    assert set(texts(found)) == wanted


def test_D9_ids_are_isolated_and_a_filter_reads_all_that_have_it(m, clock):
    owners = [
        {"user_id": "alice"},
        {"user_id": "alice", "run_id": "r1"},
        {"user_id": "alice", "agent_id": "guide"},
        {"user_id": "bob"},
        {"agent_id": "alice"},
        {"run_id": "alice"},
        {"user_id": "alice/run_id=r1"},
        {"user_id": "Alice"},
    ]
    for number, owner in enumerate(owners):
        clock.advance(DAY)
        added = only(m.add(f"I live in {'ABCDEFGH'[number]}ville.", **owner))
        assert added["event"] == "ADD", owner
    assert sorted(texts(m.get_all(user_id="alice"))) == [f"I live in {letter}ville." for letter in "ABC"]
    assert texts(m.get_all(user_id="alice", run_id="r1")) == ["I live in Bville."]
    assert set(texts(m.search("Where do I live?", filters={"user_id": "bob"}))) == {"I live in Dville."}
    assert texts(m.get_all(filters={"OR": [{"user_id": "bob"}, {"run_id": "alice"}]})) != []
    m.delete_all(user_id="alice")
    left = {text for owner in owners[3:] for text in texts(m.get_all(**owner))}
    assert left == {f"I live in {letter}ville." for letter in "DEFGH"}
    assert m.get_all(user_id="alice") == {"results": []}


@pytest.mark.parametrize(
    "filters",
    [None, {}, {"n": 1}, {"user_id": "*"}, {"user_id": {"ne": "bob"}}, {"NOT": [{"user_id": "bob"}]},
     {"OR": [{"user_id": "alice"}, {"n": 1}]}, {"user_id": None}],
)  # fmt: skip
def test_D9_a_filter_that_names_nobody_is_refused(m, filters):
    m.add("I live in Porto.", user_id="alice")
    for verb in (m.get_all, lambda **named: m.search("Porto", **named)):
        with pytest.raises(InvalidInputError):
            verb(filters=filters)


def test_issue6_mem0_update_changes_the_text_and_keeps_id_and_birthday(m, clock):
    added = only(m.add("I like tennis.", user_id="alice", metadata={"a": 1}))
    before = m.get(added["id"])
    clock.advance(DAY)
    assert m.update(memory_id=added["id"], data="Likes to play tennis on weekends") == {
        "message": "Memory updated successfully!"
    }
    after = m.get(added["id"])
    assert (after["memory"], after["created_at"]) == ("Likes to play tennis on weekends", before["created_at"])
    assert after["updated_at"] > before["updated_at"]
    assert after["metadata"] == {"a": 1}
    m.update(added["id"], "Likes to play tennis on weekends", metadata={"b": 2})
    assert m.get(added["id"])["metadata"] == {"b": 2}
    assert texts(m.get_all(user_id="alice")) == ["Likes to play tennis on weekends"]
    with pytest.raises(NotFoundError):
        m.update("nonsense", "x")


def test_issue6_mem0_history_tells_every_change(m, clock):
    added = only(m.add("I live in Porto.", user_id="alice"))["id"]
    clock.advance(DAY)
    m.add("I moved to Lisbon.", user_id="alice")
    clock.advance(DAY)
    m.update(added, "I live in Berlin.")
    clock.advance(DAY)
    m.delete(added)
    rows = m.history(memory_id=added)
    assert [(row["event"], row["old_memory"], row["new_memory"], row["is_deleted"]) for row in rows] == [
        ("ADD", None, "I live in Porto.", False),
        ("UPDATE", "I live in Porto.", "I moved to Lisbon.", False),
        ("UPDATE", "I moved to Lisbon.", "I live in Berlin.", False),
        ("DELETE", "I live in Berlin.", None, True),
    ]
    assert {row["memory_id"] for row in rows} == {added}
    assert len({row["id"] for row in rows}) == 4
    assert [row["updated_at"][:10] for row in rows] == ["2026-01-01", "2026-01-02", "2026-01-03", "2026-01-04"]
    assert m.history("nonsense") == []


def test_D10_delete_retracts_and_can_be_undone(m):
    added = only(m.add("I live in Porto.", user_id="alice"))["id"]
    assert m.delete(memory_id=added) == {"message": "Memory deleted successfully!"}
    assert m.get(added) is None
    assert m.search("Porto", user_id="alice") == {"results": []}
    with pytest.raises(NotFoundError):
        m.delete(added)
    space = m.space(user_id="alice")
    space.undo(m.history(added)[-1]["id"])
    assert m.get(added)["memory"] == "I live in Porto."


def test_D10_delete_with_erase_leaves_no_word(tmp_path, embedder):
    with Mem0Memory.open(tmp_path / "m.db", embedder=embedder, pair_model="off") as m:
        added = only(m.add("My locker code is quicksilver.", user_id="alice", metadata={"x": "seldomheard"}))["id"]
        m.update(added, "My locker code is hummingbird.")
        m.delete(added, erase=True)
        assert m.get(added) is None
        assert m.get_all(user_id="alice") == {"results": []}
        assert m.space(user_id="alice").check_invariants() == []
    left = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert [word for word in (b"quicksilver", b"hummingbird", b"seldomheard") if word in left] == []


def test_issue6_mem0_without_inference_a_message_is_one_memory_word_for_word(m):
    said = [
        {"role": "user", "name": "Ann", "content": "I live in Porto. I like tea."},
        {"role": "assistant", "content": "Noted: Porto, tea."},
    ]
    first, second = m.add(said, user_id="alice", infer=False)["results"]
    assert (first["memory"], first["event"], first["role"]) == ("I live in Porto. I like tea.", "ADD", "user")
    assert first["actor_id"] == "Ann"
    assert (second["memory"], second["role"]) == ("Noted: Porto, tea.", "assistant")
    assert m.get(first["id"])["role"] == "user"


def test_issue6_mem0_a_timestamp_is_when_it_was_said(m):
    m.add("I moved to Lisbon.", user_id="alice", timestamp="2025-05-04")
    m.add("I live in Porto.", user_id="alice", timestamp=1704412800)
    assert texts(m.get_all(user_id="alice")) == ["I moved to Lisbon."]
    found = m.space(user_id="alice").search("Where do I live?", as_of="2024-06-01").results
    assert [result.text for result in found] == ["I live in Porto."]


def test_issue6_mem0_reset_forgets_everybody_who_was_added_here(m):
    m.add("I live in Porto.", user_id="alice")
    m.add("I live in Oslo.", agent_id="guide")
    m._memory.remember("The launch is on Monday.")
    m.reset()
    assert m.get_all(user_id="alice") == m.get_all(agent_id="guide") == {"results": []}
    assert len(m._memory.search("When is the launch?").results) == 1


@pytest.mark.parametrize(
    "call",
    [
        lambda m: m.add("x"),
        lambda m: m.add("x", user_id=" "),
        lambda m: m.add("x", user_id=7),
        lambda m: m.add(7, user_id="a"),
        lambda m: m.add([{"text": "x"}], user_id="a"),
        lambda m: m.add("x", user_id="a", metadata={"when": NOW}),
        lambda m: m.add("x", user_id="a", memory_type="other"),
        lambda m: m.add("x", user_id="a", timestamp="soon"),
        lambda m: m.search("x", user_id="a", top_k=-1),
        lambda m: m.search("", user_id="a") if m.add("I like tea.", user_id="a") else None,
        lambda m: m.get_all(filters={"user_id": "a", "n": {"near": 1}}),
        lambda m: m.get_all(filters={"user_id": "a", "OR": 7}),
        lambda m: m.delete_all(),
    ],
)
def test_issue6_mem0_what_cannot_be_meant_is_refused(m, call):
    with pytest.raises(InvalidInputError):
        call(m)


def test_issue6_mem0_load_deals_an_export_out_to_its_owners(m, tmp_path):
    items = [
        {"id": "1", "memory": "I live in Porto.", "user_id": "ann", "metadata": {"a": 1}, "created_at": "2025-01-01"},
        {"id": "2", "memory": "I live in Oslo.", "user_id": "bob", "agent_id": "guide", "created_at": "2025-01-02"},
    ]
    change = {
        "memory_id": "2",
        "old_memory": "I live in Bergen.",
        "new_memory": "I live in Oslo.",
        "event": "UPDATE",
        "updated_at": "2025-01-02",
    }
    start = {"memory_id": "2", "new_memory": "I live in Bergen.", "event": "ADD", "updated_at": "2024-01-02"}
    export = tmp_path / "export.jsonl"
    export.write_text("\n".join(json.dumps(item) for item in [*items, start, change]), encoding="utf-8")
    reports = m.load(export)
    assert {space: (report.new, report.errors) for space, report in reports.items()} == {
        "mem0:user_id=ann": (1, ()),
        "mem0:user_id=bob/agent_id=guide": (2, ()),
    }
    assert [(item["memory"], item["metadata"]) for item in m.get_all(user_id="ann")["results"]] == [
        ("I live in Porto.", {"a": 1})
    ]
    (oslo,) = m.get_all(user_id="bob")["results"]
    assert [row["new_memory"] for row in m.history(oslo["id"])] == ["I live in Bergen.", "I live in Oslo."]
    assert [report.new for report in m.load(export).values()] == [0, 0]
    (tmp_path / "nobody.json").write_text('[{"memory": "I like tea."}]', encoding="utf-8")
    with pytest.raises(InvalidInputError, match="user_id"):
        m.load(tmp_path / "nobody.json")
    assert m.load(tmp_path / "nobody.json", user_id="zoe")["mem0:user_id=zoe"].new == 1
