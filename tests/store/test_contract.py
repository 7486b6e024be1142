"""What must every store do? One suite, run over each of them."""

from dataclasses import replace
from datetime import timedelta

import pytest

from stilltrue.errors import InvalidInputError, NotFoundError, StaleJudgementError, StateError, StoreError
from stilltrue.model.archive import ARCHIVED, KeptEpisode, KeptFact
from stilltrue.model.change import JudgedPair, Link, LinkKind, Tombstone, TombstoneKind
from stilltrue.model.conflict import ConflictStatus
from stilltrue.model.decision import Action, Receipt
from stilltrue.model.episode import Span
from stilltrue.model.expert import Usage
from stilltrue.model.fact import Modality, Retirement, Standing, Tier
from stilltrue.model.job import Job
from stilltrue.model.story import StoryRun
from stilltrue.model.timeline import Interval
from stilltrue.model.verdict import Relation, Undecided
from stilltrue.ports import Filter
from tests.store.making import (
    DAY,
    SPACE,
    START,
    add,
    belief,
    conflict,
    day,
    decision,
    digest,
    episode,
    history,
    new_id,
    retire,
    source,
    statement,
    vector,
    verdict,
)

NOW = Filter(day(10))


def ids(hits):
    return [hit.fact_id for hit in hits]


# Writing and reading back


def test_a_fact_comes_back_equal(store):
    with store.write(SPACE) as tx:
        fact = add(tx, seed=1)
        assert tx.fact(SPACE, fact.id) == fact
    with store.read() as reader:
        assert reader.fact(SPACE, fact.id) == fact
        assert reader.facts(SPACE, [new_id(), fact.id, fact.id]) == [fact, fact]
        assert reader.episode(SPACE, fact.episode_id).text == fact.statement.text
        assert reader.facts_of_episode(SPACE, fact.episode_id) == [fact.id]


def test_a_space_never_written_is_empty(store):
    with store.read() as reader:
        assert reader.revision("nobody") == 0
        assert reader.near("nobody", vector(1), 5, NOW) == []
        assert reader.mentioning("nobody", ["berlin"], 5, NOW) == []
        assert reader.counts("nobody")["facts"] == 0
        assert reader.space_settings("nobody") == {}
        assert reader.spaces() == []


def test_nothing_is_kept_of_a_write_that_fails(store):
    with pytest.raises(ZeroDivisionError), store.write(SPACE) as tx:  # noqa: PT012 - a write is a block
        fact = add(tx, seed=1)
        assert ids(tx.near(SPACE, vector(1), 1, NOW)) == [fact.id]
        assert ids(tx.mentioning(SPACE, ["berlin"], 1, NOW)) == [fact.id]
        1 / 0  # noqa: B018
    with store.read() as reader:
        assert reader.spaces() == []
        assert reader.near(SPACE, vector(1), 1, NOW) == []
        assert reader.mentioning(SPACE, ["berlin"], 1, NOW) == []
        with pytest.raises(NotFoundError):
            reader.fact(SPACE, fact.id)


def test_the_same_id_twice_is_refused_and_the_first_stays(store):
    with store.write(SPACE) as tx:
        fact = add(tx)
    with pytest.raises(StoreError), store.write(SPACE) as tx:
        add(tx, "Ada lives in Rome", fact_id=fact.id)
    with store.read() as reader:
        assert reader.fact(SPACE, fact.id) == fact


def test_a_reference_to_nothing_is_refused_at_the_end_of_the_write(store):
    with pytest.raises(StoreError), store.write(SPACE) as tx:  # noqa: PT012 - a write is a block
        fact = add(tx)
        tx.set_link(SPACE, Link(LinkKind.SUPPORTS, fact.id, new_id()), present=True)
    with store.read() as reader:
        assert reader.revision(SPACE) == 0


def test_half_a_character_is_the_callers_mistake(store):
    with pytest.raises(InvalidInputError), store.write(SPACE) as tx:
        tx.add_episode(episode(tx, "half \ud800"))


def test_writes_do_not_nest(store):
    with store.write(SPACE), pytest.raises(StateError), store.write(SPACE):
        pass


def test_a_closed_store_says_so(store):
    store.close()
    with pytest.raises(StateError), store.read():
        pass
    with pytest.raises(StateError), store.write(SPACE):
        pass
    store.check_invariants = list


# Time and revisions


def test_stamps_only_grow_even_if_the_clock_goes_back(store, clock):
    stamps = []
    for by in (DAY, -5 * DAY, DAY * 0):
        clock.move(by)
        with store.write(SPACE) as tx:
            add(tx)
            stamps.append(tx.now)
    assert stamps == sorted(set(stamps))


def test_the_revision_grows_by_one_with_each_write_that_writes(store):
    with store.write(SPACE) as tx:
        add(tx)
        add(tx)
    with store.write(SPACE) as tx:
        tx.revision(SPACE)
    with store.write("bob") as tx:
        add(tx, space="bob")
    with store.read() as reader:
        assert (reader.revision(SPACE), reader.revision("bob")) == (1, 1)


