"""Does the doctor find what is wrong with another memory, and leave alone what only looks wrong?"""

import json
from datetime import UTC, datetime

import pytest

from bench.audit_stores import FILES, HELD, measure
from stilltrue.audit.findings import Kind, Severity
from stilltrue.audit.patch import Op, write_patch
from stilltrue.audit.records import read_holdings
from stilltrue.audit.stores import audit_store
from stilltrue.errors import InvalidInputError
from stilltrue.formats.stores import StoreFormat
from stilltrue.settings import Settings
from stilltrue.wiring import embedder_of, pair_model_of

NOW = datetime(2025, 11, 1, tzinfo=UTC)
SETTINGS = Settings()


@pytest.fixture(scope="module")
def models():
    return {"pair_model": pair_model_of(None, SETTINGS), "embedder": embedder_of(SETTINGS)}


@pytest.fixture
def examine(models, tmp_path):
    def examine(form, content, **more):
        path = tmp_path / "export"
        path.write_text(content if isinstance(content, str) else json.dumps(content, indent=1))
        return audit_store([path], StoreFormat(form), **{"now": NOW, "settings": SETTINGS, **models, **more})

    return examine


def told(found):
    return [(one.kind, one.here.text, one.there.text) for one in found.report.findings]


def lines(*records):
    return "".join(json.dumps(one) + "\n" for one in records)


def memory(name, text, at="2025-01-10", **more):
    return {"id": name, "memory": text, "user_id": "ada", "created_at": f"{at}T09:00:00Z"} | more


def row(name, event, new, at, old=None):
    return {"memory_id": name, "old_memory": old, "new_memory": new, "event": event, "created_at": at}


def updated(old, new, at="2025-06-01T09:00:00Z"):
    """A Mem0 export with one memory that was overwritten."""
    history = [row("m", "ADD", old, "2025-01-10T09:00:00Z"), row("m", "UPDATE", new, at, old)]
    return {"results": [memory("m", new, updated_at=at)], "history": history}


# Mem0

WRONG_UPDATES = [
    ("Is allergic to peanuts", "Is allergic to shellfish"),
    ("Uses vim", "Uses tmux"),
    ("Has two kids", "Has a cat"),
    ("Speaks Danish", "Speaks Finnish"),
    ("Brother lives in Malmö", "Sister lives in Gothenburg"),
    ("The cache TTL is 60 seconds", "The session TTL is 3600 seconds"),
]
RIGHT_UPDATES = [
    ("Lives in Oslo", "Lives in Rome"),
    ("Likes tea", "Likes tea and coffee"),
    ("Works at Apple", "Works at Tesla"),
    ("Is apartment hunting with Amari", "Broke up with Amari"),
    ("The team uses REST", "The team switched from REST to GraphQL"),
    ("Has a dog called Rex", "No longer has a dog"),
]


@pytest.mark.parametrize(("old", "new"), WRONG_UPDATES)
def test_F8_a_memory_that_was_overwritten_by_what_stands_beside_it_is_to_be_restored(examine, old, new):
    found = examine("mem0", updated(old, new))
    assert told(found) == [(Kind.RETIRED, old, new)]
    (one,) = found.mending
    assert (one.op, one.id, one.text, one.other_text) == (Op.RESTORE, "m", old, new)


@pytest.mark.parametrize(("old", "new"), RIGHT_UPDATES)
def test_F8_an_update_that_is_one_is_left_alone(examine, old, new):
    assert told(examine("mem0", updated(old, new))) == []


def test_F8_a_deletion_is_judged_by_what_the_same_call_wrote(examine):
    history = [
        row("gone", "ADD", "Plays the piano", "2025-01-10T09:00:00Z") | {"user_id": "ada"},
        row("gone", "DELETE", None, "2025-03-01T10:00:01Z", "Plays the piano"),
    ]
    same_call = memory("new", "Plays the cello", created_at="2025-03-01T10:00:04Z")
    later = memory("new", "Plays the cello", created_at="2025-03-09T10:00:04Z")
    assert told(examine("mem0", {"results": [same_call], "history": history})) == [
        (Kind.RETIRED, "Plays the piano", "Plays the cello")
    ]
    assert told(examine("mem0", {"results": [later], "history": history})) == []


