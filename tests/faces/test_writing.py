"""Do the verbs that change a memory do what they say, and say what they did?"""

import pytest

RULE = ["remember", "We never deploy to production on Fridays.", "--author", "noor", "--kind", "constraint"]
BREACH = ["remember", "We deploy to production on Fridays.", "--author", "robin"]


@pytest.fixture
def clash(ok):
    """A rule that a person laid down, and a fact that does not fit it: one open conflict."""
    ok(*RULE)
    ok(*BREACH)
    (card,) = ok("conflicts", "--json").json["conflicts"]
    return card


def test_remember_tells_what_was_decided_in_one_line(ok):
    (line,) = ok("remember", "Mara lives in Porto.").lines
    assert line.startswith("ACCEPT ")
    assert "“Mara lives in Porto.”" in line


def test_a_superseded_fact_is_named_in_the_line(ok, lives):
    old = lives("Porto", "2024-01-10")
    words = ["--subject", "mara", "--attribute", "residence", "--value", "Lisbon", "--said-at", "2024-05-02"]
    (line,) = ok("remember", "Mara moved to Lisbon.", *words).lines
    assert line.startswith("SUPERSEDE ")
    assert f"takes the place of {old['fact_id'][-8:]} “Mara lives in Porto.”" in line
    assert line.endswith(")")


def test_remember_reads_standard_input(ok):
    assert "Porto" in ok("remember", "-", stdin=b"Mara lives in Porto.").out


def test_chatter_is_kept_and_decides_nothing(ok):
    assert ok("remember", "Thanks!").out == "kept as it was said; there is no fact in it to decide on\n"


def test_everything_given_is_kept(ok):
    ok(
        *["remember", "Staging allows 50 requests.", "--author", "ines", "--topic", "infra", "--subject", "gateway"],
        *[
            "--attribute",
            "rate limit",
            "--value",
            "50",
            "--qualifier",
            "environment=staging",
            "--valid-from",
            "2024-01-01",
        ],
        *["--valid-until", "2099-01-01", "--category", "core", "--importance", "0.9", "--confidence", "0.95"],
        *["--trust", "0.7", "--cardinality", "one", "--kind", "fact"],
    )
    (fact,) = ok("lookup", "gateway", "--json").json["results"]
    assert fact["qualifiers"] == {"environment": "staging"}
    assert (fact["author"], fact["topic"], fact["category"]) == ("ines", "infra", "core")
    assert (fact["importance"], fact["confidence"], fact["trust"]) == (0.9, 0.95, 0.7)
    assert (fact["valid_from"], fact["valid_until"]) == ("2024-01-01T00:00:00Z", "2099-01-01T00:00:00Z")


def test_C9_a_caller_may_say_what_is_superseded(ok, lives):
    old = lives("Porto", "2024-01-10")
    ok("remember", "She has moved away.", "--subject", "mara", "--supersedes", old["fact_id"][-8:])
    assert ok("lookup", "mara", "--key", "residence", "--json").json["results"] == []


def test_B13_no_wait_keeps_now_and_judges_later(ok):
    (decision,) = ok("remember", "Mara lives in Porto.", "--no-wait", "--json").json["decisions"]
    assert decision["fact_id"]
    assert decision["rule"] == "kept at once, judged later"


def test_drain_judges_what_was_left(ok, lives):
    lives("Porto", "2024-01-10")
    words = ["--subject", "mara", "--attribute", "residence", "--value", "Lisbon", "--said-at", "2024-05-02"]
    ok("remember", "Mara moved to Lisbon.", *words, "--no-wait")
    assert "SUPERSEDE" in ok("drain").out
    assert [fact["value"] for fact in ok("lookup", "mara", "--json").json["results"]] == ["Lisbon"]
    assert ok("drain").out == "there is nothing left to judge\n"
    assert ok("drain", "--json").json == {"decisions": []}


def test_forget_and_undo(ok, lives):
    fact = lives("Porto", "2024-01-10")["fact_id"]
    (forgotten,) = ok("forget", fact[-8:], "--reason", "a mix-up", "--json").json["decisions"]
    assert (forgotten["action"], forgotten["reason"]) == ("FORGET", "a mix-up")
    assert ok("lookup", "mara", "--json").json["results"] == []
    assert ok("undo", forgotten["id"]).out.startswith("UNDO")
    assert len(ok("lookup", "mara", "--json").json["results"]) == 1


def test_what_never_was_is_not_served_for_the_past(ok, lives):
    fact = lives("Porto", "2024-01-10")["fact_id"]
    ok("forget", fact, "--never-true")
    assert ok("lookup", "mara", "--as-of", "2024-03-01", "--json").json["results"] == []


def test_D10_erase_asks_first_and_then_removes_the_words(run, ok, lives, db):
    fact = lives("Porto", "2024-01-10")["fact_id"]
    refused = run("erase", fact)
    assert refused.status == 2
    assert refused.err == "error: this cannot be undone and nobody is here to be asked; repeat it with --yes\n"
    assert ok("erase", fact, "--yes").out.startswith("ERASE")
    assert b"Porto" not in db.read_bytes()
    assert "Porto" not in ok("history", "--subject", "mara").out