def test_changed_since_sees_new_facts_of_the_subject_and_changed_beliefs(store):
    with store.write(SPACE) as tx:
        first, other = add(tx), add(tx, subject="cat")
    with store.read() as reader:
        revision = reader.revision(SPACE)
        assert not reader.changed_since(SPACE, revision, "ada", [first.id, other.id])
    with store.write(SPACE) as tx:
        tx.set_standing(SPACE, first.id, first.standing, Standing(last_seen_at=tx.now, seen_count=2))
    with store.read() as reader:
        assert reader.changed_since(SPACE, revision, "ada", [first.id])
        revision = reader.revision(SPACE)
    with store.write(SPACE) as tx:
        retire(tx, first, day(3), Retirement.RETRACTED)
        add(tx, subject="dog")
    with store.read() as reader:
        assert reader.changed_since(SPACE, revision, None, [other.id, first.id])
        assert reader.changed_since(SPACE, revision, "dog", [])
        assert not reader.changed_since(SPACE, revision, "cat", [other.id])
        assert not reader.changed_since("bob", 0, "dog", [first.id])


@pytest.mark.parametrize("what", ["a mention", "a mention less", "its turn"])
def test_changed_since_sees_what_a_judge_of_the_fact_has_to_know(store, what):
    with store.write(SPACE) as tx:
        fact, other = add(tx), add(tx, "Rome", seed=None)
        said = episode(tx, "Berlin it is")
        tx.add_episode(said)
        if what == "a mention less":
            tx.set_source(SPACE, source(tx, fact, said), present=True)
    with store.read() as reader:
        revision = reader.revision(SPACE)
    with store.write(SPACE) as tx:
        if what == "its turn":
            tx.set_vector(SPACE, fact.id, vector(3).tobytes())
        else:
            tx.set_source(SPACE, source(tx, fact, said), present=what == "a mention")
    with store.read() as reader:
        assert reader.changed_since(SPACE, revision, None, [fact.id])
        assert not reader.changed_since(SPACE, revision, "ada", [other.id])


def test_E3_decided_on_is_what_its_own_episode_said_and_what_a_decision_made_beside(store):
    with store.write(SPACE) as tx:
        own, restated, beside, kept = (add(tx, city) for city in ("Rome", "Oslo", "Bonn", "Turin"))
        made = decision(tx, own, episode_id=own.episode_id)
        again = decision(tx, restated, episode_id=own.episode_id, targets=(restated.id,))
        early = decision(tx, kept, episode_id=kept.episode_id, receipt=Receipt(rule="kept", reason=""))
        for one in (made, again, early):
            tx.add_decision(one)
            tx.add_history(history(tx, one))
        tx.add_history(history(tx, made, fact_id=beside.id))
    with store.read() as reader:
        ids = [own.id, restated.id, beside.id, kept.id]
        assert reader.decided(SPACE, ids, "kept", [Action.UNDO]) == {own.id, beside.id}


# Beliefs


def test_a_belief_is_closed_and_followed_never_rewritten(store, clock):
    with store.write(SPACE) as tx:
        fact = add(tx)
        first = tx.now
    clock.move()
    with store.write(SPACE) as tx:
        retire(tx, fact, day(5), Retirement.SUPERSEDED, superseded_by=add(tx, "Rome").id)
        second = tx.now
    with store.read() as reader:
        old, new = reader.beliefs(SPACE, fact.id)
        assert old.known == Interval(first, second)
        assert old.valid == Interval(START, None)
        assert (new.known, new.valid, new.retirement) == (Interval(second), Interval(START, day(5)), "superseded")
        assert reader.fact(SPACE, fact.id).belief == new


def test_a_belief_that_changed_meanwhile_is_not_overwritten(store):
    with store.write(SPACE) as tx:
        fact = add(tx)
    with store.write(SPACE) as tx:
        retire(tx, fact, day(3), Retirement.RETRACTED)
    for before in (fact.belief, None):
        with pytest.raises(StaleJudgementError), store.write(SPACE) as tx:
            tx.set_belief(SPACE, fact.id, before, belief(tx, end=day(9)))
    with store.read() as reader:
        assert len(reader.beliefs(SPACE, fact.id)) == 2


def test_saying_the_same_again_changes_nothing(store):
    with store.write(SPACE) as tx:
        fact = add(tx)
    with store.write(SPACE) as tx:
        tx.set_belief(SPACE, fact.id, fact.belief, belief(tx))
    with store.read() as reader:
        assert reader.beliefs(SPACE, fact.id) == (fact.belief,)


def test_a_belief_opened_and_changed_in_one_write_leaves_one_row(store, clock):
    with store.write(SPACE) as tx:
        fact = add(tx)
    clock.move()
    with store.write(SPACE) as tx:
        retire(tx, fact, day(3), Retirement.RETRACTED)
        retire(tx, fact, day(2), Retirement.CORRECTED)
        fresh = add(tx, "Rome")
        tx.set_belief(SPACE, fresh.id, fresh.belief, None)
    with store.read() as reader:
        assert [item.retirement for item in reader.beliefs(SPACE, fact.id)] == [None, "corrected"]
        assert reader.beliefs(SPACE, fresh.id) == ()
        assert reader.fact(SPACE, fresh.id).belief is None