def test_F8_a_deletion_by_another_owner_s_call_is_a_person_s_will(examine):
    history = [
        row("gone", "ADD", "Plays the piano", "2025-01-10T09:00:00Z") | {"user_id": "ada"},
        row("gone", "DELETE", None, "2025-03-01T10:00:01Z") | {"user_id": "ada"},
    ]
    other = memory("new", "Plays the cello", user_id="ben", created_at="2025-03-01T10:00:04Z")
    assert told(examine("mem0", {"results": [memory("m", "Is a nurse"), other], "history": history})) == []


def test_F8_what_is_said_still_elsewhere_was_not_lost(examine):
    export = updated("Is allergic to peanuts", "Is allergic to shellfish")
    export["results"].append(memory("m2", "Is allergic to peanuts", "2025-07-01"))
    assert told(examine("mem0", export)) == []


def test_F8_a_memory_whose_history_was_deleted_or_goes_on_is_served_wrongly(examine):
    export = {
        "results": [memory("a", "Lives in Oslo"), memory("b", "Prefers tea")],
        "history": [
            row("a", "ADD", "Lives in Oslo", "2025-01-10T09:00:00Z"),
            row("a", "UPDATE", "Lives in Rome", "2025-02-10T09:00:00Z", "Lives in Oslo"),
            row("b", "ADD", "Prefers tea", "2025-01-10T09:00:00Z"),
            row("b", "DELETE", None, "2025-02-10T09:00:00Z", "Prefers tea"),
        ],
    }
    found = examine("mem0", export)
    assert [(one.kind, one.here.text) for one in found.report.findings] == [
        (Kind.SUPERSEDED, "Lives in Oslo"),
        (Kind.SUPERSEDED, "Prefers tea"),
    ]
    assert [(one.op, one.id) for one in found.mending] == [(Op.RETIRE, "a"), (Op.RETIRE, "b")]


def test_F8_the_old_state_that_another_memory_still_tells(examine):
    export = updated("Phone is a Pixel 8", "Phone is a Fairphone 5")
    export["results"].append(memory("twin", "Phone is a Pixel 8"))
    assert told(examine("mem0", export)) == [(Kind.SUPERSEDED, "Phone is a Pixel 8", "Phone is a Fairphone 5")]


def test_F8_dates_of_its_own_end_a_memory(examine):
    kept = [
        memory("a", "Is preparing a talk", expiration_date="2025-05-20"),
        memory("b", "Is preparing a course", expiration_date="2025-11-01"),
        memory("c", "Lived in Paris in 2019"),
    ]
    assert [(one.kind, one.here.text) for one in examine("mem0", kept).report.findings] == [
        (Kind.STALE, "Is preparing a talk")
    ]


# every format: the living

SERVED = [
    ("conflict", ("Works at Apple", "2025-01-01"), ("Works at Tesla", "2025-06-01"), Kind.SUPERSEDED, Op.RETIRE),
    ("repeat", ("Likes tea", "2025-01-01"), ("Likes tea", "2025-06-01"), Kind.DUPLICATE, Op.MERGE),
    ("set", ("Uses vim", "2025-01-01"), ("Uses tmux", "2025-06-01"), None, None),
    ("other subject", ("Ada lives in Oslo", "2025-01-01"), ("Ben lives in Rome", "2025-06-01"), None, None),
    ("other time", ("Lives in Rome", "2025-01-01"), ("Lived in Paris in 2019", "2025-06-01"), None, None),
    ("plan", ("Lives in Rome", "2025-01-01"), ("Is thinking about moving to Oslo", "2025-06-01"), None, None),
]


