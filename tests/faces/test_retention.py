"""Do `maintain` and `rechecks` do what they say, and say what they did?"""

import pytest


@pytest.fixture
def moved(ok, lives):
    old = lives("Porto", "2024-01-10")
    lives("Lisbon", "2024-05-02")
    return old["fact_id"]


def test_A8_a_plan_shows_and_a_pass_moves(ok, moved):
    planned = ok("maintain", "--plan").lines
    assert planned[0] == "looked at 2 facts; would move: 1 hot to cold"
    assert planned[1] == f"  hot to cold  {moved[-8:]}  “Mara lives in Porto.”"
    assert len(planned) == 2
    told = ok("maintain", "--json").json
    assert (told["looked"], told["planned"]) == (2, False)
    assert [(move["fact_id"], move["before"], move["after"]) for move in told["moves"]] == [(moved, "hot", "cold")]
    assert ok("maintain").lines == ["looked at 2 facts; moved: none"]
    assert ok("stats", "--json").json["counts"]["tier_cold"] == 1


def test_A8_the_line_about_undo_takes_the_pass_back(ok, moved):
    command = ok("maintain").lines[-1].split("`")[1].split()
    ok(*command[1:])
    assert ok("stats", "--json").json["counts"]["tier_hot"] == 2


def test_A8_a_search_of_another_process_is_counted(ok, moved):
    ok("maintain")
    ok("search", "where did Mara live", "--include-superseded")
    results = ok("lookup", "mara", "--include-superseded", "--json").json["results"]
    assert {result["tier"] for result in results} == {"hot"}


def test_F9_marked_facts_are_listed_explained_and_kept(ok):
    job = ok("remember", "I work at Acme.", "--json").json["decisions"][0]["fact_id"]
    place = ok("remember", "I live in Lisbon because I work at Acme.", "--json").json["decisions"][0]["fact_id"]
    assert ok("rechecks").lines == ["there is nothing to look at"]
    ok("forget", job)
    lines = ok("rechecks").lines
    assert lines[0] == f"{place[-8:]}  “I live in Lisbon because I work at Acme.”"
    assert lines[1].startswith(f"  rests on {job[-8:]}  “I work at Acme.”: retracted")
    (card,) = ok("rechecks", "--json").json["rechecks"]
    assert (card["fact"]["id"], [basis["id"] for basis in card["bases"]]) == (place, [job])
    assert f"  needs a look: rests on {job[-8:]}" in ok("explain", place).out
    for verb in (("search", "where do I live"), ("lookup", "user", "--key", "residence"), ("ask", "where do I live?")):
        assert "(needs re-check: `stilltrue rechecks` says why)" in ok(*verb).out
        told = ok(*verb, "--json").json
        (shown,) = [one for one in told.get("results", told.get("citations")) if "Lisbon" in one["text"]]
        assert shown["needs_recheck"] is True
    assert [basis["id"] for basis in ok("explain", place, "--json").json["rechecks"]] == [job]
    assert "note   re-check: facts that rest on what no longer holds: 1; `stilltrue rechecks`" in ok("doctor").out
    (kept,) = ok("rechecks", "--keep", place[-8:], "--reason", "remote", "--json").json["decisions"]
    assert (kept["action"], kept["reason"]) == ("RESOLVE", "remote")
    assert ok("rechecks").lines == ["there is nothing to look at"]
    assert "needs re-check" not in ok("search", "where do I live").out


def test_F9_what_is_not_marked_cannot_be_kept(run, ok, moved):
    ran = run("rechecks", "--keep", moved)
    assert ran.status == 2
    assert "is not marked for a look" in ran.err


def test_A8_the_doctor_tells_tiers_and_passes(ok, moved):
    assert "note   retention: 2 hot, 0 cold, 0 stub; passes made: 0; `stilltrue maintain` makes one" in ok("doctor").out
    ok("maintain")
    assert "ok     retention: 1 hot, 1 cold, 0 stub; passes made: 1" in ok("doctor").out
