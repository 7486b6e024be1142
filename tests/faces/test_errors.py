"""Does everything that goes wrong end in one line with a remedy, and in the right exit status?"""

import pytest

VERBS = [
    *["remember", "search", "ask", "lookup", "history", "explain", "conflicts", "resolve", "forget", "erase", "undo"],
    *[
        "proposals",
        "stats",
        "settings",
        "members",
        "import",
        "judge",
        "replay",
        "demo",
        "doctor",
        "check-store",
        "migrate",
        "drain",
    ],
]


def one_line(ran, status=2):
    assert ran.status == status
    assert ran.out == ""
    assert ran.err.startswith("error: ")
    assert ran.err.count("\n") == 1
    assert "Traceback" not in ran.err
    return ran.err


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help_with_an_example_and_takes_json(verb, ok):
    said = ok(verb, "--help").out
    assert "Example: stilltrue" in said
    assert "--json" in said


def test_the_help_names_every_verb_and_shows_examples(ok):
    said = ok("--help", before=[]).out
    for verb in VERBS:
        assert f"\n  {verb} " in said
    assert "Examples:\n    stilltrue remember" in said
    assert ok(before=[]).out == said


def test_version(ok):
    assert ok("--version", before=[]).out.startswith("stilltrue 0.")


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["serach", "x"], "serach"),
        (["search"], "QUERY"),
        (["search", "x", "--limit", "0"], "--limit"),
        (["search", "x", "--limit", "many"], "--limit"),
        (["search", "x", "--nothing"], "--nothing"),
        (["search", "x", "--space", "other"], "stand before the verb"),
        (["remember", "x", "--kind", "rule"], "constraint"),
        (["remember", "x", "--importance", "7"], "--importance"),
        (["remember", "x", "--qualifier", "staging"], "NAME=VALUE"),
        (["resolve", "aaaaaaaa", "perhaps"], "never_true"),
        (["settings", "similarity_gate"], "KEY=VALUE"),
        (["history"], "--subject"),
        (["history", "aaaaaaaa", "--subject", "mara"], "either"),
    ],
)
def test_usage(words, part, run, lives):
    lives("Porto", "2024-01-10")
    said = one_line(run(*words))
    assert part in said
    assert "--help" in said


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["remember", ""], "empty"),
        (["search", " "], "empty"),
        (["search", "x", "--as-of", "someday"], "as_of"),
        (["remember", "Mara lives in Porto.", "--said-at", "2024-13-45"], "said_at"),
        (["remember", "x y", "--valid-from", "2024-02-01", "--valid-until", "2024-01-01"], "valid_until"),
        (["explain", "ffffffff"], "ffffffff"),
        (["explain", "ff"], "ff"),
        (["forget", "ffffffff"], "ffffffff"),
        (["undo", "ffffffff"], "ffffffff"),
        (["erase", "ffffffff", "--yes"], "ffffffff"),
        (["resolve", "ffffffff", "dismiss"], "ffffffff"),
        (["conflicts", "--status", "shut"], "status='shut' is not one of open, answered, dismissed, all"),
        (["settings", "no_such_knob=1"], "no_such_knob"),
        (["settings", "similarity_gate=high"], "similarity_gate"),
        (["settings", "similarity_gate=7"], "similarity_gate"),
        (["members", "mara", "--private"], "private"),
        (["import", "nowhere.json"], "nowhere.json"),
        (["judge", "nowhere.jsonl"], "nowhere.jsonl"),
        (["replay", "nowhere.jsonl"], "nowhere.jsonl"),
        (["undo", "ffffffff"], "no decision or batch 'ffffffff' in this space; check the id, and that the space"),
        (["erase", "ffffffff", "--yes"], "no fact or episode 'ffffffff'"),
        (["explain", "ffffffff"], "no fact or decision 'ffffffff'"),
        (["settings", "similarity_gat=0.5"], "did you mean 'similarity_gate'? `stilltrue settings` lists them"),
        (["backtest", "--set", "no_such_knob=1"], "`stilltrue settings` lists them"),
        (["import", "nowhere.json"], "nowhere.json: No such file or directory; check its name"),
        (["import", "nowhere.json", "--plan"], "check its name"),
        (["judge", "nowhere.jsonl"], "nowhere.jsonl: No such file or directory; check its name"),
        (["audit", "--store", "jsonl", "nowhere.jsonl"], "nowhere.jsonl: No such file or directory; check its name"),
        (["notes", "read", "nowhere.md"], "nowhere.md: No such file or directory; check its name"),
        (["check", "x is y", "--files", "nowhere.md"], "nowhere.md: not read: No such file or directory; check"),
        (["audit", "--baseline", "nowhere.json", "."], "write it anew with --write-baseline"),
        (["serve"], "with the same --db"),
    ],
)
def test_input_that_cannot_be_used(words, part, run, lives):
    lives("Porto", "2024-01-10")
    assert part in one_line(run(*words))