def exported(form, *told):
    """The same statements as each store writes them; `told` is (owner, text, date)."""
    if form == "mem0":
        kept = [memory(f"r{n}", text, at, user_id=who) for n, (who, text, at) in enumerate(told)]
        return json.dumps({"results": kept})
    if form == "langgraph":
        return lines(
            *(
                {"namespace": ["memories", who], "key": f"r{n}", "value": {"content": text}, "created_at": at}
                for n, (who, text, at) in enumerate(told)
            )
        )
    return lines(*({"id": f"r{n}", "text": text, "at": at, "user_id": who} for n, (who, text, at) in enumerate(told)))


@pytest.mark.parametrize("form", StoreFormat)
@pytest.mark.parametrize(("old", "new", "kind", "op"), [case[1:] for case in SERVED], ids=[c[0] for c in SERVED])
def test_F8_what_is_served_in_every_format(examine, form, old, new, kind, op):
    found = examine(form, exported(form, ("ada", *old), ("ada", *new)))
    assert [one.kind for one in found.report.findings] == ([] if kind is None else [kind])
    assert [one.op for one in found.mending] == ([] if op is None else [op])


@pytest.mark.parametrize("form", StoreFormat)
def test_F8_owners_are_never_compared(examine, form):
    content = exported(form, ("ada", "Works at Apple", "2025-01-01"), ("ben", "Works at Tesla", "2025-06-01"))
    found = examine(form, content)
    assert told(found) == []
    assert found.report.pairs_judged == 0


def test_F8_records_of_one_line_are_told_apart(examine):
    whole = json.dumps({"results": [memory("a", "Works at Apple"), memory("b", "Works at Tesla", "2025-06-01")]})
    assert told(examine("mem0", whole)) == [(Kind.SUPERSEDED, "Works at Apple", "Works at Tesla")]


def test_F8_a_clash_that_no_date_decides_is_left_to_a_person(examine):
    found = examine("jsonl", lines({"text": "Use tabs for indentation"}, {"text": "Use spaces for indentation"}))
    assert [one.kind for one in found.report.findings] == [Kind.CONTRADICTION]
    assert found.mending == ()


def test_F8_one_key_in_two_namespaces_is_two_memories(examine):
    rows = [
        {"namespace": ["m", who], "key": key, "value": {"text": text}, "created_at": at}
        for who, key, text, at in (
            ("ada", "job", "Works at Apple", "2025-01-01"),
            ("ada", "work", "Works at Tesla", "2025-06-01"),
            ("ben", "job", "Works at Volvo", "2025-01-01"),
        )
    ]
    found = examine("langgraph", lines(*rows))
    assert [(one.op, one.id, one.space, one.text) for one in found.mending] == [
        (Op.RETIRE, "job", "m/ada", "Works at Apple")
    ]


# state in fields: LangGraph and JSONL

STATES = [
    ("named, stands beside", {"status": "superseded", "superseded_by": "r1"}, "Speaks Danish", "Speaks Finnish", 1),
    ("named, other subject", {"status": "obsolete", "superseded_by": "r1"}, "Ada is a nurse", "Ben is a cook", 1),
    ("named, an update", {"status": "superseded", "superseded_by": "r1"}, "Lives in Oslo", "Moved to Rome", 0),
    ("only the successor", {"superseded_by": "r1"}, "Speaks Danish", "Speaks Finnish", 1),
    ("a flag", {"is_current": False, "superseded_by": "r1"}, "Speaks Danish", "Speaks Finnish", 1),
    ("unnamed, an update", {"status": "superseded"}, "Lives in Oslo", "Lives in Rome", 0),
    ("unnamed, nothing like it", {"status": "superseded"}, "The printer needs A4 paper", "Ben is a cook", 1),
    ("deleted without a cause", {"status": "deleted"}, "Speaks Danish", "Speaks Finnish", 0),
    ("a word that is no end", {"status": "done"}, "Speaks Danish", "Speaks Finnish", 0),
    ("expired, the day has come", {"status": "expired", "expires_at": "2025-02-01"}, "Is in Rome", "Likes tea", 0),
    ("expired too early", {"status": "expired", "expires_at": "2026-02-01"}, "Speaks Danish", "Likes tea", 1),
    ("expired without a day", {"status": "expired"}, "Speaks Danish", "Likes tea", 1),
]


