"""What becomes of a fact when the one it rests on falls? Row F9: it is marked, listed, and never edited."""

from __future__ import annotations

from dataclasses import replace

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
    assert tale.fact(tale.place.fact_id) == replace(before, needs_recheck=True)
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


def shown(story, **when):
    """Whether search, lookup and history show the mark of the home."""
    (found,) = [one for one in story.memory.search("Where do I live?", **when).results if one.attribute == "residence"]
    (looked_up,) = story.memory.lookup("user", "residence", **when)
    return found.needs_recheck, looked_up.needs_recheck


def test_F9_search_and_lookup_show_the_mark(tale):
    assert shown(tale) == (False, False)
    tale.on("2025-03-01")
    FALLS["superseded"](tale)
    assert shown(tale) == (True, True)
    assert tale.fact(tale.place.fact_id).needs_recheck
    assert not tale.fact(tale.job.fact_id).needs_recheck
    assert shown(tale, as_of="2025-02-01") == (False, False)  # its basis held then
    assert shown(tale, known_at="2025-02-01") == (False, False)
    tale.memory.confirm(tale.place.fact_id)
    assert shown(tale) == (False, False)


def test_F9_an_answer_shows_the_mark_of_what_it_cites(tale):
    assert [one.needs_recheck for one in tale.memory.ask("Where do I live?").citations] == [False]
    tale.on("2025-03-01")
    FALLS["superseded"](tale)
    assert [one.needs_recheck for one in tale.memory.ask("Where do I live?").citations] == [True]


def leased(story, **given):
    """A lease that ends by itself, and what rests on it."""
    lease = story.say("The lease of the office is signed.", "2025-01-01", valid_until="2025-06-01")
    desk = story.say("The desks stand in the office.", "2025-01-02", depends_on=lease.fact_id, **given)
    return lease, desk


def counted(story):
    cards = [card.fact.id for card in story.memory.rechecks()]
    assert story.memory.stats().counts["rechecks"] == len(cards)
    return cards


def test_F9_a_stated_end_marks_by_the_calendar_and_waits_for_no_pass(story):
    _, desk = leased(story)
    story.on("2025-05-31")
    assert counted(story) == []
    with pytest.raises(StateError, match="not marked"):
        story.memory.confirm(desk.fact_id)
    story.on("2025-06-01")
    assert counted(story) == [desk.fact_id]
    assert story.fact(desk.fact_id).needs_recheck
    story.memory.maintain()
    assert counted(story) == [desk.fact_id]
    story.memory.confirm(desk.fact_id)
    assert counted(story) == []


def test_F9_saying_it_again_before_the_end_confirms_nothing_about_the_time_after(story):
    _, desk = leased(story)
    assert story.say("The desks stand in the office.", "2025-04-01").fact_id == desk.fact_id
    story.on("2025-06-02")
    assert counted(story) == [desk.fact_id]
    story.say("The desks stand in the office.", "2025-06-03")
    assert counted(story) == []


def test_F9_who_builds_on_what_is_over_knows_that_it_is_over(story):
    lease = story.say("The lease of the office is signed.", "2025-01-01", valid_until="2025-06-01")
    story.say("The old desks are in storage.", "2025-07-01", depends_on=lease.fact_id)
    assert counted(story) == []


def test_F9_what_was_confirmed_after_an_end_is_marked_again_when_it_never_was(story):
    lease, desk = leased(story)
    story.on("2025-06-02").memory.confirm(desk.fact_id)
    fall = story.memory.forget(lease.fact_id, never_true=True)
    assert counted(story) == [desk.fact_id]
    story.memory.undo(fall.id)
    assert counted(story) == []


def test_F9_what_has_ended_itself_needs_no_look(story):
    leased(story, valid_until="2025-05-01")
    story.on("2025-06-02")
    assert counted(story) == []


def test_F9_a_narrowed_basis_marks(story):
    rule = story.say("Deploys run on Fridays.", "2025-01-01")
    freeze = story.say("The freeze starts on Thursday.", "2025-01-02", depends_on=rule.fact_id)
    story.memory.configure(supersession_enabled=False)
    other = story.say("Deploys never run on Fridays.", "2025-02-01")
    (card,) = story.conflicts()
    assert set(card.conflict.fact_ids) == {rule.fact_id, other.fact_id}
    story.on("2025-02-02").memory.resolve(card.conflict.id, "both", keep=rule.fact_id, condition="for hotfixes")
    assert story.fact(rule.fact_id).status == "narrowed"
    assert counted(story) == [freeze.fact_id]


def test_F9_an_erased_basis_marks_and_leaves_no_word(tale):
    erased = tale.memory.erase(tale.job.fact_id)
    assert [(card.fact.id, [basis.text for basis in card.bases]) for card in tale.memory.rechecks()] == [
        (tale.place.fact_id, [""])
    ]
    assert tale.life(tale.place.fact_id).rows[-1].kind == "recheck_changed"
    assert tale.life(tale.place.fact_id).rows[-1].decision_id == erased.id
    tale.memory.erase(tale.place.fact_id)
    assert tale.memory.rechecks() == ()


def test_F9_what_is_erased_together_is_not_marked(story):
    key = story.say("The API gateway terminates TLS.", "2025-01-01")
    story.memory.remember("Services speak plain HTTP.", depends_on=key.fact_id)
    for fact in story.memory.search("services HTTP").results:
        story.memory.erase(fact.id)
    story.memory.erase(key.fact_id)
    assert story.memory.rechecks() == ()


def test_F9_a_statement_about_the_reason_leaves_the_fact_alone(tale):
    """However sure a model is that the two cannot both be: the home is not what is denied."""
    tale.on("2025-03-01")
    told = FALLS["corrected"](tale)
    assert told.targets == (tale.job.fact_id,)
    (weighed,) = [
        one for one in tale.memory.explain(told.id).decisions[0].considered if one.fact_id == tale.place.fact_id
    ]
    assert not weighed.changed
    assert "gives as its reason" in (weighed.undecided or "")
    tale.memory.sweep()
    assert tale.values(attribute="residence") == ["Lisbon"]
