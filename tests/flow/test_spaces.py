"""Who may see and change what? Rows D9 and E10: spaces never mix, by no verb and with no id; a group space is its
members' own; settings, corrections and erasures stay where they were made."""

from __future__ import annotations

import pytest

from stilltrue.errors import AccessError, InvalidInputError, NotFoundError
from tests.flow.canon import snapshot
from tests.flow.teller import HOME, Story

VERBS = {
    "remember": lambda memory: memory.remember("User lives in Paris.", value="Paris", **HOME),
    "deferred": lambda memory: memory.remember("User lives in Paris.", wait=False),
    "search": lambda memory: memory.search("Where does the user live?"),
    "lookup": lambda memory: memory.lookup("user"),
    "history": lambda memory: memory.history(subject="user"),
    "conflicts": lambda memory: memory.conflicts(),
    "proposals": lambda memory: memory.proposals(),
    "stats": lambda memory: memory.stats(),
    "drain": lambda memory: memory.drain(),
    "configure": lambda memory: memory.configure(search_limit=5),
    "set_members": lambda memory: memory.set_members(["eve"]),
}
WITH_ID = {
    "history": lambda memory, known: memory.history(known["fact"]),
    "explain a fact": lambda memory, known: memory.explain(known["fact"]),
    "explain a decision": lambda memory, known: memory.explain(known["decision"]),
    "forget": lambda memory, known: memory.forget(known["fact"]),
    "never true": lambda memory, known: memory.forget(known["fact"], never_true=True),
    "erase a fact": lambda memory, known: memory.erase(known["fact"]),
    "erase an episode": lambda memory, known: memory.erase(known["episode"]),
    "undo a decision": lambda memory, known: memory.undo(known["decision"]),
    "undo a batch": lambda memory, known: memory.undo(known["batch"]),
    "resolve": lambda memory, known: memory.resolve(known["conflict"], "dismiss"),
    "rewrite": lambda memory, known: memory.resolve(known["conflict"], "rewrite", text="User lives in Bern."),
    "supersedes": lambda memory, known: memory.remember("User lives in Bern.", supersedes=known["fact"]),
    "depends_on": lambda memory, known: memory.remember("User lives in Bern.", depends_on=known["fact"]),
}


def furnish(story):
    """A space with a fact, an open conflict and their ids."""
    story.memory.configure(supersession_enabled=False)
    first = story.home("Oslo", "2025-01-01")
    second = story.home("Rome", "2025-02-01", "User moved to Rome.")
    return {
        "fact": first.fact_id,
        "decision": second.id,
        "batch": second.batch_id,
        "episode": first.episode_id,
        "conflict": second.conflict_id,
    }


@pytest.fixture
def team(story):
    """A group space of ann and ben, told something; and what is known in it."""
    memory = story.memory.in_space("team")
    inside = Story(memory, story.clock)
    known = furnish(inside)
    memory.set_members(["ann", "ben"])
    return story, Story(story.memory.in_space("team", "ann"), story.clock), known


def in_words(error, known):
    """The error without what the caller had to know to ask."""
    text = str(error)
    for identifier in known.values():
        text = text.replace(identifier, "ID").replace(identifier[-8:], "ID")
    return text


def test_E10_the_same_slot_in_two_spaces_is_two_slots(story):
    other = Story(story.memory.in_space("other"), story.clock)
    mine, theirs = story.home("Oslo", "2025-01-01"), other.home("Rome", "2025-02-01", "User moved to Rome.")
    assert theirs.action == "ACCEPT"
    assert theirs.receipt.considered == ()
    assert (story.values(), other.values()) == (["Oslo"], ["Rome"])
    assert story.served("Where does the user live?") == ["User lives in Oslo."]
    assert other.served("Where does the user live?") == ["User moved to Rome."]
    assert story.fact(mine.fact_id).status == "active"
    assert (story.memory.stats().counts["facts"], other.memory.stats().counts["facts"]) == (1, 1)


def test_E10_a_repeat_in_another_space_is_no_repeat(story):
    other = Story(story.memory.in_space("other"), story.clock)
    assert [story.home("Oslo").action, other.home("Oslo").action] == ["ACCEPT", "ACCEPT"]