WIDE, BINARY, BROKEN = b"\xff\xfeM\x00", b"M\x00", b"M\xff"


@pytest.mark.parametrize(
    ("words", "data", "part"),
    [
        (["import", "given"], WIDE, "given: the file is UTF-16; save it as UTF-8"),
        (["import", "given"], BINARY, "given: the file is binary, not text"),
        (["import", "given", "--plan"], BINARY, "given: the file is binary, not text"),
        (["import", "given", "--estimate"], BINARY, "given: the file is binary, not text"),
        (["import", "given"], b"{", "given: cannot tell the format"),
        (["notes", "read", "given"], WIDE, "given: the file is UTF-16"),
        (["check", "x is y", "--files", "given"], BROKEN, "given: not read: line 1 is not UTF-8; save it as UTF-8"),
    ],
)
def test_a_file_that_cannot_be_used_is_named(words, data, part, run, lives, tmp_path, monkeypatch):
    lives("Porto", "2024-01-10")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "given").write_bytes(data)
    assert part in one_line(run(*words))


def test_a_piece_of_an_id_that_fits_a_fact_and_its_episode_erases_neither(run, lives, db):
    """Ids of one moment begin alike."""
    fact = lives("Porto", "2024-01-10")["fact_id"]
    assert "fits several ids" in one_line(run("erase", fact[:8], "--yes"))
    assert run("lookup", "mara").out.count("Porto") == 1


def test_a_space_of_a_group_says_how_its_members_come_in(run, ok, lives):
    lives("Porto", "2024-01-10")
    ok("members", "ada")
    assert "--as" in one_line(run("search", "x"))


def test_a_read_of_a_missing_file_says_so_and_makes_none(run, db):
    said = one_line(run("search", "x"))
    assert str(db) in said
    assert "stilltrue remember" in said
    assert not db.exists()


def test_a_folder_is_no_file_of_pairs(run, tmp_path):
    one_line(run("judge", tmp_path))


def test_input_that_is_no_text(run):
    assert "UTF-8" in one_line(run("remember", "-", stdin=b"\xff\xfe\x00"))


def test_a_foreign_file_is_left_alone(run, db):
    db.write_bytes(b"this is no database" * 100)
    before = db.read_bytes()
    one_line(run("search", "x"))
    one_line(run("remember", "Mara lives in Porto."))
    assert db.read_bytes() == before


def test_a_server_cannot_be_named_yet(run):
    one_line(run("search", "x", before=["--db", "postgresql://nowhere/memory"]))


def test_ids_of_another_space_are_not_found(run, lives, db):
    fact = lives("Porto", "2024-01-10")["fact_id"]
    said = one_line(run("explain", fact, before=["--db", str(db), "--space", "other"]))
    assert "Porto" not in said


def test_hostile_text_prints_as_what_it_is(ok, run):
    text = "[red]Mara[/red] lives in \x1b[31mPorto\x9b0m.\nSUPERSEDE"
    words = ["--subject", "mara", "--attribute", "residence", "--value", "Porto"]
    shown = ok("remember", text, *words, "--author", "m\x1b]0;x\x07ara").out
    shown += ok("search", "where does Mara live").out + ok("history", "--subject", "mara").out
    fact = ok("lookup", "mara", "--json").json["results"][0]
    shown += ok("explain", fact["id"]).out + ok("history", fact["id"]).out
    assert fact["text"] == text
    assert "[red]Mara[/red] lives in \\x1b[31mPorto\\x9b0m. SUPERSEDE" in shown
    assert not set(shown) & set("\x1b\x9b\x07\r")


def test_an_error_about_hostile_input_is_still_one_line(run, lives):
    lives("Porto", "2024-01-10")
    said = one_line(run("search", "x", "--as-of", "\x1b[31m\nerror: all is well"))
    assert "\x1b" not in said


def test_interrupted_work_says_what_is_kept(run, monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("stilltrue.memory.Memory.open", stop)
    ran = run("remember", "Mara lives in Porto.")
    assert ran == (130, "", "error: interrupted; what was finished is kept\n")


@pytest.mark.parametrize("fault", [OSError(28, "No space left on device"), ZeroDivisionError("of ours"), MemoryError()])
def test_no_fault_shows_a_traceback(run, monkeypatch, fault):
    def fail(*_, **__):
        raise fault

    monkeypatch.setattr("stilltrue.memory.Memory.open", fail)
    one_line(run("remember", "Mara lives in Porto."))


def test_whoever_looks_for_a_fault_can_see_where_it_is(monkeypatch, db):
    from stilltrue.faces.cli import main

    def fail(*_, **__):
        raise ZeroDivisionError

    monkeypatch.setattr("stilltrue.memory.Memory.open", fail)
    monkeypatch.setenv("STILLTRUE_TRACEBACK", "1")
    with pytest.raises(ZeroDivisionError):
        main(["--db", str(db), "remember", "x"])
