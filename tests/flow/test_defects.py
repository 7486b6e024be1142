"""The defects of the field, by number, as regression cases (the bar's list; 8 needs an LLM and lives with it): plain
sentences told one after the other, and what must and must not have become of them."""

from __future__ import annotations

import pytest

from tests.flow.teller import HOME, day


def both(story, old, new, when="2025-02-01", **given):
    """Two sentences; the first one's fact afterwards and the second one's decision."""
    first = story.say(old, "2025-01-01", **given)
    second = story.says(new, when, **given)
    return story.fact(first.fact_id), second


def stays(story, old, new, **given):
    fact, decisions = both(story, old, new, **given)
    assert (fact.status, fact.retirement) == ("active", None)
    assert [decision.targets for decision in decisions if decision.action != "REINFORCE"] == [
        () for decision in decisions if decision.action != "REINFORCE"
    ]
    assert {old, new} <= set(story.served(f"{old} {new}"))
    assert story.conflicts() == ()


def ends(story, old, new, **given):
    fact, _ = both(story, old, new, **given)
    assert fact.status in {"superseded", "retracted", "corrected"}
    assert old not in story.served(old)


def test_defect_1_other_ttls_are_other_things(story):
    stays(story, "The cache TTL is 60 seconds.", "The session TTL is 3600 seconds.", author="ann")


def test_defect_2_a_reversal_touches_no_bystanders(story):
    story.say("Our API is REST.", "2025-01-01")
    story.say("We switched our API to GraphQL.", "2025-01-10")
    story.say("We switched our API back to REST.", "2025-01-20")
    before = story.memory.stats().counts
    lunch = story.say("Lunch is at noon.", "2025-01-21")
    after = story.memory.stats().counts
    assert (lunch.action, lunch.targets) == ("ACCEPT", ())
    assert {name: number for name, number in after.items() if "retired" in name or "conflicts" in name} == {
        name: number for name, number in before.items() if "retired" in name or "conflicts" in name
    }


def test_defect_3_a_future_end_is_no_end_today(story):
    slot = {"subject": "user", "attribute": "membership", "value": "gym pass"}
    story.say("User has a gym pass.", "2025-01-01", valid_until="2025-06-01", **slot)
    assert story.served("gym pass") == ["User has a gym pass."]
    assert story.on("2025-05-31T23:59").values("user", "membership") == ["gym pass"]
    assert story.on("2025-06-01").served("gym pass") == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("User uses vim.", "User uses tmux."),
        ("User is allergic to peanuts.", "User is allergic to shellfish."),
        ("User has two kids.", "User has a cat."),
        ("User likes jazz.", "User likes opera."),
        ("The project uses Redis.", "The project uses Celery."),
    ],
)
def test_defect_4_sets_grow(story, old, new):
    stays(story, old, new)


def test_defect_5_a_restatement_is_no_update(story):
    fact, (again,) = both(story, "User prefers dark mode.", "User currently prefers dark mode.")
    assert (again.action, again.fact_id) == ("REINFORCE", fact.id)
    assert (fact.status, fact.seen_count) == ("active", 2)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("User is apartment hunting with Amari.", "User broke up with Amari."),
        ("User drives a Golf to work.", "User sold the Golf."),
    ],
)
def test_defect_6_implied_ends(story, old, new):
    ends(story, old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The service supports IPv6.", "The service doesn't support IPv6."),
        ("The service supports IPv6.", "The service doesn’t support IPv6."),
        ("User is vegetarian.", "User isn’t vegetarian anymore."),
        ("The API version is 1.0.0.", "The API version is 2.0.0."),
        ("User enjoys long meetings.", "User doesn’t enjoy long meetings."),
    ],
)
def test_defect_7_negations_and_short_tokens_are_seen(story, old, new):
    ends(story, old, new)


def test_defect_9_contradicting_does_not_strengthen_and_retelling_is_no_source(story):
    old = story.home("Oslo", "2025-01-01")
    before = story.fact(old.fact_id)
    story.home("Oslo", "2025-01-05", role="assistant")
    story.home("Rome", "2025-02-01", "User moved to Rome.")
    after = story.fact(old.fact_id)
    assert (after.confidence, after.seen_count) == (before.confidence, before.seen_count)


def test_defect_10_a_backfilled_statement_does_not_retire_a_newer_one(story):
    new = story.home("Rome", "2025-06-01")
    old = story.home("Oslo", "2025-07-01", said_at="2024-01-01")
    assert story.fact(new.fact_id).status == "active"
    assert story.fact(old.fact_id).superseded_by == new.fact_id
    assert story.values() == ["Rome"]


def test_defect_10_equal_dates_surface_and_never_vanish(story):
    one = story.home("Rome", "2025-06-01", said_at="2025-01-01")
    two = story.home("Oslo", "2025-06-02", said_at="2025-01-01")
    assert two.action == "ASK"
    (asked,) = story.conflicts()
    assert set(asked.conflict.fact_ids) == {one.fact_id, two.fact_id}
    assert story.values() == ["Oslo", "Rome"]


def test_defect_10_a_past_without_a_date_stands_by_itself(story):
    story.home("Rome", "2025-06-01")
    story.says("User used to live in Oslo.", "2025-06-02")
    assert story.values() == ["Rome"]


def test_defect_11_an_exception_stands_beside_the_rule(story):
    stays(story, "Deploys on Fridays are banned.", "Hotfixes may go out on Fridays.")