def test_E10_what_never_was_in_one_space_may_be_in_another(story):
    other = Story(story.memory.in_space("other"), story.clock)
    story.memory.forget(story.home("Oslo").fact_id, never_true=True)
    assert story.home("Oslo", said_at="2024-12-01").action == "REJECT"
    assert other.home("Oslo", said_at="2024-12-01").action == "ACCEPT"


@pytest.mark.parametrize("verb", WITH_ID)
def test_D9_ids_of_another_space_are_unknown_in_the_same_words(story, verb):
    known = furnish(Story(story.memory.in_space("other"), story.clock))
    story.home("Bern", "2025-03-01")
    before, after = snapshot(story.memory), snapshot(story.memory.in_space("other"))
    nobody = dict.fromkeys(known, "01900000-0000-7000-8000-000000000001")
    with pytest.raises(NotFoundError) as foreign:
        WITH_ID[verb](story.memory, known)
    with pytest.raises(NotFoundError) as unknown:
        WITH_ID[verb](story.memory, nobody)
    assert in_words(foreign.value, known) == in_words(unknown.value, nobody)
    assert snapshot(story.memory) == before
    assert snapshot(story.memory.in_space("other")) == after


@pytest.mark.parametrize("member", [None, "eve", "Ann"])
def test_D9_strangers_cannot_even_open_a_group(team, member):
    story, _, _ = team
    with pytest.raises(AccessError):
        story.memory.in_space("team", member)


@pytest.mark.parametrize("verb", VERBS)
def test_D9_strangers_are_refused_by_every_verb(team, verb):
    story, inside, known = team
    outsider = story.memory.in_space("team", "ben")
    inside.memory.set_members(["ann"])  # ben left the group with his door still open
    before = snapshot(inside.memory)
    with pytest.raises(AccessError) as refused:
        VERBS[verb](outsider)
    assert not any(part in str(refused.value) for part in ("Oslo", "Rome", "ann", *known.values()))
    assert snapshot(inside.memory) == before


@pytest.mark.parametrize("verb", WITH_ID)
def test_D9_strangers_are_refused_with_any_id_known_or_not(team, verb):
    story, inside, known = team
    outsider = story.memory.in_space("team", "ben")
    inside.memory.set_members(["ann"])
    before = snapshot(inside.memory)
    nobody = dict.fromkeys(known, "01900000-0000-7000-8000-000000000001")
    words = set()
    for ids in (known, nobody):
        with pytest.raises(AccessError) as refused:
            WITH_ID[verb](outsider, ids)
        words.add(str(refused.value))
    assert len(words) == 1
    assert snapshot(inside.memory) == before


def test_D9_members_and_spaces_tell_strangers_nothing(team):
    story, inside, _ = team
    outsider = story.memory.in_space("team", "ben")
    inside.memory.set_members(["ann"])
    assert "team" not in outsider.spaces()
    assert "team" not in story.memory.spaces()
    assert "team" in inside.memory.spaces()
    with pytest.raises(AccessError):
        outsider.members()
    with pytest.raises(AccessError):
        _ = outsider.settings


def test_D9_members_share_one_truth(team):
    story, ann, _ = team
    ben = Story(story.memory.in_space("team", "ben"), story.clock)
    ann.memory.configure(supersession_enabled=None)
    manager = {"subject": "release", "attribute": "manager"}
    told = ann.say("The release manager is Ada.", "2025-03-01", author="ann", value="Ada", **manager)
    assert "The release manager is Ada." in ben.served("Who is the release manager?")
    moved = ben.say("The new release manager is Carl.", "2025-03-10", author="ben", value="Carl", **manager)
    assert moved.action == "SUPERSEDE"
    assert ann.fact(told.fact_id).superseded_by == moved.fact_id
    assert ann.memory.members() == ("ann", "ben")


def test_D9_a_group_gone_private_is_open_again(team):
    story, ann, _ = team
    ann.memory.set_members([])
    assert story.memory.in_space("team").members() == ()


@pytest.mark.parametrize("name", ["", "  ", "a\nb", "x" * 201, "a\x00b"])
def test_D9_names_must_be_names(story, name):
    with pytest.raises(InvalidInputError):
        story.memory.in_space(name)
    with pytest.raises(InvalidInputError):
        story.memory.set_members(["ann", name])
    assert story.memory.members() == ()
