"""Is what was told along with an end lost? Rows C4, D1: "I left Siemens and joined Bosch" ends one, begins another."""

from __future__ import annotations

import pytest

CHANGES = [
    (
        "I work at Siemens as a data engineer.",
        "I left Siemens and joined Bosch last week.",
        "Where do I work?",
        "Bosch",
    ),
    ("I work at Siemens.", "I quit Siemens and now work at Bosch.", "Where do I work?", "Bosch"),
    ("I work at Siemens.", "I left Siemens to join Bosch.", "Where do I work?", "Bosch"),
    ("I drive a Golf.", "I sold the Golf and bought a Tesla.", "What car do I drive?", "Tesla"),
    ("We use Jenkins for CI.", "We dropped Jenkins and use GitHub Actions now.", "What do we use for CI?", "GitHub"),
    ("My partner is Tom.", "I broke up with Tom and am dating Ben.", "Who is my partner?", "Ben"),
    ("We use Redux.", "We dropped Redux in favor of Zustand.", "What do we use for state management?", "Zustand"),
    ("Anna lives in Berlin.", "Anna left Berlin and moved to Paris.", "Where does Anna live?", "Paris"),
]
BOTH = [
    ("I live in Oslo and work at Equinor.", {"residence": "Oslo", "employer": "Equinor"}),
    ("I was born in Rome and moved to Oslo in 2019.", {"birthplace": "Rome", "residence": "Oslo"}),
    ("I moved to Barcelona and started at BBVA.", {"residence": "Barcelona", "employer": "BBVA"}),
]
WHOLE = [
    "We use Python and code reviews.",
    "She sings and dances.",
    "I left the keys and the phone at home.",
    "Run the tests and commit.",
    "I live in Oslo, but in my heart I am in Rome.",
]
BESIDE = [
    ("I have a Netflix subscription.", "I cancelled Netflix and subscribed to Disney+.", "Disney+"),
    ("I drink coffee.", "I gave up coffee and drink tea now.", "tea"),
]


@pytest.mark.parametrize(("known", "told", "question", "answer"), CHANGES)
def test_C4_an_end_and_what_came_next_are_a_change(story, known, told, question, answer):
    old = story.says(known, "2026-01-05")[0]
    story.says(told, "2026-03-05")
    assert story.memory.ask(question).text.startswith(answer)
    assert story.fact(old.fact_id).status in ("superseded", "retracted")


@pytest.mark.parametrize(("told", "slots"), BOTH)
def test_D1_two_claims_of_one_breath_are_two_facts(story, told, slots):
    story.says(told, "2026-01-05")
    for attribute, value in slots.items():
        assert [one.value for one in story.memory.lookup("user", attribute)] == [value]


@pytest.mark.parametrize("told", WHOLE)
def test_D1_what_is_one_claim_stays_whole(story, told):
    assert [one.text for one in story.says(told, "2026-01-05")] == [told]


def test_D1_each_of_two_occasions_has_its_own_value(story):
    story.says("I get up at 7, but on weekends at 9.", "2026-01-05")
    found = story.memory.lookup("user", "wake_time")
    assert {(one.value, one.qualifiers) for one in found} == {("7", ()), ("9", (("weekday", "weekend"),))}


@pytest.mark.parametrize(("known", "told", "new"), BESIDE)
def test_D1_of_two_slots_the_end_ends_and_the_deed_is_kept(story, known, told, new):
    old = story.says(known, "2026-01-05")[0]
    story.says(told, "2026-03-05")
    assert story.fact(old.fact_id).status != "active"
    assert any(new in one.text for one in story.memory.search(new).results)


def test_D1_one_day_is_told_of_both(story):
    old = story.says("I work at Siemens.", "2026-01-05")[0]
    story.says("I left Siemens on 1 February 2026 and joined Bosch.", "2026-03-05")
    (new,) = story.memory.lookup("user", "employer")
    assert (new.value, str(new.valid_from)[:10]) == ("Bosch", "2026-02-01")
    assert str(story.fact(old.fact_id).valid_until)[:10] == "2026-02-01"


def test_E5_a_plan_that_came_true_is_no_question(story):
    story.says("I'm moving to Porto in August.", "2026-07-01")
    story.says("I moved to Porto.", "2026-08-20")
    assert story.conflicts() == ()
    assert story.memory.ask("Where do I live?").text.startswith("Porto")


def test_D1_who_says_where_we_live_lives_there_too(story):
    story.says("I live in Lisbon.", "2026-01-05")
    story.says("We live in Porto now.", "2026-03-05")
    assert story.values() == ["Porto"]
    story.says("We moved to AWS.", "2026-04-05")
    assert story.values() == ["Porto"]


OURS = [
    ("The API rate limit is 100 requests per minute.", "We raised the rate limit to 500 requests per minute.", True),
    ("The request timeout is 30 seconds.", "We raised the timeout to 60 seconds.", True),
    ("The request timeout is 30 seconds.", "We raised the lock timeout to 60 seconds.", False),
    ("The API rate limit is 100 requests per minute.", "We raised the rate limit of the export job to 500.", False),
    ("The billing service listens on port 8080.", "We moved the search service to port 9090.", False),
    ("The mobile app is deployed on Heroku.", "We moved the website to Vercel.", False),
]


@pytest.mark.parametrize(("known", "told", "changes"), OURS)
def test_E5_what_we_changed_is_the_things_own_only_where_nothing_else_is_named(story, known, told, changes):
    old = story.says(known, "2026-01-05")[0]
    story.says(told, "2026-10-01")
    assert story.fact(old.fact_id).status == ("superseded" if changes else "active")


NEWS = [
    ("Sprint length is two weeks.", "Sprints are three weeks long from now on.", True),
    ("Feature flags are in LaunchDarkly.", "LaunchDarkly is gone, flags live in a YAML file now.", True),
    ("The sprint review is on Friday.", "Sprints are three weeks long from now on.", False),
    ("CI runs on GitHub Actions.", "CI takes 5 minutes now.", False),
    ("The API docs are in Notion.", "The API has 40 endpoints now.", False),
    ("Release notes are in CHANGELOG.md.", "Releases are signed now.", False),
    ("The cache TTL is 60 seconds.", "The cache holds 2 GB now.", False),
]


@pytest.mark.parametrize(("known", "told", "asks"), NEWS)
def test_E5_news_of_what_is_named_differently_is_asked_about(story, known, told, asks):
    old = story.says(known, "2026-01-05")[0]
    story.says(told, "2026-10-01")
    assert story.fact(old.fact_id).status == "active"
    assert len(story.conflicts()) == asks
