"""Does everything come back equal to what was written? Random nouns, written and read."""

from datetime import UTC, datetime, timedelta

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stilltrue.model.change import JudgedPair
from stilltrue.model.decision import Action, Considered, Cost, Decision, Receipt
from stilltrue.model.episode import Span
from stilltrue.model.fact import Belief, Category, Fact, Kind, Modality, Retirement, Standing, Statement, Tier
from stilltrue.model.slot import Bound, Cardinality, Slot, Value, ValueType
from stilltrue.model.timeline import Interval
from stilltrue.model.verdict import Evidence, EvidenceSource, Relation, Undecided, Verdict
from tests.store.making import SPACE, Clock, episode, history, new_id, open_store, source

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
names = st.none() | texts
ratios = st.floats(0, 1)
numbers = st.floats(allow_nan=False, allow_infinity=False)
instants = st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30), timezones=st.just(UTC))  # noqa: DTZ001
intervals = st.builds(lambda ends: Interval(*ends), st.tuples(st.none() | instants, st.none() | instants).filter(
    lambda ends: None in ends or ends[0] <= ends[1]
))  # fmt: skip
values = st.builds(Value, texts, st.sampled_from(ValueType), texts, st.none() | numbers, names, st.sampled_from(Bound))
qualifiers = st.dictionaries(texts, texts, max_size=3).map(lambda found: tuple(sorted(found.items())))
statements = st.builds(
    Statement,
    text=texts,
    slot=st.builds(Slot, texts, names, qualifiers),
    value=st.none() | values,
    cardinality=st.sampled_from(Cardinality),
    modality=st.sampled_from(Modality),
    negated=st.booleans(),
    kind=st.sampled_from(Kind),
    valid=intervals,
    said_at=instants,
    dated=st.booleans(),
    author=names,
    topic=names,
    leaves=st.lists(texts, max_size=3).map(tuple),
)
standings = st.builds(
    Standing,
    importance=ratios,
    confidence=ratios,
    trust=ratios,
    category=st.sampled_from(Category),
    stability=st.floats(0.01, 1e6),
    last_seen_at=instants,
    seen_count=st.integers(0, 2**40),
    tier=st.sampled_from(Tier),
)
evidence = st.builds(
    Evidence, st.sampled_from(EvidenceSource), texts, st.none() | st.sampled_from(Relation), ratios, texts
)
proofs = st.lists(evidence, max_size=3).map(tuple)
judgements = st.builds(
    Verdict, st.sampled_from(Relation), ratios, ratios, proofs, texts, st.booleans(), st.booleans()
) | st.builds(Undecided, texts, proofs, ratios)
receipts = st.builds(
    Receipt,
    st.lists(
        st.builds(Considered, st.uuids().map(str), texts, texts, st.none() | st.floats(-1, 1), judgements), max_size=3
    ).map(tuple),
    texts,
    texts,
    st.builds(Cost, st.integers(0, 9), st.integers(0, 9), st.integers(0, 9), st.integers(0, 9), st.floats(0, 1e6)),
)
payloads = st.dictionaries(texts, st.recursive(st.none() | st.booleans() | numbers | texts, st.lists))


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(
    statements, standings, intervals, st.none() | st.sampled_from(Retirement), receipts, judgements, payloads, instants
)
def test_what_is_read_is_what_was_written(said, standing, valid, retirement, receipt, judgement, payload, at):
    clock = Clock(datetime(2025, 1, 1, tzinfo=UTC))
    with open_store(":memory:", clock) as store:
        with store.write(SPACE) as tx:
            first = episode(
                tx, "\N{GREEK SMALL LETTER ALPHA}" + said.text, said_at=at, author=said.author, topic=said.topic
            )
            tx.add_episode(first)
            known = Interval(tx.now)
            facts = [
                Fact(
                    id=new_id(),
                    space_id=SPACE,
                    statement=said,
                    belief=held,
                    standing=standing,
                    recorded_at=at,
                    episode_id=first.id,
                )
                for held in (Belief(valid=valid, known=known), None)
            ]
            later = Belief(valid=valid, known=known, retirement=retirement, superseded_by=facts[0].id)
            facts.append(
                Fact(**{**{name: getattr(facts[0], name) for name in Fact.__slots__}, "id": new_id(), "belief": later})
            )
            for fact in facts:
                tx.add_fact(fact, None, "e", "n")
            mentions = [source(tx, fact, first, span=Span(0, 1), quote="x", held_from=valid.start) for fact in facts]
            for mention in mentions:
                tx.set_source(SPACE, mention, present=True)
            made = Decision(
                id=new_id(),
                space_id=SPACE,
                batch_id=new_id(),
                action=Action.ASK,
                text=said.text,
                decided_at=at,
                targets=(facts[2].id, facts[1].id),
                receipt=receipt,
                proposal=retirement is None,
            )
            tx.add_decision(made)
            row = history(tx, made, payload=payload, reason=said.text, at=at)
            tx.add_history(row)
            pair = JudgedPair(facts[2].id, facts[0].id, judgement, said.text)
            tx.put_judged(SPACE, pair)
        with store.read() as reader:
            assert reader.facts(SPACE, [fact.id for fact in facts]) == facts
            assert reader.episode(SPACE, first.id) == first
            assert [reader.sources(SPACE, fact.id) for fact in facts] == [(mention,) for mention in mentions]
            assert reader.decision(SPACE, made.id) == made
            assert reader.history(SPACE)[0].payload == payload
            assert reader.judged(SPACE) == [pair]
        clock.move(timedelta(days=-99))
        assert store.check_invariants() == []
