"""Do the verbs that look show what is true, was true, and was believed, in the form that FORMATS.md fixes?"""


def test_search_serves_what_is_true_now(moved, ok):
    answer = ok("search", "where does Mara live", "--json").json
    assert [fact["value"] for fact in answer["results"]] == ["Lisbon"]
    assert answer["historical"] is False


def test_A9_an_update_takes_the_place_of_the_old_fact(moved):
    old, new = moved
    assert (old["action"], new["action"]) == ("ACCEPT", "SUPERSEDE")
    assert new["targets"] == [old["fact_id"]]


def test_search_json_has_the_keys_of_the_contract(moved, ok):
    (fact,) = ok("search", "where does Mara live", "--json").json["results"]
    wanted = {"id", "text", "score", "subject", "attribute", "value", "valid_from", "valid_until", "status", "sources"}
    assert wanted <= set(fact)
    assert fact["subject"] == "mara"
    assert fact["valid_from"] == "2024-05-02T00:00:00Z"
    assert fact["valid_until"] is None
    assert fact["status"] == "active"
    assert 0 < fact["score"] <= 1
    (source,) = fact["sources"]
    assert source["quote"] == "Mara moved to Lisbon."
    assert len(source["episode"]) == 36


def test_C7_as_of_shows_what_was_true_then(moved, ok):
    answer = ok("search", "where does Mara live", "--as-of", "2024-02-01", "--json").json
    assert [fact["value"] for fact in answer["results"]] == ["Porto"]


def test_what_held_at_another_time_is_not_called_current(moved, ok):
    for words in (["search", "where does Mara live"], ["lookup", "mara"]):
        (line,) = ok(*words, "--as-of", "2024-02-01").lines
        assert "true then" in line
        assert "current" not in line


def test_C8_known_at_shows_what_was_believed_then(moved, ok):
    assert ok("search", "where does Mara live", "--known-at", "2020-01-01", "--json").json["results"] == []


def test_include_superseded_brings_the_chain_and_says_so(moved, ok):
    answer = ok("search", "where does Mara live", "--include-superseded", "--json").json
    assert {fact["value"]: fact["status"] for fact in answer["results"]} == {"Lisbon": "active", "Porto": "superseded"}
    assert answer["historical"] is True


def test_limit_is_kept_to(moved, ok):
    assert len(ok("search", "Mara", "--include-superseded", "--limit", "1", "--json").json["results"]) == 1


def test_search_reads_as_lines(moved, ok):
    (line,) = ok("search", "where does Mara live").lines
    assert moved[1]["fact_id"][-8:] in line
    assert "current" in line
    assert "since 2024-05-02" in line
    assert "“Mara moved to Lisbon.”" in line


def test_a_search_in_a_store_without_an_answer_is_empty_and_fine(moved, ok):
    assert ok("search", "zebra migration", before=None, stdin=b"").status == 0
    assert ok("lookup", "nobody").out == "nothing is known about this\n"