def test_a_withdrawn_fact_may_be_believed_again(store, clock):
    with store.write(SPACE) as tx:
        fact = add(tx)
    clock.move()
    with store.write(SPACE) as tx:
        tx.set_belief(SPACE, fact.id, fact.belief, None)
    with store.read() as reader:
        assert reader.fact(SPACE, fact.id).belief is None
        assert reader.in_slot(SPACE, "ada", "home") == []
    clock.move()
    with store.write(SPACE) as tx:
        tx.set_belief(SPACE, fact.id, None, belief(tx))
    with store.read() as reader:
        assert len(reader.beliefs(SPACE, fact.id)) == 2
        assert reader.in_slot(SPACE, "ada", "home")[0].id == fact.id


# Current, past, and what was believed


@pytest.fixture
def moves(store, clock):
    """Berlin until day 5 (told on day 2), then Rome; Oslo was never true (told on day 3)."""
    with store.write(SPACE) as tx:
        berlin = add(tx, "Ada lives in Berlin", seed=1)
        oslo = add(tx, "Ada lives in Oslo", seed=2)
        plan = add(tx, "Ada will live in Lima", seed=3, start=day(50))
    clock.at = day(2)
    with store.write(SPACE) as tx:
        rome = add(tx, "Ada lives in Rome", seed=4, start=day(5), supersedes=(berlin.id,))
        retire(tx, berlin, day(5), Retirement.SUPERSEDED, superseded_by=rome.id)
    clock.at = day(3)
    with store.write(SPACE) as tx:
        retire(tx, oslo, None, Retirement.CORRECTED, contradicted_by=rome.id)
    clock.at = day(10)
    return {"berlin": berlin.id, "oslo": oslo.id, "rome": rome.id, "lima": plan.id}


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (Filter(day(10)), {"rome"}),
        (Filter(day(5)), {"rome"}),
        (Filter(day(4)), {"berlin"}),
        (Filter(day(60)), {"rome", "lima"}),
        (Filter(START - DAY), set()),
        (Filter(day(10), include_superseded=True), {"berlin", "rome", "lima"}),
        (Filter(day(10), day(1)), {"berlin", "oslo"}),
        (Filter(day(10), day(2)), {"oslo", "rome"}),
        (Filter(day(1), day(3)), {"berlin"}),
        (Filter(day(1), day(1), include_superseded=True), {"berlin", "oslo", "lima"}),
        (Filter(day(10), START - DAY), set()),
    ],
)
def test_every_reader_shares_one_meaning_of_current(store, moves, where, expected):
    wanted = {moves[name] for name in expected}
    with store.read() as reader:
        assert {fact.id for fact in reader.lookup(SPACE, "ada", "home", where)} == wanted
        assert set(ids(reader.near(SPACE, vector(1), 10, where))) == wanted
        assert set(ids(reader.mentioning(SPACE, ["lives", "live"], 10, where))) == wanted
    with store.write(SPACE) as tx:  # the same inside a transaction that has written
        tx.put_space_settings(SPACE, {})
        assert set(ids(tx.near(SPACE, vector(1), 10, where))) == wanted
        assert set(ids(tx.mentioning(SPACE, ["live"], 10, where))) == wanted


def test_the_past_is_ranked_among_the_facts_of_its_time(store, clock):
    with store.write(SPACE) as tx:
        old = add(tx, "the deploy day is Friday", seed=1, end=day(1))
        for number in range(200):
            add(tx, f"the deploy day is number {number}", seed=1, start=day(1))
    clock.at = day(10)
    with store.read() as reader:
        where = Filter(START)
        assert ids(reader.near(SPACE, vector(1), 3, where)) == [old.id]
        assert ids(reader.mentioning(SPACE, ["deploy"], 3, where)) == [old.id]


@pytest.fixture
def voices(store, moves, clock):
    """The moves, which nobody in particular told; what ann says of the same slot; and a hundred facts by ben."""
    with store.write(SPACE) as tx:
        bonn = add(tx, "Ada lives in Bonn", seed=5, end=day(12), author="ann")
        kiel = add(tx, "Ada lives in Kiel", seed=6, author="ann")
        add(tx, "Ada lives in Riga", seed=6, author="ann", start=day(50))
        for number in range(100):
            add(tx, f"Ada lives in house {number}", seed=1, author="ben")
    clock.at = day(11)
    with store.write(SPACE) as tx:
        retire(tx, kiel, None, Retirement.CORRECTED)
    with store.write("other") as tx:
        add(tx, "Ada lives in Bonn", seed=5, space="other", author="ann")
    clock.at = day(12)
    return {"bonn": bonn.id, "kiel": kiel.id}