@pytest.mark.parametrize("form", ["langgraph", "jsonl"])
@pytest.mark.parametrize(("state", "old", "new", "count"), [case[1:] for case in STATES], ids=[c[0] for c in STATES])
def test_F8_retired_by_a_field(examine, form, state, old, new, count):
    if form == "jsonl":
        first = {"id": "r0", "text": old, "created_at": "2025-01-01", **state}
        second = {"id": "r1", "text": new, "created_at": "2025-06-01"}
    else:
        first = {"namespace": ["m"], "key": "r0", "value": {"content": old, **state}, "updated_at": "2025-01-01"}
        second = {"namespace": ["m"], "key": "r1", "value": {"content": new}, "updated_at": "2025-06-01"}
    found = examine(form, lines(first, second))
    assert [(one.kind, one.here.text) for one in found.report.findings] == [(Kind.RETIRED, old)] * count


def test_F8_what_expired_without_a_day_only_deserves_a_look(examine):
    found = examine("jsonl", lines({"text": "Speaks Danish", "status": "expired"}, {"text": "Likes tea"}))
    assert [one.severity for one in found.report.findings] == [Severity.NOTE]
    assert not found.report.fails


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [("Lives in Oslo", "Lives in Rome", None), ("The importer reads CSV", "The importer reads Parquet", Kind.RETIRED)],
)
def test_F8_a_key_that_was_put_again(examine, old, new, kind):
    first = {"namespace": ["m"], "key": "k", "value": {"text": old}, "updated_at": "2025-01-01"}
    second = {"namespace": ["m"], "key": "k", "value": {"text": new}, "updated_at": "2025-06-01"}
    found = examine("langgraph", lines(first, second))
    assert [one.kind for one in found.report.findings] == ([] if kind is None else [kind])


def test_F8_a_successor_that_only_stands_beside_leaves_the_served_one_served(examine):
    def pair(old, new):
        return lines(
            {"id": "a", "text": old, "status": "active", "superseded_by": "b", "created_at": "2025-01-01"},
            {"id": "b", "text": new, "created_at": "2025-06-01"},
        )

    found = examine("jsonl", pair("Expenses are filed in Spendesk", "Expenses are filed in Yokoy"))
    assert [one.kind for one in found.report.findings] == [Kind.SUPERSEDED]
    assert told(examine("jsonl", pair("Speaks Danish", "Speaks Finnish"))) == []


# what cannot be read

MALFORMED = [
    ("jsonl", '{"text": "a b"}\n{"text": \n{"text": "c d"}\n', "line 2: no valid JSON"),
    ("jsonl", '{"text": "a b"}\n{"words": "c"}\n', "line 2: none of text, memory"),
    ("jsonl", '{"text": "a b"}\n{"text": "c", "created_at": "soon"}\n', "line 2: 'created_at' is no time"),
    ("jsonl", '{"text": "a b"}\n{"text": "c", "superseded_by": {}}\n', "line 2: 'superseded_by' should be the id"),
    ("jsonl", '{"text": "a b"}\n[1]\n', "line 2: a JSON object is expected, not a list"),
    ("langgraph", '{"key": "k", "value": {}}\n', "line 1: 'namespace' should be a list"),
    ("langgraph", '{"namespace": ["m"], "value": {}}\n', "line 1: 'key' is missing"),
    ("langgraph", '{"namespace": ["m"], "key": "k"}\n', "line 1: 'value' is missing"),
    ("langgraph", '[\n{"namespace": ["m"], "key": "k", "value": {"n": 1}}]', "line 2: none of memory, text"),
    ("mem0", '{"results": [\n{"id": "m"}\n]}', "line 2: 'memory' is missing"),
    ("mem0", '{"results": [\n{"id": "m", "memory": "Likes tea"}\n', "line 3: "),
    (
        "mem0",
        '{"results": [],\n"history": [\n{"memory_id": "m", "event": "MERGE", "created_at": "2025-01-01"}]}',
        "line 3: 'event' is 'MERGE'",
    ),
    ("mem0", '{"history": [\n{"memory_id": "m", "event": "ADD", "new_memory": "x"}]}', "line 2: neither 'updated_at'"),
]