def test_a_search_before_anything_was_remembered_is_empty_and_makes_no_file(ok, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert ok("search", "anything", "--json", before=[]).json["results"] == []
    assert not (tmp_path / "data").exists()


def test_the_users_data_folder_is_used_where_no_db_is_named(ok, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("HOME", str(tmp_path))
    ok("remember", "The office is in Oslo.", before=[])
    assert "Oslo" in ok("search", "where is the office", before=[]).out


def test_the_environment_names_the_db_too(lives, ok, db, monkeypatch):
    lives("Porto", "2024-01-10")
    monkeypatch.setenv("STILLTRUE_DB", str(db))
    assert "Porto" in ok("search", "where does Mara live", before=[]).out


def test_E10_spaces_do_not_mix(lives, ok, db):
    lives("Porto", "2024-01-10")
    assert ok("search", "where does Mara live", "--json", before=["--db", str(db), "--space", "other"]).json == {
        "results": [],
        "historical": False,
        "reason": "",
        "as_of": None,
        "known_at": None,
    }


def test_E10_search_lookup_and_ask_tell_what_one_author_said(ok, run):
    for author, city in (("ann", "Porto"), ("ben", "Lisbon")):
        ok("remember", f"The offsite will be in {city}.", "--author", author, "--json")
    for verb in (["search", "where will the offsite be"], ["lookup", "offsite"]):
        for author, told in (("ann", ["ann"]), ("ben", ["ben"]), ("zoe", [])):
            found = ok(*verb, "--author", author, "--json").json["results"]
            assert [fact["author"] for fact in found] == told
    assert "Porto" in ok("ask", "Where will the offsite be?", "--author", "ann", "--json").json["citations"][0]["text"]
    assert ok("ask", "Where will the offsite be?", "--author", "zoe", "--json").json["refused"]
    for verb in (["search", "offsite"], ["lookup", "offsite"], ["ask", "Where is the offsite?"]):
        refused = run(*verb, "--author", "")
        assert refused.status == 2
        assert "the author is empty" in refused.err


def test_C12_lookup_by_subject_and_key(moved, ok):
    assert [fact["value"] for fact in ok("lookup", "Mara", "--key", "residence", "--json").json["results"]] == [
        "Lisbon"
    ]
    assert [fact["value"] for fact in ok("lookup", "mara", "--as-of", "2024-02-01", "--json").json["results"]] == [
        "Porto"
    ]
    assert len(ok("lookup", "mara", "--include-superseded", "--json").json["results"]) == 2
    assert ok("lookup", "mara", "--key", "employer", "--json").json["results"] == []
    assert "residence" in ok("lookup", "mara").out


def test_json_may_stand_before_the_verb(moved, ok, db):
    assert ok("lookup", "mara", before=["--db", str(db), "--json"]).json["results"]


def test_history_of_a_fact_walks_the_chain(moved, ok):
    old = moved[0]["fact_id"]
    told = ok("history", old[-8:], "--json").json
    assert told["fact"]["id"] == old
    assert [fact["value"] for fact in told["chain"]] == ["Porto", "Lisbon"]
    assert next(row["kind"] for row in told["rows"]) == "fact_added"
    read = ok("history", old[-8:]).out
    for part in ("superseded, 2024-01-10 to 2024-05-02", "believed:", "chain:", "said:", "written:", "Lisbon"):
        assert part in read


def test_history_of_a_slot_is_a_timeline(moved, ok):
    told = ok("history", "--subject", "mara", "--attribute", "residence", "--json").json
    assert [(stretch["word"], stretch["fact"]["value"]) for stretch in told["stretches"]] == [
        ("superseded", "Porto"),
        ("current", "Lisbon"),
    ]
    head, first, second = ok("history", "--subject", "mara", "--attribute", "residence").lines
    assert head == "mara, residence"
    assert "2024-01-10 to 2024-05-02" in first
    assert "current" in second


def test_F5_explain_lays_the_receipt_open(moved, ok):
    told = ok("explain", moved[1]["fact_id"], "--json").json
    (decision,) = told["decisions"]
    assert decision["action"] == "SUPERSEDE"
    (weighed,) = decision["considered"]
    assert weighed["text"] == "Mara lives in Porto."
    assert weighed["changed"] is True
    assert weighed["evidence"]
    read = ok("explain", moved[1]["fact_id"][-8:]).out
    for part in ("SUPERSEDE: heard “Mara moved to Lisbon.”", "rule", "“Mara lives in Porto.”", "settled by", "cost"):
        assert part in read


def test_explain_takes_a_decision_as_well(moved, ok):
    assert moved[1]["id"][-8:] in ok("explain", moved[1]["id"]).out


def test_stats_count_and_name_the_judges_that_are_missing(moved, ok):
    told = ok("stats", "--json").json
    assert told["counts"]["facts"] == 2
    assert told["judges"]["llm"].startswith("off")
    assert "judge: llm" in ok("stats").out


def test_D12_ask_answers_in_words_with_what_it_rests_on(moved, ok):
    shown = ok("ask", "Where does Mara live?").lines
    assert shown[0] == "Lisbon."
    assert "“Mara moved to Lisbon.”, said on 2024-05-02" in shown[1]
    before = ok("ask", "Where did Mara live before?").lines
    assert before[0] == "Porto until 2 May 2024, then Lisbon."
    assert "asks about the past" in before[-1]


def test_D12_ask_in_json_names_facts_quotes_and_whether_it_refused(moved, ok):
    answer = ok("ask", "Where does Mara live?", "--as-of", "2024-02-01", "--json").json
    assert (answer["text"], answer["refused"], answer["by"]) == ("Porto until 2 May 2024.", False, "memory")
    [citation] = answer["citations"]
    assert len(citation["fact_id"]) == 36
    assert citation["status"] == "active"
    assert citation["sources"][0]["quote"] == citation["text"]
    silent = ok("ask", "Where does Zoe live?", "--json").json
    assert (silent["refused"], silent["citations"]) == (True, [])
