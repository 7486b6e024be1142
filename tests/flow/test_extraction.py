"""What do plain sentences become? Rows D1, E1, F2, C13 by words alone, without any hint from the caller: slots, values,
cardinality, time and voice, and the lives that follow from them."""

from __future__ import annotations

import pytest

from tests.flow.teller import day

SLOTS = [
    ("User lives in Portland.", "user", "residence", "Portland"),
    ("I live in Portland.", "user", "residence", "Portland"),
    ("User works at Bosch.", "user", "employer", "Bosch"),
    ("My birthday is on 3 May.", "user", "birthday", None),
    ("Ada's favourite colour is green.", "ada", None, "green"),
    ("My favourite colour is green.", "user", None, "green"),
    ("The rate limit of the auth service is 1,000 req/s.", "auth", None, "1,000 req/s"),
    ("The cache TTL is 60 seconds.", "cache", "ttl", "60 seconds"),
    ("We use PostgreSQL 15 in production.", "we", "database", None),
    ("- **Timezone**: Europe/Oslo", "user", "timezone", "Europe/Oslo"),
]


@pytest.mark.parametrize(("text", "subject", "attribute", "value"), SLOTS)
def test_E1_slots_are_inferred_from_words(story, text, subject, attribute, value):
    fact = story.fact(story.say(text).fact_id)
    assert fact.subject == subject
    if attribute is not None:
        assert fact.attribute == attribute
    assert fact.attribute is not None
    if value is not None:
        assert fact.value == value


@pytest.mark.parametrize(
    ("text", "subject", "key"),
    [
        ("User lives in Portland.", "User", "residence"),
        ("User lives in Portland.", "the user", "City"),
        ("The rate limit of the auth service is 1,000 req/s.", "auth service", "rate limit"),
        ("The rate limit of the auth service is 1,000 req/s.", "The Auth Service", "Rate Limit"),
        ("Ada works at Bosch.", "Ada", "Employer"),
        ("Our database is Postgres.", "we", "database"),
    ],
)
def test_C12_lookup_takes_the_names_people_use(story, text, subject, key):
    told = story.say(text)
    assert [result.id for result in story.memory.lookup(subject)] == [told.fact_id]
    assert [result.id for result in story.memory.lookup(subject, key)] == [told.fact_id]


@pytest.mark.parametrize(
    "text",
    ["Hello!", "Thanks a lot.", "How are you?", "Where do you live?", "ok", "Sure, sounds good.", "Could you help me?"],
)
def test_D1_greetings_questions_and_chatter_yield_no_facts(story, text):
    assert story.says(text) == []
    assert story.memory.stats().counts["facts"] == 0
    assert story.memory.stats().counts["episodes"] == 1


@pytest.mark.parametrize(
    ("old", "new", "query"),
    [
        ("User lives in Portland.", "User just moved to Seattle.", "Where does the user live?"),
        ("I work at Bosch.", "I started a new job at Nordea.", "Where does the user work?"),
        ("My phone number is 555-0101.", "My new phone number is 555-0202.", "What is the phone number?"),
        ("The rate limit is 1,000 req/s.", "The rate limit was raised to 5,000 req/s.", "What is the rate limit?"),
        ("We deploy with Jenkins.", "We switched from Jenkins to Buildkite.", "What do we deploy with?"),
        ("Our API is REST.", "We migrated our API to GraphQL.", "Is our API REST or GraphQL?"),
        ("User's favourite colour is green.", "User's favourite colour is now blue.", "Which favourite colour?"),
        ("Ada is single.", "Ada got married to Ben.", "Is Ada married or single?"),
        ("The meeting is on Tuesday.", "The meeting was moved to Thursday.", "When is the meeting?"),
    ],
)
def test_E1_a_change_in_plain_words_is_served_instead_of_the_old(story, old, new, query):
    first = story.say(old, "2025-01-01")
    story.says(new, "2025-02-01")
    assert story.fact(first.fact_id).retirement is not None
    served = story.on("2025-02-20").served(query)
    assert old not in served
    assert any(new.rstrip(".") in text for text in served)


@pytest.mark.parametrize(
    ("attribute", "first", "second", "cardinality"),
    [
        ("languages", "User speaks French.", "User speaks Italian.", "many"),
        ("residence", "User lives in Oslo.", "User lives in Rome.", "one"),
        ("event", "User visited Rome in May 2024.", "User visited Oslo in June 2024.", "event"),
    ],
)
def test_F2_cardinality_is_known(story, attribute, first, second, cardinality):
    one, two = story.say(first, "2025-01-01"), story.say(second, "2025-02-01")
    fact = story.fact(two.fact_id)
    assert fact.cardinality == cardinality
    assert (story.fact(one.fact_id).retirement is not None) == (cardinality == "one")
    assert attribute


def test_F2_cardinality_can_be_overridden_per_space_and_per_statement(story):
    story.memory.configure(cardinalities={"mascot": "many"})
    slot = {"subject": "team", "attribute": "mascot"}
    one = story.say("The team mascot is a goat.", "2025-01-01", value="goat", **slot)
    story.say("The team mascot is an owl.", "2025-02-01", value="owl", **slot)
    assert story.values("team", "mascot") == ["goat", "owl"]
    assert story.fact(one.fact_id).cardinality == "many"
    other = story.memory.in_space("other")
    for when, value in (("2025-03-01", "goat"), ("2025-04-01", "owl")):
        story.on(when)
        other.remember(f"The team mascot is the {value}.", value=value, **slot)
    assert [result.value for result in other.lookup("team", "mascot")] == ["owl"]


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("User moved to Oslo in March 2024.", "2024-03-01", None),
        ("User moved to Oslo three days ago.", "2025-06-07", None),
        ("User has lived in Oslo since 2019.", "2019-01-01", None),
        ("User lived in Oslo from 2015 to 2018.", "2015-01-01", None),
        ("User is in Oslo until 30 June 2025.", None, "2025-07-01"),
    ],
)
def test_C13_dates_in_words_become_valid_time(story, text, start, end):
    fact = story.fact(story.say(text, "2025-06-10").fact_id)
    if start is not None:
        assert fact.valid_from == day(start)
    if end is not None:
        assert fact.valid_until == day(end)


def test_E7_a_rule_in_plain_words_can_be_marked_a_constraint(story):
    rule = story.say("Never push to main directly.", "2025-01-01", kind="constraint")
    story.says("You can push to main directly now.", "2025-02-01")
    assert story.fact(rule.fact_id).status == "active"
    assert "Never push to main directly." in story.served("May I push to main directly?")