@pytest.mark.parametrize(("form", "content", "words"), MALFORMED, ids=[words for _, _, words in MALFORMED])
def test_F8_what_is_no_record_is_named_with_its_line(tmp_path, form, content, words):
    path = tmp_path / "export"
    path.write_text(content)
    held = read_holdings([path], StoreFormat(form), SETTINGS)
    ((name, why),) = held.skipped
    assert name == str(path)
    assert why.startswith(words)


@pytest.mark.parametrize(
    ("content", "words"), [(b"", "holds no records"), (b"\xff\xfea", "UTF-16"), (b"\x00", "binary")]
)
def test_F8_a_file_that_is_no_export_is_refused(tmp_path, content, words):
    path = tmp_path / "export"
    path.write_bytes(content)
    with pytest.raises(InvalidInputError, match=words):
        read_holdings([path], StoreFormat.MEM0, SETTINGS)
    with pytest.raises(InvalidInputError, match="cannot read"):
        read_holdings([tmp_path / "none"], StoreFormat.MEM0, SETTINGS)


def test_F8_records_carry_the_line_on_which_they_begin(tmp_path):
    path = tmp_path / "export"
    path.write_text(json.dumps([memory("a", "Likes tea"), memory("b", "Likes\ncake")], indent=2))
    held = read_holdings([path], StoreFormat.MEM0, SETTINGS)
    text = path.read_text().split("\n")
    assert [text[entry.line - 1].strip() for entry in held.entries] == ["{", "{"]
    assert [entry.line for entry in held.entries] == [2, 8]


def test_F8_memories_and_history_may_come_in_two_files(tmp_path, models):
    export = updated("Is allergic to peanuts", "Is allergic to shellfish")
    paths = [tmp_path / name for name in export]
    for path in paths:
        path.write_text(json.dumps(export[path.name]))
    found = audit_store(paths, StoreFormat.MEM0, now=NOW, settings=SETTINGS, **models)
    assert [(one.kind, one.here.file) for one in found.report.findings] == [(Kind.RETIRED, str(paths[1]))]


def test_F8_the_patch_is_a_file_to_read_and_the_store_stays_as_it_was(tmp_path, examine):
    found = examine("mem0", updated("Uses vim", "Uses tmux"))
    before = (tmp_path / "export").read_bytes()
    write_patch(tmp_path / "patch.jsonl", found.mending)
    (line,) = (tmp_path / "patch.jsonl").read_text().splitlines()
    told = json.loads(line)
    assert (told["op"], told["id"], told["space"], told["text"]) == ("restore", "m", "ada", "Uses vim")
    assert "Uses tmux" in told["because"]
    assert (tmp_path / "export").read_bytes() == before
    with pytest.raises(InvalidInputError, match="is a folder; name a file"):
        write_patch(tmp_path, found.mending)


def test_F8_only_what_is_sure_enough_is_told(examine):
    assert examine("mem0", updated("Uses vim", "Uses tmux"), min_confidence=1.0).report.findings == ()


@pytest.mark.parametrize("files", [FILES, HELD], ids=["tuned on", "held out"])
def test_F8_measured_on_exports_with_faults_put_in_by_hand(files):
    tallies = [tally for form, file in files for tally in measure(form, file)[0].values()]
    right, wrong, missed = (sum(len(getattr(one, name)) for one in tallies) for name in ("right", "wrong", "missed"))
    assert right / (right + wrong) >= 0.85
    assert right / (right + missed) >= 0.7
