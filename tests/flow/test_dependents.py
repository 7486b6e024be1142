"""What becomes of a fact when the one it rests on falls? Row F9: it is marked, listed, and never edited."""

from __future__ import annotations

import pytest

from stilltrue.errors import NotFoundError, StateError
from tests.flow.canon import snapshot

WORK = {"subject": "user", "attribute": "employer"}
REASONED = "I live in Lisbon because I work at Acme."


@pytest.fixture
def tale(story):
    """A job, and a home that rests on it."""
    story.job = story.say("I work at Acme.", "2025-01-01")
    story.place = story.say(REASONED, "2025-01-02")
    return story


def marked(story):
    return [(card.fact.text, [basis.text for basis in card.bases]) for card in story.memory.rechecks()]


MARKED = [(REASONED, ["I work at Acme."])]


def test_F9_a_basis_named_in_the_text_is_tied(tale):
    with tale.memory.engine.store.read() as reader:
        links = reader.links(tale.memory.space, tale.place.fact_id)
    assert [(link.kind.value, link.from_id, link.to_id) for link in links] == [
        ("depends_on", tale.place.fact_id, tale.job.fact_id)
    ]
    assert marked(tale) == []


FALLS = {
    "superseded": lambda story: story.say("I work at Globex now.", "2025-03-01", **WORK, value="Globex"),
    "forgotten": lambda story: story.memory.forget(story.job.fact_id),
    "never true": lambda story: story.memory.forget(story.job.fact_id, never_true=True),
    "corrected": lambda story: story.say("Correction: I never worked at Acme, I work at Globex.", "2025-03-01"),
    "taken back": lambda story: story.memory.undo(story.job.id),
}  # fmt: skip


@pytest.mark.parametrize("how", FALLS)
def test_F9_what_rests_on_a_fact_that_falls_is_marked_and_stays_as_it_is(tale, how):
    before = tale.fact(tale.place.fact_id)
    tale.on("2025-03-01")
    FALLS[how](tale)
    assert marked(tale) == MARKED
    assert tale.fact(tale.place.fact_id) == before
    assert tale.values(attribute="residence") == ["Lisbon"]
    assert tale.memory.stats().counts["rechecks"] == 1
    (basis,) = tale.memory.explain(tale.place.fact_id).rechecks
    assert basis.id == tale.job.fact_id
    assert tale.life(tale.place.fact_id).rows[-1].kind == "recheck_changed"


@pytest.mark.parametrize("how", FALLS)
def test_F9_the_mark_goes_when_the_fall_is_taken_back(tale, how):
    tale.on("2025-03-01")
    before = snapshot(tale.memory)
    fall = FALLS[how](tale)
    undoing = tale.memory.undo(fall.id)
    assert marked(tale) == []
    assert snapshot(tale.memory) == before
    tale.memory.undo(undoing.id)
    assert marked(tale) == MARKED


def test_F9_a_given_basis_counts_as_a_stated_one(story):
    key = story.say("The API gateway terminates TLS.", "2025-01-01")
    rule = story.say("Services speak plain HTTP.", "2025-01-02", depends_on=key.fact_id)
    story.memory.forget(key.fact_id)
    assert [card.fact.id for card in story.memory.rechecks()] == [rule.fact_id]


def test_F9_what_is_tied_to_a_fact_that_fell_already_is_marked_at_once(story):
    key = story.say("The API gateway terminates TLS.", "2025-01-01")
    story.memory.forget(key.fact_id)
    rule = story.say("Services speak plain HTTP.", "2025-01-02", depends_on=key.fact_id)
    assert [card.fact.id for card in story.memory.rechecks()] == [rule.fact_id]


def test_F9_a_person_keeps_it_and_may_take_that_back(tale):
    tale.memory.forget(tale.job.fact_id)
    before = snapshot(tale.memory)
    kept = tale.memory.confirm(tale.place.fact_id, reason="remote now", author="mara")
    assert (kept.action.value, kept.author, kept.receipt.reason) == ("RESOLVE", "mara", "remote now")
    assert marked(tale) == []
    with pytest.raises(StateError, match="not marked"):
        tale.memory.confirm(tale.place.fact_id)
    tale.memory.undo(kept.id)
    assert marked(tale) == MARKED
    assert snapshot(tale.memory) == before


def test_F9_keeping_it_stands_in_the_way_of_no_undo(tale):
    fall = tale.memory.forget(tale.job.fact_id)
    tale.memory.confirm(tale.place.fact_id)
    tale.memory.undo(fall.id)
    assert tale.values(attribute="employer") == ["Acme"]
    assert marked(tale) == []


def test_F9_a_restatement_confirms(tale):
    tale.memory.forget(tale.job.fact_id)
    assert marked(tale) == MARKED
    again = tale.say(REASONED, "2025-04-01")
    assert again.fact_id == tale.place.fact_id
    assert marked(tale) == []
    tale.memory.undo(again.id)
    assert marked(tale) == MARKED


def test_F9_what_has_fallen_itself_is_not_listed(tale):
    tale.memory.forget(tale.job.fact_id)
    tale.say("I moved to Porto.", "2025-04-01")
    assert marked(tale) == []
    assert tale.memory.stats().counts["rechecks"] == 0


def test_F9_only_what_rests_on_it_is_marked(tale):
    """Neither what rests on another fact nor, in turn, what rests on the marked one."""
    dog = tale.say("I have a dog named Rex.", "2025-01-03")
    tale.say("I buy kibble because I have a dog named Rex.", "2025-01-04", depends_on=dog.fact_id)
    tale.say("My rent is 900 EUR.", "2025-01-05", depends_on=tale.place.fact_id)
    tale.memory.forget(tale.job.fact_id)
    assert marked(tale) == MARKED


def test_F9_a_basis_that_ends_later_is_listed_later(tale):
    tale.say("From 1 March 2025 I work at Globex.", "2025-02-01")
    assert tale.values(attribute="employer") == ["Acme"]
    assert marked(tale) == []
    tale.on("2025-03-02")
    assert marked(tale) == MARKED


@pytest.mark.parametrize(
    ("basis", "text"),
    [
        ("We store geometries.", "We use Postgres because we store geometries."),
        ("I work at Acme.", "Since I work at Acme, I live in Lisbon."),
        ("Deploys run on Fridays.", "The freeze starts on Thursday so that deploys run on Fridays."),
        ("Ich arbeite bei Acme.", "Ich wohne in Lissabon, weil ich bei Acme arbeite."),
        ("The API is slow.", "We cache every response, as the API is slow."),
    ],
)
def test_F9_many_ways_to_say_why(story, basis, text):
    known = story.says(basis, "2025-01-01")[0]
    story.says(text, "2025-01-02")
    story.memory.forget(known.fact_id)
    assert [card.fact.text for card in story.memory.rechecks()] == [text]


@pytest.mark.parametrize(
    "text",
    [
        "I live in Lisbon.",
        "I live in Lisbon because of the light.",
        "I live in Lisbon because I work at Globex.",
        "I live in Lisbon because I do not work at Acme.",
        "I have lived in Lisbon since 2019.",
    ],
)
def test_F9_no_known_basis_no_tie(story, text):
    known = story.say("I work at Acme.", "2025-01-01")
    story.says(text, "2025-01-02")
    story.memory.forget(known.fact_id)
    assert story.memory.rechecks() == ()


def test_F9_marks_stay_in_their_space(tale):
    other = tale.memory.in_space("other")
    tale.memory.forget(tale.job.fact_id)
    assert other.rechecks() == ()
    with pytest.raises(NotFoundError):
        other.confirm(tale.place.fact_id)