@pytest.mark.parametrize(
    "where",
    [
        Filter(day(11)),
        Filter(day(12)),
        Filter(day(60)),
        Filter(day(11), day(10)),
        Filter(day(12), include_superseded=True),
        Filter(day(12), day(10), include_superseded=True),
    ],
)
def test_E10_an_author_narrows_every_index_and_changes_no_score_and_no_order(store, voices, where):
    with store.read() as reader:
        facts = reader.facts(SPACE, [fact_id for _, fact_id in reader.stored_order(SPACE, 0, 999)])
        for author, count in (("ann", 3), ("ben", 100), ("Ann", 0), ("zoe", 0)):
            said = {fact.id for fact in facts if fact.statement.author == author}
            assert len(said) == count
            theirs = replace(where, author=author)
            assert found_by(reader, theirs) == [
                [one for one in told if named(one) in said] for told in found_by(reader, where)
            ]


def found_by(reader, where):
    """All that each index finds."""
    return [
        reader.near(SPACE, vector(1), 999, where),
        reader.mentioning(SPACE, ["live", "house"], 999, where),
        reader.lookup(SPACE, "ada", "home", where),
        reader.ids_in_slot(SPACE, "ada", None, 999, where),
        reader.stored_order(SPACE, 0, 999, where),
    ]


def named(one):
    """The id of a fact, in the words of each index."""
    if isinstance(one, tuple):
        return one[1]
    return one if isinstance(one, str) else getattr(one, "fact_id", None) or one.id


def test_E10_an_author_is_asked_for_before_the_limit_and_not_after(store, voices):
    def only_bonn(reader):
        where = Filter(day(11), author="ann")
        assert ids(reader.near(SPACE, vector(1), 1, where)) == [voices["bonn"]]
        assert ids(reader.mentioning(SPACE, ["lives"], 1, where)) == [voices["bonn"]]
        assert reader.ids_in_slot(SPACE, "ada", "home", 1, where) == [voices["bonn"]]
        assert [fact_id for _, fact_id in reader.stored_order(SPACE, 0, 1, where)] == [voices["bonn"]]

    with store.read() as reader:
        only_bonn(reader)
    with store.write(SPACE) as tx:  # the same inside a transaction that has written
        add(tx, "Ada lives in house 100", seed=1, author="ben")
        only_bonn(tx)


def test_E10_the_order_in_which_facts_were_stored_is_told_of_those_admitted(store, moves):
    with store.read() as reader:
        everything = reader.stored_order(SPACE, 0, 99)
        for where in (
            Filter(day(10)),
            Filter(day(4)),
            Filter(day(10), day(2)),
            Filter(day(60), include_superseded=True),
        ):
            admitted = {fact.id for fact in reader.lookup(SPACE, "ada", None, where)}
            assert reader.stored_order(SPACE, 0, 99, where) == [one for one in everything if one[1] in admitted]
        (first, *_), (place, *_) = everything, everything[0]
        assert reader.stored_order(SPACE, place, 99, Filter(day(4))) == []
        assert reader.stored_order(SPACE, 0, 99, Filter(day(4))) == [first]


@pytest.mark.parametrize("author", ["", "  ", "\n"])
def test_E10_a_blank_author_is_no_author(author):
    with pytest.raises(InvalidInputError, match="the author is empty"):
        Filter(day(1), author=author)


def test_lookup_with_known_at_tells_what_was_believed_then(store, moves):
    with store.read() as reader:
        (fact,) = [
            item for item in reader.lookup(SPACE, "ada", None, Filter(day(1), day(1))) if item.id == moves["berlin"]
        ]
        assert fact.belief.valid.end is None
        assert [item.id for item in reader.lookup(SPACE, "ada", None, Filter(day(60)))] == [
            moves["lima"],
            moves["rome"],
        ]
        assert [item.id for item in reader.in_slot(SPACE, "ada", "home")][-1] == moves["lima"]
        assert reader.counts(SPACE)["current"] == 1
        assert reader.counts(SPACE)["retired_corrected"] == 1


def test_search_follows_every_write(store, clock):
    with store.write(SPACE) as tx:
        first = add(tx, "tea is green", seed=1)
    with store.read() as reader:
        assert (
            ids(reader.near(SPACE, vector(1), 5, NOW)) == ids(reader.mentioning(SPACE, ["tea"], 5, NOW)) == [first.id]
        )
    with store.write(SPACE) as tx:
        second = add(tx, "tea is black", seed=2)
        late = add(tx, "tea is white")
    with store.write(SPACE) as tx:
        retire(tx, first, day(1), Retirement.RETRACTED)
        tx.set_vector(SPACE, late.id, vector(3).tobytes())
    with store.read() as reader:
        assert ids(reader.near(SPACE, vector(3), 5, NOW))[0] == late.id
        assert set(ids(reader.near(SPACE, vector(1), 5, NOW))) == {second.id, late.id}
        assert set(ids(reader.mentioning(SPACE, ["tea"], 5, NOW))) == {second.id, late.id}


