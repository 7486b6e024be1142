"""Does the command line find what is confusing, ask about it once, and say what an answer would settle?"""

STORY = (
    ("Postgres 14 is our database version.", "ana", "infra", "2024-01-10"),
    ("The Postgres 17 migration plan is finished.", "ben", "migrations", "2024-09-03"),
)


def told(ok):
    for text, author, topic, at in STORY:
        ok("remember", text, "--author", author, "--topic", topic, "--said-at", at)


def test_B10_F11_a_question_is_listed_with_what_it_settles(ok):
    told(ok)
    (card,) = ok("conflicts", "--json").json["conflicts"]
    assert card["kind"] == "stale"
    assert card["settles"]["facts"] == 2
    assert card["settles"]["score"] > 0
    assert card["together"] == []


def test_B10_detect_asks_once_and_a_plan_writes_nothing(ok):
    told(ok)
    (card,) = ok("conflicts", "--json").json["conflicts"]
    with_plan = ok("detect", "--plan", "--json").json
    assert (with_plan["facts"], with_plan["found"], with_plan["known"]) == (2, [], 1)
    ok("undo", _opener(ok, card))
    assert ok("conflicts", "--json").json["conflicts"] == []
    (found,) = ok("detect", "--plan", "--json").json["found"]
    assert found["question"] == card["question"]
    assert ok("conflicts", "--json").json["conflicts"] == []
    (opened,) = ok("detect", "--json").json["opened"]
    assert opened["text"] == card["question"]
    assert "1 asked before" in ok("detect").out


def _opener(ok, card):
    """The decision that has opened a question, by the fact it is about."""
    made = [one for fact in card["facts"] for one in ok("explain", fact["id"], "--json").json["decisions"]]
    return next(one["id"] for one in made if one["conflict_id"] == card["id"])
