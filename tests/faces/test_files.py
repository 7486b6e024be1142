"""Do import, judge and replay read what FORMATS.md describes, and answer as it demands?"""

import json

import pytest

from tests.llm.server import ScriptedServer

SESSIONS = [
    {
        "sessionId": "S1",
        "metadata": {"date": "2024-01-15"},
        "messages": [
            {"role": "user", "content": "The gateway service uses PostgreSQL 14."},
            {"role": "assistant", "content": "Noted, I will use that."},
        ],
    }
]
STORY = {
    "id": "move",
    "topic": "home",
    "space": "mara",
    "events": [
        {"at": "2024-01-10T09:00:00Z", "say": "I live in Porto.", "author": "mara"},
        {"at": "2024-05-02T09:00:00Z", "say": "I moved to Lisbon.", "author": "mara"},
    ],
    "checks": [
        {"kind": "active", "query": "where does Mara live", "must_include": ["Lisbon"], "must_exclude": ["Porto"]}
    ],
}
WRONG = {
    **STORY,
    "id": "wrong",
    "checks": [{"kind": "active", "query": "where does Mara live", "must_include": ["Rome"]}],
}
PAIRS = [
    {"id": "a", "old": "Mara lives in Porto.", "new": "Mara moved to Lisbon.", "label": "UPDATE"},
    {"id": "b", "old": "The cat is grey.", "new": "Lunch is at noon.", "label": "NONE"},
]


def write_lines(path, objects):
    path.write_text("".join(f"{json.dumps(item)}\n" for item in objects), "utf-8")
    return path


@pytest.fixture
def sessions(tmp_path):
    path = tmp_path / "sessions.json"
    path.write_text(json.dumps(SESSIONS), "utf-8")
    return path


def test_import_remembers_and_can_be_repeated_and_taken_back(sessions, ok):
    first = ok("import", sessions, "--format", "sessions", "--json").json
    assert (first["format"], first["new"], first["repeated"]) == ("sessions", 2, 0)
    assert "PostgreSQL" in ok("search", "which database does the gateway use").out
    again = ok("import", sessions).lines
    assert again[0] == "2 episodes in sessions form: 0 new, 2 known already"
    ok("undo", first["batch_id"])
    assert ok("search", "which database does the gateway use", "--json").json["results"] == []


def test_import_reads_standard_input_and_says_how_to_take_it_back(ok):
    said = ok("import", "-", "--format", "markdown", stdin=b"# Gateway\n\n- The gateway uses PostgreSQL 14.\n").out
    assert "1 new" in said
    assert "stilltrue undo" in said


def test_a_bad_line_is_reported_and_the_rest_imported(tmp_path, run):
    path = tmp_path / "memories.jsonl"
    path.write_text('{"text": "Mara lives in Porto."}\n{"text": 3}\n', "utf-8")
    ran = run("import", path, "--format", "jsonl")
    assert ran.status == 1
    assert ran.err.startswith(f"error: {path}: line 2: ")
    assert ran.err.count("\n") == 1
    assert "1 new" in ran.out


def test_judge_answers_line_by_line_and_scores_labels_on_standard_error(tmp_path, run):
    ran = run("judge", write_lines(tmp_path / "pairs.jsonl", PAIRS))
    verdicts = [json.loads(line) for line in ran.lines]
    assert ran.status == 0
    assert [verdict["id"] for verdict in verdicts] == ["a", "b"]
    assert set(verdicts[0]) == {"id", "relation", "confidence", "conflict", "evidence", "ms"}
    assert set(verdicts[0]["evidence"][0]) == {"source", "signal", "relation", "weight", "note"}
    assert verdicts[0]["conflict"] > verdicts[1]["conflict"]
    for part in ("conflict precision", "conflict recall", "conflict F1", "macro-F1", "calibration", "pairs per second"):
        assert part in ran.err


def test_judge_writes_to_a_file_and_says_nothing_without_labels(tmp_path, ok):
    pairs = write_lines(tmp_path / "pairs.jsonl", [{key: pair[key] for key in ("id", "old", "new")} for pair in PAIRS])
    out = tmp_path / "verdicts.jsonl"
    assert ok("judge", pairs, "--out", out).out == ""
    assert [json.loads(line)["id"] for line in out.read_text("utf-8").splitlines()] == ["a", "b"]


def test_judge_reads_standard_input_and_skips_a_bad_line_by_its_number(run):
    ran = run(
        "judge", "-", stdin=b'{"id": "a", "old": "x", "new": "y"}\nnot json\n{"id": "c", "old": "x", "new": "y"}\n'
    )
    assert ran.status == 1
    assert [json.loads(line)["id"] for line in ran.lines] == ["a", "c"]
    assert ran.err.startswith("error: -: line 2: ")


def test_judge_does_not_overwrite_what_it_reads(tmp_path, run):
    pairs = write_lines(tmp_path / "pairs.jsonl", PAIRS)
    assert run("judge", pairs, "--out", pairs).status == 2
    assert len(pairs.read_text("utf-8").splitlines()) == 2


def test_a_verdict_cannot_steer_the_terminal(run):
    pair = {"id": "a", "old": "Rate \x9b31m\u202e is 5", "new": "Rate \x1b[31m is 6"}
    (line,) = run("judge", "-", stdin=json.dumps(pair, ensure_ascii=False).encode()).lines
    assert json.loads(line)["id"] == "a"
    assert not set(line) & set("\x1b\x9b\u202e")


def test_replay_tells_each_story_and_the_total(tmp_path, run):
    ran = run("replay", write_lines(tmp_path / "stories.jsonl", [STORY, WRONG]))
    assert ran.status == 1
    good, bad, total = ran.lines
    assert "move 1/1" in good
    assert "wrong 0/1" in bad
    assert "Rome" in bad
    assert total == "1/2 stories, 1/2 checks"


def test_replay_json_has_the_keys_of_the_contract(tmp_path, ok):
    told = ok("replay", write_lines(tmp_path / "stories.jsonl", [STORY]), "--llm", "off", "--json").json
    assert told == {"stories": [{"id": "move", "passed": 1, "total": 1, "failures": []}], "passed": 1, "total": 1}


def test_replay_leaves_the_memory_alone(tmp_path, ok, db):
    ok("replay", write_lines(tmp_path / "stories.jsonl", [STORY]))
    assert not db.exists()


def test_an_llm_that_is_not_there_is_not_promised(tmp_path, run):
    ran = run("replay", write_lines(tmp_path / "stories.jsonl", [STORY]), "--llm", "on")
    assert (ran.status, ran.err.count("\n")) == (2, 1)
    assert "STILLTRUE_LLM" in ran.err


def test_C1_replay_asks_the_llm_that_the_environment_names_and_only_where_told_to(tmp_path, ok, monkeypatch):
    said = ("Mara bakes bread every Sunday.", "Mara buys her bread at the market now.")
    events = [{"at": f"2025-0{month}-01T09:00:00Z", "say": text} for month, text in enumerate(said, start=1)]
    file = write_lines(tmp_path / "stories.jsonl", [{**STORY, "events": events, "checks": []}])
    with ScriptedServer("no answer") as server:
        monkeypatch.setenv("STILLTRUE_LLM", server.url)
        ok("replay", file)
        assert server.completions == []
        ok("replay", file, "--llm", "on")
        assert server.completions