def test_words_are_stemmed_folded_ranked_and_never_syntax(store):
    with store.write(SPACE) as tx:
        both = add(tx, "Ada enjoys café crème", seed=1)
        one = add(tx, "Ada enjoyed a long walk through the old town by the river")
        add(tx, "nothing of it")
    with store.read() as reader:
        assert ids(reader.mentioning(SPACE, ["enjoying", "CAFE"], 5, NOW)) == [both.id, one.id]
        assert all(hit.score > 0 for hit in reader.mentioning(SPACE, ["ada"], 5, NOW))
        for hostile in (
            '"',
            "*",
            "NEAR(",
            "text:ada",
            "a OR b",
            "^ada",
            "-ada",
            "'; DROP TABLE facts; --",
            "\x00",
            "{x}",
        ):
            reader.mentioning(SPACE, [hostile, "AND", "NOT"], 5, NOW)
        assert reader.mentioning(SPACE, ["?!", ""], 5, NOW) == []
        assert reader.mentioning(SPACE, ["ada"], 0, NOW) == []


def test_a_vector_of_another_length_is_refused(store):
    with pytest.raises(InvalidInputError), store.write(SPACE) as tx:  # noqa: PT012 - a write is a block
        fact = add(tx)
        tx.set_vector(SPACE, fact.id, b"1234")


# Everything around a fact


def test_sources_links_standing_and_supersedes(store):
    with store.write(SPACE) as tx:
        one, two, three = add(tx), add(tx, "Rome"), add(tx, "Oslo")
        said = episode(
            tx, "I told you: Berlin!", said_at=START - DAY, author="ada", role="user", origin="chat:1", topic="home"
        )
        tx.add_episode(said)
        again = source(
            tx, one, said, span=Span(12, 18), quote="Berlin", held_from=START, author="ada", independent=False
        )
        tx.set_source(SPACE, again, present=True)
        tx.set_source(SPACE, again, present=True)
        new = add(tx, "Lima", supersedes=(three.id, one.id))
        for link in (Link(LinkKind.SUPPORTS, two.id, one.id), Link(LinkKind.SUPERSEDES, new.id, two.id)):
            tx.set_link(SPACE, link, present=True)
            tx.set_link(SPACE, link, present=True)
        standing = Standing(importance=0.1, last_seen_at=day(3), seen_count=7, tier=Tier.COLD)
        tx.set_standing(SPACE, one.id, one.standing, standing)
        assert tx.fact(SPACE, one.id).standing.tier is Tier.HOT
        tx.set_tier(SPACE, one.id, Tier.HOT, Tier.COLD, None)
    with store.read() as reader:
        assert reader.sources(SPACE, one.id)[0] == again
        assert len(reader.sources(SPACE, one.id)) == 2
        assert reader.fact(SPACE, new.id).supersedes == (three.id, one.id, two.id)
        assert reader.fact(SPACE, one.id).standing == standing
        assert reader.episode_of_origin(SPACE, "chat:1") == said
        assert reader.episode_of_origin("bob", "chat:1") is None
        assert said in reader.episodes_from(SPACE, "chat:")
        assert reader.episodes_from(SPACE, "chat:1\U0010ffff") == reader.episodes_from("bob", "chat:") == []
        assert {link.kind for link in reader.links(SPACE, one.id)} == {LinkKind.SUPPORTS, LinkKind.SUPERSEDES}
        assert reader.with_hash(SPACE, exact=digest("Rome")) == reader.with_hash(SPACE, normal=digest("rome")) == [two]
        assert reader.with_hash(SPACE) == []
    with store.write(SPACE) as tx:
        tx.set_source(SPACE, again, present=False)
        tx.set_link(SPACE, Link(LinkKind.SUPERSEDES, new.id, two.id), present=False)
        tx.record_recalls(SPACE, [one.id, one.id, two.id])
        tx.record_recalls(SPACE, [one.id])
        assert tx.fact(SPACE, new.id).supersedes == (three.id, one.id)
        assert len(tx.sources(SPACE, one.id)) == 1
        tx.record_recalls(SPACE, [two.id, "nobody"], at=day(9), times=3)
        assert tx.recalls(SPACE, [one.id, two.id, three.id, "nobody"]) == {one.id: 2, two.id: 4}


