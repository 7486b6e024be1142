"""The cascade: the first step that settles wins, everything it looked at is evidence, and evidence can be replayed."""

import time
from datetime import UTC, datetime, timedelta

import pytest

from stilltrue.model.verdict import EvidenceSource, Relation, Undecided, Verdict
from stilltrue.rules.cascade import SETTLES, STEPS, judge, judge_texts, replay, settle
from stilltrue.rules.lexicons import lexicon
from stilltrue.rules.measured import RETIRES, Worth, worth
from stilltrue.rules.pair import Common
from stilltrue.rules.slots import read_statement

THEN = datetime(2025, 1, 1, tzinfo=UTC)


def statement(text, days=0):
    return read_statement(text, said_at=THEN + timedelta(days=days))


def test_nothing_fired_is_undecided_and_says_so():
    judged = judge_texts("User enjoys long hikes.", "User hikes mostly alone, with poles.")
    assert isinstance(judged, Undecided)
    assert judged.reason == "no local rule settles this pair"
    assert 0 < judged.conflict < 0.5


def test_a_verdict_names_what_settled_it_and_what_was_not_needed():
    judged = judge_texts("Telemetry is enabled.", "Telemetry is disabled.")
    assert isinstance(judged, Verdict)
    settled = [entry for entry in judged.evidence if entry.note.startswith(SETTLES)]
    assert [entry.signal for entry in settled] == [judged.settled_by]
    assert settled[0].relation is judged.relation


def test_steps_that_found_nothing_are_in_the_evidence():
    judged = judge_texts("User enjoys long hikes.", "User hikes mostly alone, with poles.")
    assert [entry.signal for entry in judged.evidence] == [step.name for step in STEPS]
    assert all(entry.relation is None for entry in judged.evidence)


def test_all_fired_signals_are_in_the_evidence():
    evidence = settle(statement("The gate is open."), statement("The gate is not open, it was closed now.", days=2))
    assert evidence
    assert sum(entry.note.startswith(SETTLES) for entry in evidence) <= 1


def test_the_write_path_can_leave_steps_out():
    old, new = statement("Telemetry is enabled."), statement("Telemetry is disabled.", days=2)
    assert replay(settle(old, new)) is not None
    assert replay(settle(old, new, steps=())) is None


def test_judging_is_pure():
    old, new = statement("User lives in Oslo."), statement("User lives in Rome.", days=3)
    assert judge(old, new) == judge(old, new)


def test_old_comes_before_new_where_no_instant_is_given():
    assert judge_texts("User lives in Oslo.", "User lives in Rome.") == judge_texts(
        "User lives in Oslo.", "User lives in Rome.", old_at=datetime(2025, 1, 1, tzinfo=UTC)
    )
    later = judge_texts("User lives in Oslo.", "User lives in Rome.", new_at=datetime(2030, 1, 1, tzinfo=UTC))
    assert isinstance(later, Verdict)


def test_any_conflict_of_a_clause_makes_a_conflict():
    judged = judge_texts("User lives in Oslo. User works at Equinor.", "User works at Telenor.")
    assert isinstance(judged, Verdict)
    assert judged.relation is Relation.UPDATE


@pytest.mark.parametrize("signal", sorted(lexicon("measured")))
@pytest.mark.parametrize("common", list(Common))
def test_what_was_measured_are_probabilities(signal, common):
    for relation in (Relation.UPDATE, Relation.NONE):
        assert 0 < worth(signal, common, relation).conflict < 1


def test_wording_outside_a_shared_slot_never_retires_a_long_statement():
    for signal in ("ended", "changed", "temporal", "temporal, weak word", "value left", "ended, one word"):
        assert worth(signal, Common.LONG, Relation.UPDATE).conflict < RETIRES


def test_an_unmeasured_rule_never_retires():
    assert worth("a rule of tomorrow", Common.SLOT, Relation.UPDATE).conflict < RETIRES
    assert worth("a rule of tomorrow", Common.SLOT, Relation.NONE) == Worth(0.15)