def test_erase_takes_yes_from_a_person(ok, lives, monkeypatch):
    fact = lives("Porto", "2024-01-10")["fact_id"]
    monkeypatch.setattr("stilltrue.faces.cli.write._someone_is_here", lambda: True)
    asked = []
    monkeypatch.setattr("typer.confirm", lambda question, **_: asked.append(question) or True)
    assert ok("erase", fact).out.startswith("ERASE")
    assert "cannot be undone" in asked[0]


def test_E7_a_clash_with_a_constraint_is_asked_about(clash, ok):
    assert clash["kind"] == "constraint"
    assert clash["question"].endswith("?")
    assert {fact["text"] for fact in clash["facts"]} == {RULE[1], BREACH[1]}
    first, *card = ok("conflicts").lines
    assert first == f"{clash['id'][-8:]}  {clash['question']}"
    assert any(line.strip().startswith("A ") for line in card)
    assert "stilltrue resolve" in card[-1]


def test_the_question_is_told_when_it_arises(ok):
    ok(*RULE)
    asked, question = ok(*BREACH).lines
    assert asked.startswith("ASK ")
    assert question.strip().startswith("question ")
    assert question.endswith("?")


@pytest.mark.parametrize("answer", ["keep", "never_true", "dismiss", "rewrite", "both"])
def test_B12_every_answer_settles_a_conflict_for_good(clash, ok, answer):
    rule = next(fact["id"] for fact in clash["facts"] if fact["kind"] == "constraint")
    more = {
        "keep": ["--keep", rule],
        "never_true": ["--keep", rule],
        "dismiss": [],
        "rewrite": ["--text", "We deploy to production on Fridays before noon."],
        "both": ["--keep", rule, "--condition", "project=checkout"],
    }[answer]
    assert ok("resolve", clash["id"][-8:], answer, *more, "--reason", "asked the team").out.startswith("RESOLVE")
    assert ok("conflicts").out == "there is nothing to settle\n"
    (card,) = ok("conflicts", "--status", "all", "--json").json["conflicts"]
    assert card["answer"] == answer
    assert card["status"] == ("dismissed" if answer == "dismiss" else "answered")


def test_E9_shadow_mode_only_proposes(ok, lives):
    lives("Porto", "2024-01-10")
    assert ok("proposals").out == "there is nothing\n"
    ok("settings", "shadow_mode=true")
    lives("Lisbon", "2024-05-02", "Mara moved to {}.")
    assert {row["kind"] for row in ok("proposals", "--json").json["proposals"]} == {"supersession_proposal"}
    assert "supersession proposal" in ok("proposals").out
    assert len(ok("lookup", "mara", "--json").json["results"]) == 2


def test_settings_are_shown_set_and_taken_back(ok):
    assert "similarity_gate = 0.6" in ok("settings", before=[]).out
    changed = ok("settings", "contradiction_threshold=0.9", "timezone=Europe/Berlin", "fuzzy_dedupe=no").lines
    assert changed[0] == "contradiction_threshold = 0.9 (default 0.72)"
    told = ok("settings", "--json").json["settings"]
    assert told["contradiction_threshold"]["value"] == 0.9
    assert told["contradiction_threshold"]["default"] == 0.72
    assert told["contradiction_threshold"]["meaning"]
    assert told["fuzzy_dedupe"]["value"] is False
    ok("settings", "contradiction_threshold=")
    assert ok("settings", "--json").json["settings"]["contradiction_threshold"]["value"] == 0.72


def test_settings_hold_for_their_space_only(ok, db):
    ok("settings", "search_limit=3")
    other = ok("settings", "--json", before=["--db", str(db), "--space", "other"]).json["settings"]
    assert other["search_limit"]["value"] == 10


def test_dates_fall_in_the_zone_that_the_settings_name(ok, lives):
    lives("Porto", "2024-01-10T23:30:00Z")
    assert "since 2024-01-10" in ok("lookup", "mara").out
    ok("settings", "timezone=Asia/Tokyo")
    assert "since 2024-01-11" in ok("lookup", "mara").out


def test_D9_a_group_space_is_for_its_members(ok, run, db):
    crew = ["--db", str(db), "--space", "crew"]
    ok("members", "mara", "ines", before=crew)
    assert ok("members", "--json", before=[*crew, "--as", "mara"]).json == {
        "space": "crew",
        "members": ["mara", "ines"],
    }
    ok("remember", "The retro is on Thursday.", before=[*crew, "--as", "mara"])
    for stranger in ([], ["--as", "robin"]):
        refused = run("search", "when is the retro", before=[*crew, *stranger])
        assert refused.status == 2
        assert refused.out == ""
        assert refused.err.count("\n") == 1
        assert refused.err.startswith("error: space 'crew' ")
    ok("members", "--private", before=[*crew, "--as", "mara"])
    assert ok("members", before=crew).out == "a private space\n"


def test_a_sound_store_checks_out(ok, run, lives, db):
    lives("Porto", "2024-01-10")
    assert ok("check-store").out == "sound\n"
    assert ok("check-store", "--json").json == {"sound": True, "findings": []}


def test_a_damaged_store_is_a_finding(run, lives, monkeypatch):
    lives("Porto", "2024-01-10")
    monkeypatch.setattr("stilltrue.memory.Memory.check_invariants", lambda _: ["fact 1 has no source"])
    assert run("check-store")[:2] == (1, "fact 1 has no source\n")