def test_decisions_and_history_come_back_in_order(store):
    with store.write(SPACE) as tx:
        old = add(tx)
        new = add(tx, "Rome")
        made = decision(tx, new, considered=(old,), targets=(old.id,), author="ada", episode_id=new.episode_id)
        undecided = replace(decision(tx, considered=()), batch_id=made.batch_id)
        for item in (made, undecided):
            tx.add_decision(item)
        rows = [history(tx, made, payload={"n": number, "text": 'a "quote" — ünïcode'}) for number in range(3)]
        for row in rows:
            tx.add_history(row)
    with store.read() as reader:
        assert reader.decision(SPACE, made.id) == made
        assert reader.decisions(SPACE, fact_id=old.id) == reader.decisions(SPACE, fact_id=new.id) == [made]
        assert reader.decisions(SPACE, batch_id=made.batch_id) == [made, undecided]
        later = undecided.decided_at + timedelta(microseconds=1)
        assert reader.decisions(SPACE, since=undecided.decided_at)[-1] == undecided
        assert reader.decisions(SPACE, since=later) == []
        found = reader.history(SPACE, decision_id=made.id)
        assert [replace(row, seq=0) for row in found] == rows
        assert [row.seq for row in found] == sorted({row.seq for row in found})
        assert reader.history(SPACE, fact_id=new.id, kind="fact_added", batch_id=made.batch_id) == found
        assert reader.history(SPACE, kind="other") == []


def test_conflicts_are_one_per_set_of_facts(store):
    with store.write(SPACE) as tx:
        one, two = add(tx), add(tx, "Rome")
        opened = conflict(tx, [one, two])
        tx.put_conflict(opened)
        closed = replace(opened, status=ConflictStatus.DISMISSED, closed_at=tx.now, reason="both")
    with store.read() as reader:
        assert reader.conflict_about(SPACE, [two.id, one.id]) == opened
        assert reader.conflict_about(SPACE, [one.id]) is None
        assert reader.conflicts(SPACE, ConflictStatus.OPEN) == reader.conflicts(SPACE, None) == [opened]
    with store.write(SPACE) as tx:
        tx.put_conflict(closed)
    with pytest.raises(StoreError), store.write(SPACE) as tx:
        tx.put_conflict(conflict(tx, [two, one]))
    with store.read() as reader:
        assert reader.conflict(SPACE, opened.id) == closed
        assert reader.counts(SPACE)["conflicts_dismissed"] == 1
    with store.write(SPACE) as tx:
        tx.drop_conflict(SPACE, opened.id)
        assert tx.conflict_about(SPACE, [one.id, two.id]) is None
        with pytest.raises(NotFoundError):
            tx.drop_conflict(SPACE, opened.id)


def test_a_pair_is_judged_once_in_whichever_order(store):
    with store.write(SPACE) as tx:
        one, two = add(tx), add(tx, "Rome")
        tx.put_judged(SPACE, JudgedPair(one.id, two.id, Undecided("no judge"), "v1"))
        assert len(tx.judged(SPACE, undecided_only=True)) == 1
        later = JudgedPair(two.id, one.id, verdict(relation=Relation.NONE), "v2")
        tx.put_judged(SPACE, later)
    with store.read() as reader:
        assert reader.judged(SPACE) == [later]
        assert reader.judged(SPACE, undecided_only=True) == []


def test_tombstones_are_found_by_subject_and_by_text(store):
    never = Tombstone(
        kind=TombstoneKind.NEVER_TRUE, subject="ada", attribute="home", value_key="oslo", text_hash=None, at=START
    )
    gone = Tombstone(kind=TombstoneKind.ERASED, subject=None, attribute=None, value_key=None, text_hash="h", at=day(1))
    with store.write(SPACE) as tx:
        for mark in (never, gone, never):
            tx.set_tombstone(SPACE, mark, present=True)
    with store.read() as reader:
        assert reader.tombstones(SPACE, "ada", "h") == [never, gone]
        assert reader.tombstones(SPACE, "bob", "") == []
    with store.write(SPACE) as tx:
        tx.set_tombstone(SPACE, never, present=False)
        assert tx.tombstones(SPACE, "ada", "h") == [gone]


def test_jobs_settings_members(store):
    with store.write(SPACE) as tx:
        jobs = [Job(id=f"job-{n}", space_id=SPACE, kind="judge", payload={"n": n}, due_at=day(3 - n)) for n in range(3)]
        for job in jobs:
            tx.add_job(job)
        tx.put_space_settings(SPACE, {"search_limit": 5, "author_trust": {"ada": 0.9}})
        tx.put_members(SPACE, ["bob", "ada", "bob"])
    with store.read() as reader:
        assert reader.jobs(SPACE, day(2), 5) == [jobs[2], jobs[1]]
        assert reader.jobs(SPACE, day(3), 1) == [jobs[2]]
        assert reader.counts(SPACE)["jobs"] == 3
        assert reader.space_settings(SPACE) == {"search_limit": 5, "author_trust": {"ada": 0.9}}
        assert reader.members(SPACE) == ("bob", "ada")
    with store.write(SPACE) as tx:
        tx.finish_job(SPACE, jobs[0].id)
        tx.put_members(SPACE, [])
        assert tx.jobs(SPACE, day(9), 9) == [jobs[2], jobs[1]]
        assert tx.members(SPACE) == ()


OTHER = "bob"


