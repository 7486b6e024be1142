"""What becomes of a question: opened once, answered for good, undone, asked again only with something new."""

import pytest

from stilltrue.errors import StaleJudgementError, StateError
from stilltrue.model.fact import Status
from stilltrue.write import resolve
from tests.flow.canon import snapshot
from tests.flow.teller import day

ARC = (
    ("2024-01-15", "ana", "api", "We use REST."),
    ("2024-06-10", "ben", "web", "We switched to GraphQL."),
    ("2024-10-14", "cy", "mobile", "The API is REST-based."),
)
STALE = (
    ("2024-01-10", "ana", "infra", "Postgres 14 is our database version."),
    ("2024-09-03", "ben", "migrations", "The Postgres 17 migration plan is finished."),
)
LIMITS = (
    ("2025-02-11T09:00", "lea", "legal", "The log retention period is 30 days."),
    ("2025-02-11T11:00", "ben", "infra", "The log retention period is 90 days."),
)


def tell(story, *events):
    for at, author, topic, text in events:
        story.clock.set(max(day(at), story.clock.now()) if story.clock.now().year > 2023 else day(at))
        story.memory.remember(text, author=author, topic=topic, said_at=day(at))


def begun(stories, events, **how):
    story = stories(**how)
    story.clock.set(day(events[0][0]))
    tell(story, *events)
    (card,) = story.conflicts()
    story.clock.advance(3600)
    return story, card


def fact(card, text):
    return next(item.id for item in card.facts if text in item.text)


def status(story, fact_id):
    with story.memory.engine.store.read() as reader:
        return reader.fact(story.memory.space, fact_id).status(story.clock.now())


def ids_of(story):
    with story.memory.engine.store.read() as reader:
        return [fact_id for _, fact_id in reader.stored_order(story.memory.space, 0, 99)]


def current(story, query):
    return [result.text for result in story.memory.search(query).results]


# Reversals and stale claims, answered


def test_B12_keeping_the_middle_of_a_reversal_makes_it_hold_again(stories):
    story, card = begun(stories, ARC)
    middle, last = fact(card, "GraphQL"), fact(card, "REST-based")
    story.memory.resolve(card.conflict.id, "keep", keep=middle)
    assert (status(story, middle), status(story, last)) == (Status.ACTIVE, Status.SUPERSEDED)
    assert status(story, fact(card, "We use REST")) is Status.SUPERSEDED
    assert story.conflicts() == ()


def test_B12_keeping_the_last_of_a_reversal_leaves_the_past_as_it_was(stories):
    story, card = begun(stories, ARC)
    with story.memory.engine.store.read() as reader:
        first = reader.fact(story.memory.space, fact(card, "We use REST")).belief
    story.memory.resolve(card.conflict.id, "keep", keep=fact(card, "REST-based"))
    with story.memory.engine.store.read() as reader:
        assert reader.fact(story.memory.space, fact(card, "We use REST")).belief == first
    assert status(story, fact(card, "REST-based")) is Status.ACTIVE
    assert status(story, fact(card, "GraphQL")) is Status.SUPERSEDED


def test_B12_the_last_of_a_reversal_never_was_true_so_the_middle_goes_on(stories):
    story, card = begun(stories, ARC)
    story.memory.resolve(card.conflict.id, "never_true", keep=fact(card, "REST-based"))
    assert status(story, fact(card, "REST-based")) is Status.CORRECTED
    assert status(story, fact(card, "GraphQL")) is Status.ACTIVE


def test_B12_a_claim_that_still_holds_denies_no_news(stories):
    story, card = begun(stories, STALE)
    story.memory.resolve(card.conflict.id, "keep", keep=fact(card, "Postgres 14"))
    assert {status(story, item.id) for item in card.facts} == {Status.ACTIVE}
    assert story.memory.detect().opened == ()


def test_B12_a_stale_claim_ends_when_the_news_is_kept(stories):
    story, card = begun(stories, STALE)
    story.memory.resolve(card.conflict.id, "keep", keep=fact(card, "Postgres 17"))
    assert status(story, fact(card, "Postgres 14")) is Status.SUPERSEDED
    assert status(story, fact(card, "Postgres 17")) is Status.ACTIVE


def test_B12_both_with_a_condition_narrows_one_by_a_qualifier(stories):
    story, card = begun(stories, LIMITS)
    story.memory.resolve(card.conflict.id, "both", keep=fact(card, "90 days"), condition="for audit logs")
    shown = story.memory.search("log retention period").results
    assert {result.qualifiers for result in shown} == {(), (("condition", "for audit logs"),)}
    assert story.memory.detect().opened == ()


