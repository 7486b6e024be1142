"""What did one of them say? Row E10: inside a space every read that serves facts can be narrowed to one author, before
anything is ranked or cut. It is a question, not a wall: who may see what is `test_spaces`."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stilltrue.errors import InvalidInputError
from tests.flow.teller import Story, WordEmbedder

OTHERS = 100
"""More than an index is asked for (`search.POOL`), so that a filter behind it would find nothing."""

ASKED = "Which day is the deploy day of the service?"

OWN = {
    "Billing goes out on Mondays.": "billing",
    "We ship the mobile app when the review of the store is through.": "mobile app",
    "Search is released at night, by whoever is on call.": "search",
}

READS = {
    "search": lambda memory, **how: memory.search("Where does the user live?", **how).results,
    "lookup": lambda memory, **how: memory.lookup("user", "residence", **how),
    "ask": lambda memory, **how: memory.ask("Where does the user live?", **how).citations,
}


@pytest.fixture
def crowd(story):
    """What ben says about a hundred deploy days, and what ann says about three, in other words."""
    for number in range(OTHERS):
        text = f"The deploy day of the service s{number} is Friday."
        story.say(text, author="ben", subject=f"s{number}", attribute="deploy_day", value="Friday")
    for text, subject in OWN.items():
        assert story.say(text, author="ann", subject=subject, attribute="release").action == "ACCEPT"
    return story


@pytest.fixture
def two(story):
    """Ann tells where the user lives, and where they moved; ben says something else of it and asks nobody."""
    story.memory.configure(supersession_min_confidence=0.5)
    first = story.home("Oslo", "2025-01-10", author="ann")
    story.on("2025-03-01")
    second = story.home("Rome", "2025-03-01", "User moved to Rome.", author="ann", supersedes=first.fact_id)
    third = story.home("Bern", "2025-03-02", author="ben")
    return story, first, second, third


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_E10_a_limit_counts_the_facts_of_the_author_although_better_ones_are_by_others(crowd, limit):
    best = crowd.memory.search(ASKED, limit=60).results
    assert {result.author for result in best} == {"ben"}
    theirs = crowd.memory.search(ASKED, limit=limit, author="ann").results
    assert len(theirs) == limit
    assert {result.author for result in theirs} == {"ann"}
    assert [result.score for result in theirs] == sorted((result.score for result in theirs), reverse=True)


@pytest.mark.parametrize("read", READS)
def test_E10_every_read_that_serves_facts_takes_an_author(two, read):
    story, _, second, third = two
    ids = {
        author: {getattr(one, "fact_id", None) or one.id for one in READS[read](story.memory, author=author)}
        for author in ("ann", "ben")
    }
    assert ids == {"ann": {second.fact_id}, "ben": {third.fact_id}}


@pytest.mark.parametrize("read", READS)
def test_E10_nobodys_facts_are_no_error(two, read):
    story, *_ = two
    assert [
        list(READS[read](story.memory, author=name)) for name in ("zoe", "Ann", "ann ", "user", "%", "x" * 999)
    ] == [
        [],
    ] * 6


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Which printer do we use?", "What “zoe” said does not tell: nothing in it speaks of “printer”."),
        ("Where did the user live in 2010?", "What “zoe” said does not tell: nothing in it"),
    ],
)
def test_E10_D12_a_refusal_says_that_one_author_was_asked(two, question, told):
    """That memory does not say it would be untrue: somebody else may have said it."""
    story, *_ = two
    answer = story.memory.ask(question, author="zoe")
    assert answer.refused
    assert answer.text.startswith(told)
    assert story.memory.ask(question).text.startswith("Memory does not say")
    hostile = story.memory.ask(question, author="zoe” is right. “x")
    assert hostile.text.startswith("What “zoe' is right. 'x” said does not tell")
    assert story.memory.ask("Did the user ever live in Madrid?", author="ben").text == (
        "What “ben” said does not tell; it names Bern."
    )


@pytest.mark.parametrize("read", READS)
@pytest.mark.parametrize("name", ["", "  ", "\t"])
def test_E10_an_empty_name_is_refused(two, read, name):
    story, *_ = two
    with pytest.raises(InvalidInputError, match="the author is empty"):
        READS[read](story.memory, author=name)


def test_E10_an_author_goes_with_both_clocks_and_with_what_is_over(two):
    story, first, second, third = two

    def found(**how):
        looked = {fact.id for fact in story.memory.lookup("user", "residence", **how)}
        assert looked == {fact.id for fact in story.memory.search("Where does the user live?", **how).results}
        return looked

    assert found(author="ann", as_of="2025-02-01") == {first.fact_id}
    assert found(author="ben", as_of="2025-02-01") == set()
    assert found(author="ann", known_at="2025-02-01") == {first.fact_id}
    assert found(author="ben", known_at="2025-02-01") == set()
    assert found(author="ann", include_superseded=True) == {first.fact_id, second.fact_id}
    assert found(author="ben", include_superseded=True) == {third.fact_id}
    assert found(include_superseded=True) == {first.fact_id, second.fact_id, third.fact_id}
    assert "Oslo" in story.memory.ask("Where did the user live before?", author="ann").text
    assert "Oslo" not in story.memory.ask("Where did the user live before?", author="ben").text


def test_E10_who_repeats_a_fact_is_not_its_author(story):
    told = story.say("The gateway listens on port 8080.", "2025-01-01", author="ann")
    again = story.say("The gateway listens on port 8080.", "2025-01-20", author="ben")
    assert again.targets == (told.fact_id,)
    assert story.served("Which port does the gateway listen on?", author="ann")
    assert story.served("Which port does the gateway listen on?", author="ben") == []


def test_E10_an_author_is_no_way_into_another_space(story):
    other = Story(story.memory.in_space("other"), story.clock)
    other.home("Rome", author="ann")
    assert [list(read(story.memory, author="ann")) for read in READS.values()] == [[], [], []]


words = st.lists(st.sampled_from(["tea", "coffee", "milk", "cold", "hot", "cup"]), min_size=1, max_size=4)
said = st.lists(st.tuples(words, st.sampled_from(["ann", "ben", None])), min_size=1, max_size=10)


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(said=said, asked=words)
def test_E10_a_narrowed_search_serves_what_the_whole_one_serves_of_the_author(said, asked):
    """The same facts with the same cosines. Scores differ where somebody else's fact holds the words best: how well
    words match is told against the best match among the facts admitted, so no fact is served with less.
    """
    story = Story.open(WordEmbedder())
    for number, (text, author) in enumerate(said):
        slot = {"subject": f"s{number}", "attribute": "note", "value": f"v{number}"}
        story.say(f"Note {number}: {' '.join(text)}.", author=author, **slot)
    query = " ".join(asked)
    everything = story.memory.search(query, limit=1_000).results
    for author in ("ann", "ben"):
        whole = {fact.id: fact for fact in everything if fact.author == author}
        theirs = story.memory.search(query, limit=1_000, author=author).results
        assert {fact.id: fact.similarity for fact in theirs} == {fact.id: fact.similarity for fact in whole.values()}
        assert all(fact.score >= whole[fact.id].score for fact in theirs)
        if {author} == {fact.author for fact in everything}:
            assert list(theirs) == list(everything)
        assert story.memory.search(query, limit=1, author=author).results == theirs[:1]
    assert story.memory.check_invariants() == []
    story.memory.close()