def test_B8_a_job_that_waits_already_does_for_both(store):
    first, second = (Job(id="story", space_id=SPACE, kind="story", payload={"n": n}, due_at=day(n)) for n in (1, 2))
    for job in (first, second):
        with store.write(SPACE) as tx:
            tx.wake_job(job)
    with store.read() as reader:
        assert reader.jobs(SPACE, day(9), 9) == [first]
        assert (reader.counts(SPACE)["jobs"], reader.counts(SPACE)["story_waiting"]) == (0, 1)
    with store.write(SPACE) as tx:
        tx.finish_job(SPACE, "story")
        tx.wake_job(second)
        assert tx.jobs(SPACE, day(9), 9) == [second]


def test_B7_readings_of_a_story_are_kept_newest_first(store):
    made = [
        StoryRun(id=f"run-{n}", space_id=SPACE, at=START, seed="s", facts=9, told=8, chapters=7, found=6, opened=3)
        for n in range(3)
    ]
    made[1] = replace(made[1], known=2, dropped=1, failure="llm: down")
    with store.write(SPACE) as tx:
        for run in made:
            tx.add_story_run(run)
    with store.read() as reader:
        assert reader.story_runs(SPACE, 2) == [made[2], made[1]]
        assert reader.story_runs(OTHER, 2) == []
        counts = reader.counts(SPACE)
    assert [counts[name] for name in ("story_runs", "story_failed", "story_dropped")] == [3, 1, 1]


def test_B1_a_story_is_told_of_what_is_believed_in_the_order_said(store):
    with store.write(SPACE) as tx:
        late = add(tx, "Ada lives in Bonn", said_at=day(3))
        early = add(tx, "Ada lives in Berlin", said_at=day(1), end=day(3))
        add(tx, "Does Ada live in Rome?", modality=Modality.QUESTION)
        wrong = add(tx, "Ada lives in Paris")
        retire(tx, wrong, day(9), Retirement.CORRECTED)
        before = tx.revision(SPACE)
    with store.read() as reader:
        told = reader.outlines(SPACE)
        assert [one.id for one in told] == [early.id, late.id]
        assert (told[0].subject, told[0].attribute, told[0].said_at) == ("ada", "home", day(1))
        assert reader.outlines(OTHER) == []
        assert not reader.added_since(SPACE, before)
        assert reader.added_since(SPACE, before - 1)


def test_B4_what_was_judged_together_is_found_from_either_side(store):
    with store.write(SPACE) as tx:
        one, two, three = (add(tx, f"Ada owns {thing}") for thing in ("a cat", "a dog", "a bird"))
        tx.put_judged(SPACE, JudgedPair(two.id, one.id, Undecided("no judge"), "v1"))
    with store.read() as reader:
        assert reader.judged_beside(SPACE, [one.id]) == {two.id}
        assert reader.judged_beside(SPACE, [two.id]) == {one.id}
        assert reader.judged_beside(SPACE, [three.id]) == reader.judged_beside(OTHER, [one.id]) == set()


# Ids and other spaces


def test_ids_are_found_by_their_ends(store):
    with store.write(SPACE) as tx:
        one = add(tx, fact_id="00000000-0000-4000-8000-00000000abcd")
        add(tx, fact_id="00000000-0000-4000-8000-11111111abcd")
        made = decision(tx, one)
        tx.add_decision(made)
        tx.add_history(history(tx, made))
    with store.read() as reader:
        assert reader.find_id(SPACE, "facts", "0000ABCD") == one.id
        assert reader.find_id(SPACE, "facts", one.id) == one.id
        assert reader.find_id(SPACE, "batches", made.batch_id[:8]) == made.batch_id
        assert reader.find_id(SPACE, "episodes", one.episode_id[-8:]) == one.episode_id
        for fragment, error in (
            ("abcd", InvalidInputError),
            ("00000000-0000", InvalidInputError),
            ("%%%%%%%%", NotFoundError),
        ):
            with pytest.raises(error):
                reader.find_id(SPACE, "facts", fragment)
        with pytest.raises(InvalidInputError):
            reader.find_id(SPACE, "secrets", "00000000")


