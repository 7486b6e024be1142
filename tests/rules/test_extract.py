"""Which statements does an episode make? Chat turns, lists, tools, pronouns, and what gives none."""

from datetime import UTC, datetime

import pytest
from hypothesis import given as hypothesis_given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from stilltrue.errors import InvalidInputError
from stilltrue.model.candidate import Given
from stilltrue.model.episode import Episode
from stilltrue.model.fact import Modality
from stilltrue.model.ids import EpisodeId, SpaceId
from stilltrue.settings import Settings
from stilltrue.write.extract import extract

SAID = datetime(2025, 1, 15, 9, tzinfo=UTC)


def read(text, *, role="user", author=None, given=None, settings=None):
    episode = Episode(
        id=EpisodeId("e"), space_id=SpaceId("s"), text=text, said_at=SAID, recorded_at=SAID, role=role, author=author
    )
    return extract(episode, given or Given(), settings or Settings())


def slots(candidates):
    return {
        (c.statement.slot.subject, c.statement.slot.attribute, c.statement.value.key)
        for c in candidates
        if c.statement.value
    }


def test_several_tools_in_one_sentence_are_several_candidates():
    found = slots(read("I want to use FastAPI with PostgreSQL, Redis for caching, and run everything in Docker."))
    assert {("we", "framework", "fastapi"), ("we", "database", "postgresql"), ("we", "cache", "redis")} <= found


@pytest.mark.parametrize(
    "text", ["Hi!", "Great question!", "Do you like tea?", "Here are the dev commands:", "```\nx = 1\n```", ""]
)
def test_what_gives_no_fact(text):
    assert read(text) == []


def test_a_pronoun_is_the_subject_before():
    found = slots(read("The billing worker has 4 GB of memory. It listens on port 8000."))
    assert ("billing worker", "port", "8000") in found


def test_that_fixed_it_resolves_the_topic():
    assert [c.resolves_topic for c in read("That fixed it. No more timeouts. I live in Oslo.")] == [True, True, False]


def test_a_plan_is_kept_as_one():
    assert [c.statement.modality for c in read("I'm thinking of moving to Rome.")] == [Modality.PLAN]


def test_an_assistant_weighs_less_than_a_person():
    person, assistant = read("We use Postgres"), read("We use Postgres", role="assistant")
    assert assistant[0].confidence < person[0].confidence


def test_a_bold_key_is_a_slot():
    assert ("we", "coverage_target", "80 %") in slots(read("**Coverage target:** 80%"))


def test_given_takes_the_text_whole():
    found = read("  I live in Oslo. I work at Bosch. ", given=Given(whole=True))
    assert [c.statement.text for c in found] == ["I live in Oslo. I work at Bosch."]
    assert read("x", given=Given(subject="Ada", attribute="residence", value="Rome"))[0].statement.slot.subject == "ada"


def test_nothing_is_cut_silently():
    with pytest.raises(InvalidInputError, match="max_facts_per_episode=2"):
        read("I live in Oslo. I work at Bosch. I like tea.", settings=Settings(max_facts_per_episode=2))


def test_the_author_is_the_first_person():
    assert read("I live in Oslo", author="Ada")[0].statement.slot.subject == "ada"


@hypothesis_given(st.text(max_size=300))
@hypothesis_settings(max_examples=100, deadline=None)
def test_spans_point_at_the_words(text):
    for candidate in read(text):
        assert candidate.span.of(text) == candidate.statement.text
        assert 0 <= candidate.confidence <= 1