def test_B12_what_both_with_a_condition_makes_is_found_by_meaning(stories):
    story, card = begun(stories, LIMITS)
    before = set(ids_of(story))
    story.memory.resolve(card.conflict.id, "both", keep=fact(card, "90 days"), condition="premium customers")
    made = set(ids_of(story)) - before
    assert len(made) == 1
    with story.memory.engine.store.read() as reader:
        assert reader.without_vector(story.memory.space, [*made]) == set()
    found = story.memory.search("how many days do paying clients' records stay?").results
    assert made <= {result.id for result in found}


ANSWERS = {
    "keep": lambda card: {"answer": "keep", "keep": card.facts[-1].id},
    "keep the other": lambda card: {"answer": "keep", "keep": card.facts[0].id},
    "keep the middle": lambda card: {"answer": "keep", "keep": card.facts[len(card.facts) // 2].id},
    "never true": lambda card: {"answer": "never_true", "keep": card.facts[-1].id},
    "both": lambda card: {"answer": "both"},
    "both on a condition": lambda card: {"answer": "both", "keep": card.facts[-1].id, "condition": "on Sundays"},
    "dismiss": lambda card: {"answer": "dismiss"},
}


@pytest.mark.parametrize("events", [ARC, STALE, LIMITS], ids=["reversal", "stale", "ambiguity"])
@pytest.mark.parametrize("name", list(ANSWERS))
def test_B12_F4_every_answer_is_a_decision_that_can_be_undone(stories, name, events):
    story, card = begun(stories, events)
    before = snapshot(story.memory)
    reply = ANSWERS[name](card)
    made = story.memory.resolve(card.conflict.id, reply.pop("answer"), reason="asked the team", **reply)
    assert made.action.value == "RESOLVE"
    with story.memory.engine.store.read() as reader:
        assert reader.history(story.memory.space, decision_id=made.id) != []
    assert story.conflicts() == ()
    story.memory.undo(made.id)
    assert snapshot(story.memory) == before
    assert [one.conflict.id for one in story.conflicts()] == [card.conflict.id]


# Once is enough


@pytest.mark.parametrize("events", [ARC, STALE, LIMITS], ids=["reversal", "stale", "ambiguity"])
@pytest.mark.parametrize("name", list(ANSWERS))
def test_B6_the_same_facts_are_not_asked_about_again(stories, name, events):
    story, card = begun(stories, events)
    assert story.memory.detect().opened == ()
    reply = ANSWERS[name](card)
    story.memory.resolve(card.conflict.id, reply.pop("answer"), **reply)
    assert story.memory.detect().opened == ()
    assert [one.conflict.id for one in story.conflicts(None)] == [card.conflict.id]


def test_B6_new_evidence_asks_again_and_names_the_answer(stories):
    story, card = begun(stories, STALE)
    story.memory.resolve(card.conflict.id, "dismiss")
    tell(story, ("2025-03-01", "ben", "migrations", "The Postgres 17 cutover of all services is complete."))
    (again,) = story.conflicts()
    assert again.conflict.id != card.conflict.id
    assert fact(again, "Postgres 14") == fact(card, "Postgres 14")
    assert "asked again" in again.conflict.reason
    assert "dismissed" in again.conflict.reason


def test_B6_what_was_known_when_it_was_dismissed_is_no_new_evidence(stories):
    late = ("2024-09-10", "ben", "migrations", "All Postgres 17 migration scripts pass on the production copy.")
    story, card = begun(stories, (*STALE, late))
    story.memory.resolve(card.conflict.id, "dismiss")
    assert story.memory.detect().opened == ()
    assert story.conflicts() == ()


def test_B3_a_question_that_the_story_settles_is_closed(stories):
    story, card = begun(stories, ARC)
    tell(story, ("2025-02-01", "ben", "web", "We switched from REST to gRPC."))
    assert story.conflicts() == ()
    (closed,) = story.conflicts("answered")
    assert closed.conflict.id == card.conflict.id
    assert closed.conflict.reason == "settled by what was said since"


@pytest.mark.parametrize(("begins", "still_open"), [("2026-05-01", True), ("2026-01-08", False)])
def test_C13_what_begins_later_does_not_close_the_question_of_today(stories, begins, still_open):
    story = stories().on("2026-01-10")
    said = "The API rate limit is {} requests per second."
    story.say(said.format(100), author="ann", trust=0.9, said_at="2025-01-01", valid_until="2026-02-01")
    story.say(said.format(200), author="bob", trust=0.1, said_at="2025-02-01", valid_from="2025-03-01",
              valid_until="2026-06-01")  # fmt: skip
    (card,) = story.conflicts()
    settled = story.say(said.format(300), author="zed", trust=0.9, said_at="2026-01-09", valid_from=begins)
    assert settled.action == "SUPERSEDE"
    assert [one.conflict.id for one in story.conflicts()] == [card.conflict.id] * still_open
    both = {status(story, fact_id) for fact_id in card.conflict.fact_ids}
    assert both == ({Status.ACTIVE} if still_open else {Status.SUPERSEDED})
    if still_open:
        kept, lost = fact(card, "100"), fact(card, "200")
        story.memory.resolve(card.conflict.id, "keep", keep=kept)
        assert (status(story, kept), status(story, lost)) == (Status.ACTIVE, Status.SUPERSEDED)


def test_B14_what_was_taken_back_leaves_no_question(stories):
    story, card = begun(stories, STALE)
    news = fact(card, "Postgres 17")
    with story.memory.engine.store.read() as reader:
        made = reader.decisions(story.memory.space, fact_id=news)
    story.memory.undo(next(one.id for one in made if one.fact_id == news))
    assert len(story.memory.detect().closed) == 1
    assert story.conflicts() == ()


# A person's word


@pytest.mark.parametrize("winner", ["30 days", "90 days"])
def test_B12_repeating_what_lost_does_not_win(stories, winner):
    story, card = begun(stories, LIMITS)
    story.memory.resolve(card.conflict.id, "keep", keep=fact(card, winner))
    for at, author, topic, text in LIMITS:
        story.memory.remember(text, author=f"{author}-2", topic=topic, said_at=day(at))
    assert [text for text in current(story, "log retention period") if "retention" in text] != []
    assert all(winner in text for text in current(story, "log retention period"))
    assert story.conflicts() == ()


def test_B12_said_anew_without_word_of_a_change_it_is_asked_and_not_done(stories):
    story, card = begun(stories, LIMITS)
    story.memory.resolve(card.conflict.id, "keep", keep=fact(card, "30 days"))
    tell(story, ("2025-06-01", "ben", "infra", "The log retention period is 90 days."))
    assert status(story, fact(card, "30 days")) is Status.ACTIVE
    assert len(story.conflicts()) == 1


def test_B12_word_of_a_change_is_news(stories):
    story, card = begun(stories, LIMITS)
    story.memory.resolve(card.conflict.id, "keep", keep=fact(card, "30 days"))
    tell(story, ("2025-06-01", "ben", "infra", "The log retention period was changed to 90 days."))
    assert status(story, fact(card, "30 days")) is Status.SUPERSEDED
    assert story.conflicts() == ()


@pytest.mark.parametrize("answer", ["both", "dismiss"])
def test_B12_restating_one_side_does_not_retire_the_other(stories, answer):
    story, card = begun(stories, LIMITS)
    story.memory.resolve(card.conflict.id, answer)
    tell(story, ("2025-06-01", "lea", "legal", "The log retention period is 30 days."))
    tell(story, ("2025-07-01", "ben", "infra", "The log retention period is 90 days."))
    assert {status(story, item.id) for item in card.facts} == {Status.ACTIVE}
    assert story.conflicts() == ()


def test_B12_an_import_told_again_changes_nothing(stories):
    story, card = begun(stories, LIMITS)
    story.memory.resolve(card.conflict.id, "keep", keep=fact(card, "30 days"))
    with story.memory.batch():
        for number, (at, author, topic, text) in enumerate((*LIMITS, *reversed(LIMITS))):
            story.memory.remember(text, author=author, topic=topic, said_at=day(at), origin=f"log:{number}")
    assert status(story, fact(card, "30 days")) is Status.ACTIVE
    assert status(story, fact(card, "90 days")) is Status.SUPERSEDED
    assert story.conflicts() == ()


@pytest.mark.parametrize("answer", ["keep", "both", "dismiss"])
def test_B12_a_later_judgement_does_not_write_over_an_answer(stories, answer):
    story, card = begun(stories, LIMITS)
    keep = {"keep": fact(card, "30 days")} if answer == "keep" else {}
    made = story.memory.resolve(card.conflict.id, answer, **keep)
    space, store = story.memory.space, story.memory.engine.store
    with store.read() as reader:
        (told,) = reader.judged(space)
        assert [one.at for one in reader.answers(space, [told.new_id])] == [made.decided_at]
    automatic = type(told)(told.existing_id, told.new_id, told.judgement, "a newer model")
    with store.write(space) as transaction:
        transaction.put_judged(space, automatic)
    with store.read() as reader:
        assert reader.judged(space) == [told]
    story.memory.undo(made.id)
    with store.read() as reader:
        assert reader.answers(space, [told.new_id]) == []
    with store.write(space) as transaction:
        transaction.put_judged(space, automatic)
    with store.read() as reader:
        assert reader.judged(space) == [automatic]


# What first


def test_F11_questions_come_by_what_an_answer_settles_and_how_often_it_is_read(stories):
    story = stories()
    story.clock.set(day("2025-02-11"))
    tell(story, *LIMITS)
    tell(story, ("2025-02-12T09:00", "ana", "auth", "The session store is Redis."))
    tell(story, ("2025-02-12T10:00", "ben", "infra", "The session store is DynamoDB."))
    first, second = story.conflicts()
    assert ["retention" in card.conflict.question for card in (first, second)] == [True, False]
    ids = [result.id for result in second.facts]
    with story.memory.engine.store.write(story.memory.space) as transaction:
        transaction.record_recalls(story.memory.space, ids)
    again = story.conflicts()
    assert [card.conflict.id for card in again] == [second.conflict.id, first.conflict.id]
    assert (again[0].weight.reads, again[1].weight.reads) == (2, 0)
    kept = first.facts[0].id
    for number in range(9):
        story.memory.remember(f"Bucket {number} is cleaned by that rule.", depends_on=kept)
    heavier = story.conflicts()
    assert heavier[0].conflict.id == first.conflict.id
    assert heavier[0].weight.dependents == 9


def test_F11_one_answer_settles_the_questions_that_hang_on_it(stories):
    story = stories()
    story.clock.set(day("2025-02-11"))
    tell(story, *LIMITS)
    tell(story, ("2025-02-11T13:00", "cy", "security", "The log retention period is 60 days."))
    cards = story.conflicts()
    assert len(cards) >= 2
    assert all(card.together for card in cards)
    keep = next(item.id for card in cards for item in card.facts if "60 days" in item.text)
    with_keep = next(card for card in cards if keep in {item.id for item in card.facts})
    made = story.memory.resolve(with_keep.conflict.id, "keep", keep=keep)
    left = story.conflicts()
    assert len(left) < len(cards)
    story.memory.undo(made.id)
    assert {card.conflict.id for card in story.conflicts()} == {card.conflict.id for card in cards}


LIMIT = "The API rate limit is {} requests per second."


def asked(story):
    first = story.say(LIMIT.format(100), "2025-01-01", author="ann", trust=0.9)
    second = story.say(LIMIT.format(200), "2025-02-01", author="bob", trust=0.1)
    (card,) = story.conflicts()
    story.clock.advance(3600)
    return first, second, card.conflict


def test_F4_an_answer_is_taken_back_once(story):
    first, _, conflict = asked(story)
    answer = story.memory.resolve(conflict.id, "dismiss")
    story.memory.undo(answer.id)
    with pytest.raises(StateError, match="undone already"):
        story.memory.undo(answer.id)
    kept = story.memory.resolve(conflict.id, "keep", keep=first.fact_id)
    before = snapshot(story.memory)
    with pytest.raises(StateError):
        story.memory.undo(answer.id)
    assert snapshot(story.memory) == before
    assert kept.targets
    assert story.conflicts() == ()


def test_F4_a_question_is_not_taken_back_from_under_its_answer(story):
    _, second, conflict = asked(story)
    answer = story.memory.resolve(conflict.id, "dismiss")
    with pytest.raises(StateError, match="RESOLVE"):
        story.memory.undo(second.id)
    story.memory.undo(answer.id)
    story.memory.undo(second.id)
    assert story.conflicts(None) == ()


def test_F4_a_question_that_comes_back_is_as_old_as_it_was(story):
    _, second, conflict = asked(story)
    answer = story.memory.resolve(conflict.id, "dismiss")
    (closed,) = story.conflicts(None)
    story.clock.advance(3600)
    undone = story.memory.undo(answer.id)
    story.clock.advance(3600)
    story.memory.undo(undone.id)
    assert story.conflicts(None)[0].conflict == closed.conflict
    story.memory.undo(answer.id)
    assert story.conflicts()[0].conflict == conflict
    undone = story.memory.undo(second.id)
    story.clock.advance(3600)
    story.memory.undo(undone.id)
    assert story.conflicts()[0].conflict == conflict


def test_B3_of_two_answers_at_once_one_is_refused(story, monkeypatch):
    first, _, conflict = asked(story)
    real = resolve.apply

    def overtaken(*args):
        monkeypatch.setattr(resolve, "apply", real)
        story.memory.resolve(conflict.id, "dismiss", reason="first")
        return real(*args)

    monkeypatch.setattr(resolve, "apply", overtaken)
    with pytest.raises(StaleJudgementError):
        story.memory.resolve(conflict.id, "keep", keep=first.fact_id, reason="second")
    assert [item.conflict.reason for item in story.conflicts(None)] == ["first"]
    assert story.fact(first.fact_id).status == "active"