def test_another_spaces_ids_are_as_unknown_as_no_ids_at_all(store):
    with store.write("bob") as tx:
        theirs = add(tx, "Bob lives in Rome", seed=1, space="bob", subject="ada")
        made = decision(tx, theirs, space="bob")
        tx.add_decision(made)
        tx.add_history(history(tx, made))
        fight = conflict(tx, [theirs], space_id="bob")
        tx.put_conflict(fight)
    with store.write(SPACE) as tx:
        add(tx, "Ada lives in Oslo", seed=2)
    nobody = new_id()
    with store.read() as reader:
        for verb, identifier in (
            (reader.fact, theirs.id),
            (reader.episode, theirs.episode_id),
            (reader.facts_of_episode, theirs.episode_id),
            (reader.decision, made.id),
            (reader.conflict, fight.id),
        ):
            messages = []
            for asked in (identifier, nobody):
                with pytest.raises(NotFoundError) as caught:
                    verb(SPACE, asked)
                messages.append(str(caught.value).replace(asked, "ID"))
            assert messages[0] == messages[1]
        assert reader.facts(SPACE, [theirs.id]) == []
        assert reader.lookup(SPACE, "ada", None, NOW)[0].statement.text == "Ada lives in Oslo"
        assert theirs.id not in ids(reader.near(SPACE, vector(1), 9, NOW))
        assert reader.mentioning(SPACE, ["rome"], 9, NOW) == []
        assert (
            reader.sources(SPACE, theirs.id) == reader.links(SPACE, theirs.id) == reader.beliefs(SPACE, theirs.id) == ()
        )
        assert reader.history(SPACE, fact_id=theirs.id) == reader.decisions(SPACE, fact_id=theirs.id) == []
        assert reader.conflicts(SPACE, None) == []
    for act in (
        lambda tx: tx.set_belief(SPACE, theirs.id, theirs.belief, None),
        lambda tx: tx.set_standing(SPACE, theirs.id, theirs.standing, theirs.standing),
        lambda tx: tx.set_vector(SPACE, theirs.id, vector(1).tobytes()),
        lambda tx: tx.erase(SPACE, [theirs.id], []),
        lambda tx: tx.erase(SPACE, [], [theirs.episode_id]),
        lambda tx: tx.drop_conflict(SPACE, fight.id),
    ):
        with pytest.raises(NotFoundError), store.write(SPACE) as tx:
            act(tx)
    with pytest.raises(InvalidInputError), store.write(SPACE) as tx:
        tx.add_episode(episode(tx, "in the wrong space", space_id="bob"))
    with pytest.raises(StoreError), store.write(SPACE) as tx:
        tx.set_link(SPACE, Link(LinkKind.SUPPORTS, tx.in_slot(SPACE, "ada", None)[0].id, theirs.id), present=True)


def test_a_statement_is_kept_word_for_word(store):
    text = "Zürich — “naïve” \N{ROCKET} \x00 tab\t'; DROP TABLE facts; --\n中文"
    with store.write(SPACE) as tx:
        fact = add(tx, text, attribute=None)
        assert tx.fact(SPACE, fact.id).statement == statement(tx, text, attribute=None)


def test_C3_replies_are_kept_until_something_is_erased_and_usage_adds_up_by_day(store):
    first, second = START.date(), day(1).date()
    with store.write(SPACE) as transaction:
        transaction.put_reply(SPACE, "key", '{"a": 1}')
        transaction.put_reply(SPACE, "key", '{"a": 2}')
        transaction.add_usage(SPACE, first, Usage(1, 100, 2))
        transaction.add_usage(SPACE, first, Usage(2, 50, 0))
        transaction.add_usage(SPACE, second, Usage(1, 1, 1))
    with store.read() as reader:
        assert (reader.reply(SPACE, "key"), reader.reply(SPACE, "other"), reader.reply("else", "key")) == (
            '{"a": 2}',
            None,
            None,
        )
        assert reader.usage(SPACE, first) == Usage(3, 150, 2)
        assert reader.usage(SPACE) == Usage(4, 151, 3)
        assert reader.usage("else") == reader.usage(SPACE, day(5).date()) == Usage()


def test_E12_a_space_leaves_as_records_and_comes_to_lie_elsewhere_as_it_was(store):
    with store.write(SPACE) as tx:
        old = add(tx, "User lives in Oslo.", seed=1)
        new = add(tx, "User lives in Rome.", seed=2)
        tx.put_members(SPACE, ["ada"])
        tx.put_space_settings(SPACE, {"max_candidates": 7})
        tx.record_recalls(SPACE, [old.id])
    with store.write(SPACE) as tx:
        tx.set_link(SPACE, Link(LinkKind.SUPERSEDES, new.id, old.id), present=True)
        tx.put_judged(SPACE, JudgedPair(old.id, new.id, Undecided("nobody could tell"), "v1"))
    with store.read() as reader:
        told = list(reader.archived(SPACE))
        assert list(reader.archived("nobody")) == []
    kinds = [type(record) for record in told]
    assert sorted(kinds, key=ARCHIVED.index) == kinds  # a space comes in the order that is written down
    with pytest.raises(StateError), store.write(SPACE) as tx:
        tx.restore(SPACE, told[0])
    twin = "twin"
    with store.write(twin) as tx:
        for record in told:
            tx.restore(twin, _moved(record, twin), vector(1).tobytes() if isinstance(record, KeptFact) else None)
    with store.read() as reader:
        assert [_moved(record, SPACE) for record in reader.archived(twin)] == told
        assert reader.members(twin) == ("ada",)
        assert reader.revision(twin) == reader.revision(SPACE)
        assert [hit.fact_id for hit in reader.mentioning(twin, ["rome"], 5, NOW)] == [new.id]
        assert {hit.fact_id for hit in reader.near(twin, vector(1), 5, NOW)} == {old.id, new.id}
    assert store.check_invariants() == []


def _moved(record, space):
    if isinstance(record, KeptEpisode):
        return replace(record, episode=replace(record.episode, space_id=space))
    if isinstance(record, KeptFact):
        return replace(record, fact=replace(record.fact, space_id=space))
    return record