@pytest.mark.parametrize("unit", ["User ", "no longer ", "is ", "from a to b ", "a. ", "'s ", "\u0000", "9", "→"])
@pytest.mark.alone
def test_hostile_strings_do_not_hang(unit):
    text = unit * (8192 // len(unit))
    judge_texts("warm up", "the lexicons")
    old, new = statement(text[:4096]), statement(text[4096:] + "x", days=2)
    started = time.thread_time()
    judge(old, new)
    assert time.thread_time() - started < 1.0


@pytest.mark.parametrize("text", ["", " ", "?", "\x00", "-", "'", "🙂", "A" * 5000])
def test_no_text_is_too_odd_to_be_judged(text):
    for judged in (judge_texts(text, "User lives in Oslo."), judge_texts("User lives in Oslo.", text)):
        assert isinstance(judged, Undecided) or not judged.relation.is_conflict


def test_evidence_tells_its_step():
    judged = judge_texts("Ada lives in Bergen.", "Bram lives in Ghent.")
    assert isinstance(judged, Verdict)
    assert judged.relation is Relation.NONE
    assert any(entry.source is EvidenceSource.GUARD for entry in judged.evidence)


@pytest.mark.parametrize(
    ("old", "new", "narrows"),
    [
        ("User uses dark mode.", "User uses dark mode only at night.", True),
        ("We deploy on Fridays.", "We deploy on Fridays only after approval.", True),
        ("User drinks tea.", "User drinks only tea.", False),
        ("No deploys on Fridays.", "Hotfixes may be deployed on Fridays.", False),
        ("User uses dark mode.", "Ben uses dark mode only at night.", False),
    ],
)
def test_f3_the_only_condition_narrows_and_an_exception_does_not(old, new, narrows):
    judged = judge_texts(old, new)
    assert isinstance(judged, Verdict)
    assert judged.narrows is narrows
    assert (judged.relation is Relation.UPDATE) is narrows


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("`POST /cart/items` — add item to the cart", "`DELETE /cart/items/{id}` — remove item from the cart"),
        ("I want /api/v1/ prefix on everything", "I want per-IP limits on everything"),
        ("Concise responses, no preambles.", "Keep responses concise — no fluff."),
        ("Never leave commented-out code.", "Delete code rather than commenting it out."),
        ("The import endpoint has a rate limit of 20.", "The export endpoint no longer has a rate limit."),
        ("Sofia's sister plays golf.", "Sofia has never played golf."),
        ("User subscribes to Spotify.", "User cancelled the Netflix subscription."),
        ("Use tabs in Makefiles.", "Use spaces in Python files."),
        ("The store opens at 8.", "The store closes at 20."),
    ],
)
def test_what_only_sounds_like_an_end_retires_nothing(old, new):
    assert judge_texts(old, new).conflict < RETIRES


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The cache TTL is 60 s.", "The cache TTL is 1 min."),
        ("The billing API allows 1,000 req/s.", "The billing API allows 1k requests per second."),
        ("The nightly build takes 90 minutes.", "The nightly build takes 1.5 hours."),
        ("Max body size: 2 GB", "Max body size: 2,000 MB"),
        ("The trail is 10 miles long.", "The trail is 16 km long."),
    ],
)
def test_bar19_one_quantity_in_two_units_is_one(old, new):
    judged = judge_texts(old, new)
    assert isinstance(judged, Verdict)
    assert judged.relation is Relation.DUPLICATE


@pytest.mark.parametrize(
    ("old", "new", "settled_by"),
    [
        ("Indent Python with tabs.", "Indent Python with four spaces instead of tabs.", "value left, else restated"),
        ("I prefer dark roast coffee.", "I switched from dark roast to decaf.", "value left, of one holder"),
        ("I'm planning to move to Ghent next year.", "I moved to Ghent.", "plan carried out by its maker"),
        ("User is allergic to nuts.", "I was never allergic to nuts, that was a mistake.", "corrected, denied whole"),
    ],
)
def test_what_names_the_old_statement_itself_retires_it(old, new, settled_by):
    judged = judge_texts(old, new)
    assert judged.settled_by == settled_by
    assert judged.conflict >= RETIRES


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("User lives in Oslo.", "User no longer lives in Rome."),
        ("User was born in Cusco.", "User left Cusco at the age of two."),
        ("Please never leave commented-out code in files.", "Delete code rather than commenting it out."),
        ("Refresh tokens live in a cookie.", "Refresh tokens have these columns: user_id, expires_at, revoked."),
        ("Make sure the cart is cleared after a successful order.", "The cart is not cleared."),
        ("`GET /products/{id}` — single product", "Fields: `{id}` → JSON string"),
        ("All fields of the product are optional", "Clearing the entire key (not field by field) is atomic."),
        ("Keep responses concise — no fluff, no lengthy preambles.", "Concise responses, no preambles"),
    ],
)
def test_what_leaves_or_denies_something_else_is_no_conflict(old, new):
    judged = judge_texts(old, new)
    assert isinstance(judged, Undecided) or not judged.relation.is_conflict


@pytest.mark.parametrize(
    ("new", "corrects"),
    [("Sofia has never played golf.", True), ("Sofia does not play golf.", False), ("Sofia never plays golf.", False)],
)
def test_bar20_a_denial_of_all_the_past_corrects(new, corrects):
    judged = judge_texts("Sofia plays golf.", new)
    assert judged.relation is Relation.CONTRADICTION
    assert judged.corrects is corrects


@pytest.mark.parametrize(
    ("old", "new", "relation"),
    [
        ("User enjoys long meetings.", "User doesn’t enjoy long meetings.", Relation.CONTRADICTION),
        ("User's gym day is Tuesday.", "User's gym day is now Thursday.", Relation.UPDATE),
        (
            "User's home address is 14 Maple Court.",
            "User's home address has changed to 3 Harbour View.",
            Relation.UPDATE,
        ),
        ("The session store is Redis.", "The session store is DynamoDB.", Relation.UPDATE),
        ("Production deploys need two approvals.", "Production deploys now need one approval.", Relation.UPDATE),
    ],
)
def test_another_value_of_the_same_thing_is_a_conflict(old, new, relation):
    judged = judge_texts(old, new)
    assert judged.relation is relation


def test_bar19_two_agents_that_say_one_figure_of_nobodys_own_agree():
    said = [
        read_statement(text, said_at=THEN + timedelta(days=days), speaker=speaker)
        for days, (text, speaker) in enumerate(
            [("The retry delay is 500 ms.", "api"), ("The retry delay is 0.5 seconds.", "edge")]
        )
    ]
    assert judge(*said).relation is Relation.DUPLICATE
    own = [
        read_statement(text, said_at=THEN + timedelta(days=days), speaker=speaker)
        for days, (text, speaker) in enumerate([("My retry delay is 3 s.", "api"), ("My retry delay is 5 s.", "edge")])
    ]
    judged = judge(*own)
    assert isinstance(judged, Undecided) or not judged.relation.is_conflict