def test_defect_12_going_back_resolves_the_active_one(story):
    ids = [
        story.home(city, f"2025-0{month}-01", f"User moved to {city}.").fact_id
        for month, city in enumerate(("Oslo", "Rome", "Oslo"), start=1)
    ]
    assert len(set(ids)) == 3  # a run of its own, not a row risen from the dead
    assert story.values() == ["Oslo"]
    assert [story.fact(fact_id).status for fact_id in ids] == ["superseded", "superseded", "active"]
    assert story.fact(ids[1]).superseded_by == ids[2]
    assert story.fact(ids[0]).superseded_by == ids[1]
    assert [story.values(as_of=f"2025-0{month}-15") for month in (1, 2, 3)] == [["Oslo"], ["Rome"], ["Oslo"]]


def test_defect_13_retired_facts_come_back_through_no_door(story):
    old = story.home("Oslo", "2025-01-01", origin="chat:1")
    story.home("Rome", "2025-02-01", "User moved to Rome.")
    assert "User lives in Oslo." not in story.served("Oslo")
    assert "User lives in Oslo." not in story.served("User lives in Oslo.", limit=1000)
    assert story.values() == ["Rome"]
    assert story.says("User lives in Oslo.", "2025-03-01", origin="chat:1") == []
    again = story.home("Oslo", "2025-03-01", said_at="2025-01-01")
    assert again.action in {"REJECT", "REINFORCE"}
    assert story.values() == ["Rome"]
    assert story.fact(old.fact_id).status == "superseded"


@pytest.mark.parametrize("answer", ["dismiss", "keep", "both"])
def test_defect_14_settled_conflicts_do_not_come_back_and_open_ones_do_not_double(story, answer):
    one = story.home("Rome", "2025-06-01", said_at="2025-01-01")
    two = story.home("Oslo", "2025-06-02", said_at="2025-01-01")
    story.home("Oslo", "2025-06-05", said_at="2025-01-01", author="ann")
    story.home("Rome", "2025-06-06", said_at="2025-01-01", author="ann")
    (asked,) = story.conflicts(None)
    assert asked.conflict.fact_ids == tuple(sorted((one.fact_id, two.fact_id)))
    keep = {"keep": one.fact_id} if answer == "keep" else {}
    story.memory.resolve(asked.conflict.id, answer, **keep)
    story.home("Oslo", "2025-06-10", said_at="2025-01-01", author="ben")
    story.home("Rome", "2025-06-11", said_at="2025-01-01", author="ben")
    assert story.conflicts() == ()
    assert len(story.conflicts(None)) == 1


def test_defect_15_superseding_never_loses_the_new_fact(story):
    story.home("Oslo", "2025-01-01")
    new = story.home("Rome", "2025-02-01", "User moved to Rome.")
    story.memory.in_space("other").remember("User lives in Rome.", value="Rome", **HOME)
    story.on("2025-03-01").memory.forget(new.fact_id)
    assert story.memory.in_space("other").lookup("user", "residence")
    assert story.fact(new.fact_id).text == "User moved to Rome."


def test_defect_16_unrelated_texts_are_none_however_alike(story):
    stays(story, "Tomatoes need full sun and warm soil.", "Retrieval needs a full index and a warm cache.")
    for item in story.memory.stats().actions.items():
        assert item[0] != "supersede"


def test_defect_17_as_of_a_day_is_its_end_in_the_askers_zone(story):
    story.home("Oslo", "2025-01-01")
    story.home("Rome", "2025-03-10T23:30:00+00:00", "User moved to Rome.")
    story.on("2025-03-12")
    assert story.values(as_of="2025-03-10") == ["Rome"]
    assert story.values(as_of="2025-03-09") == ["Oslo"]
    story.memory.configure(timezone="America/New_York")
    assert story.values(as_of="2025-03-09") == ["Oslo"]
    assert story.values(as_of="2025-03-10") == ["Rome"]
    story.memory.configure(timezone="Asia/Tokyo")  # there the tenth ended at 15:00 UTC, before the move
    assert story.values(as_of="2025-03-10") == ["Oslo"]
    assert story.values(as_of="2025-03-11") == ["Rome"]


def test_defect_17_yesterday_is_a_date_too(story):
    story.home("Oslo", "2025-01-01")
    story.home("Rome", "2025-03-10T10:00", "User moved to Rome.")
    story.on("2025-03-11T09:00")
    assert story.values(as_of="yesterday") == ["Rome"]
    story.on("2025-03-10T12:00")
    assert story.values(as_of="yesterday") == ["Oslo"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Ada is the CEO of Acme.", "Ben is the CEO of Globex."),
        ("Ada lives in Oslo.", "Ben lives in Rome."),
        ("The auth service allows 1,000 req/s.", "The search service allows 5,000 req/s."),
    ],
)
def test_defect_18_other_people_and_companies(story, old, new):
    stays(story, old, new)


def test_defect_19_units(story):
    fact, (again,) = both(story, "The cache TTL is 60 s.", "The cache TTL is 1 min.")
    assert (again.action, again.fact_id) == ("REINFORCE", fact.id)


def test_defect_19_seconds_are_no_milliseconds(story):
    ends(story, "The cache TTL is 30 s.", "The cache TTL is 30 ms.")


def test_defect_20_a_correction_leaves_nothing_true_in_the_past(story):
    wrong = story.say("Our database is Postgres.", "2025-01-01")
    story.says("Actually, it was never Postgres; our database has always been MySQL.", "2025-03-01")
    fact = story.fact(wrong.fact_id)
    assert (fact.status, fact.retirement) == ("corrected", "corrected")
    story.on("2025-04-01")
    for when in ("2025-01-15", "2025-02-15", "2025-04-01"):
        assert "Our database is Postgres." not in story.served("Which database do we use?", as_of=when)
    assert "Our database is Postgres." in story.served("Which database do we use?", known_at=day("2025-02-01"))
