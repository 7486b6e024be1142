"""What does judging cost? Five candidates and a whole write against one embedding, many pairs against the bare network.

What is judged comes from training/corpus; the statements are read beforehand and met by the rules for the first time.
"""

from __future__ import annotations

import io
import json
import shutil
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bench.corpus import FEW, Told, pairs, sets
from bench.raw_pairs import RawPairs
from bench.timing import Figure, in_turns, percentile, timed
from stilltrue.connect.pairs import CHUNK, judge_file
from stilltrue.inference.embed import MiniLMEmbedder
from stilltrue.inference.pair_model import CARD_FILE, MODEL_FILE, OnnxPairModel
from stilltrue.inference.wordpiece import VOCAB_FILE
from stilltrue.model.fact import Belief, Fact, Standing
from stilltrue.model.ids import EpisodeId, FactId, SpaceId
from stilltrue.model.timeline import Interval
from stilltrue.rules import cascade
from stilltrue.rules.cascade import judge_texts, read_texts
from stilltrue.wiring import build_engine
from stilltrue.write.ask_model import with_model
from stilltrue.write.judge import judge
from stilltrue.write.judged import Neighbour

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from stilltrue.model.combination import Combination
    from stilltrue.model.fact import Statement
    from stilltrue.model.verdict import Judgement, Relation

BATCHES: Final = (1, 4, 8, 16)
_WARM_UP: Final = 20
_TURN: Final = 64  # pairs a call where batches are compared: many turns rather than long ones


class Noted:
    """A pair model that notes which texts it is asked about and adds up the time it takes."""

    model_version: str
    combination: Combination | None

    def __init__(self, real: OnnxPairModel) -> None:
        self._real = real
        self.model_version, self.combination = real.model_version, real.combination
        self.asked: list[tuple[str, str]] = []
        self.seconds = 0.0

    def relations(self, asked: Sequence[tuple[Statement, Statement]]) -> list[Mapping[Relation, float]]:
        """As the real one."""
        self.asked += [(existing.text, new.text) for existing, new in asked]
        begun = time.perf_counter()
        answers = self._real.relations(asked)
        self.seconds += time.perf_counter() - begun
        return answers


# Five candidates of one write


def candidates(model: OnnxPairModel, rounds: int) -> list[Figure]:
    """Five candidates judged as a write judges them: with the model, by rules alone, by the model alone."""
    rounds = min(rounds, (len(sets()) - _WARM_UP) // 2)
    cases = [_case(told) for told in sets()[: 2 * rounds + _WARM_UP]]
    embedder = MiniLMEmbedder(cache_size=0)
    both, rules = (build_engine(":memory:", pair_model=which) for which in (model, "off"))
    for new, known in cases[2 * rounds :]:
        embedder.embed([new.text])
        judge(both, both.settings, new, known)
    floor, ours, ruled, asked = in_turns(
        rounds,
        lambda turn: embedder.embed([cases[turn][0].text]),
        lambda turn: judge(both, both.settings, *cases[turn]),
        lambda turn: judge(rules, rules.settings, *cases[rounds + turn]),
        lambda turn: model.relations([(known.fact.statement, cases[turn][0]) for known in cases[turn][1]]),
    )
    both.store.close()
    rules.store.close()
    return [
        _against_embedding(what, seconds, floor, share, demanded)
        for what, seconds, most in (("rules and model", ours, 12), ("rules alone", ruled, None), ("model", asked, None))
        for share, demanded in ((50, None), (95, most))
    ]


def _against_embedding(
    what: str, seconds: list[float], floor: list[float], share: float, demanded: float | None = None
) -> Figure:
    return Figure(
        bench=f"{FEW} candidates of a write",
        what=f"{what}, p{share:g}",
        against=f"one embedding, p{share:g}",
        number=percentile(seconds, share) / percentile(floor, share),
        n=len(seconds),
        demanded=demanded,
    )


def _case(told: Told) -> tuple[Statement, list[Neighbour]]:
    """What a write hands to its judges: the statement that is new, and facts of those that are known."""
    read = [read_texts(known, told.new) for known in told.known]
    return read[0][1], [_neighbour(str(place), existing) for place, (existing, _) in enumerate(read)]


def _neighbour(name: str, statement: Statement) -> Neighbour:
    said = statement.said_at
    fact = Fact(
        id=FactId(name),
        space_id=SpaceId("bench"),
        statement=statement,
        belief=Belief(valid=statement.valid, known=Interval(said)),
        standing=Standing(last_seen_at=said),
        recorded_at=said,
        episode_id=EpisodeId(name),
    )
    return Neighbour(fact=fact, nominated_by="vector", similarity=0.7)


# Many pairs


@dataclass(slots=True)
class Bulk:
    """Seconds that some pairs took: all of it, of that the rules and the model, and the bare network in turn with it.

    The bare network runs only those pairs that the model was asked about, so a pair that rules settle earns nothing.
    """

    pairs: int = 0
    asked: int = 0
    whole: float = 0.0
    rules: float = 0.0
    model: float = 0.0
    floor: float = 0.0

    def run(self, count: int, model: OnnxPairModel, raw: RawPairs, action: Callable[[Noted], object]) -> None:
        """`action` judges `count` pairs with the model it is given; then the bare network has its turn."""
        noted = Noted(model)
        self.whole += timed(lambda: action(noted))
        batches = raw.batches(noted.asked)
        self.floor += timed(lambda: raw.run(batches))
        self.pairs += count
        self.asked += len(noted.asked)
        self.model += noted.seconds

    def figure(self, what: str, against: str, number: float, least: float | None = None, unit: str = "%") -> Figure:
        """One line about these pairs."""
        return Figure(
            bench=f"{self.pairs:,} pairs",
            what=what,
            against=against,
            number=number,
            n=self.asked,
            demanded=least,
            least=least is not None,
            unit=unit,
        )


def bulk(model: OnnxPairModel, raw: RawPairs, count: int) -> list[Figure]:
    """`with_model` over pairs that are read already, and `stilltrue judge` over a file of others."""
    _warm(model, raw)
    read = [read_texts(*pair) for pair in pairs(count)]
    lines = [
        json.dumps({"id": number, "old": old, "new": new}).encode() + b"\n"
        for number, (old, new) in enumerate(pairs(count, skipped=count))
    ]
    swept, filed = Bulk(), Bulk()
    for start in range(0, count, CHUNK):
        chunk = slice(start, min(start + CHUNK, count))
        swept.run(chunk.stop - start, model, raw, partial(_swept, swept, read[chunk]))
        filed.run(chunk.stop - start, model, raw, partial(_filed, lines[chunk]))
    return [*_swept_figures(swept), *_filed_figures(filed)]


def _warm(model: OnnxPairModel, raw: RawPairs) -> None:
    """Networks and lexicons are loaded by pairs that are not measured."""
    first = pairs(_WARM_UP, skipped=len(sets()))
    raw.run(raw.batches(first))
    model.relations([read_texts(*pair) for pair in first])
    judge_texts(*first[0])


def _swept(told: Bulk, some: Sequence[tuple[Statement, Statement]], model: Noted) -> None:
    by_rules: list[Judgement] = []
    told.rules += timed(lambda: by_rules.extend(cascade.judge(*pair) for pair in some))
    with_model(model, by_rules, lambda place: some[place])


def _filed(lines: Sequence[bytes], model: Noted) -> None:
    answers: list[str] = []
    report = judge_file(io.BytesIO(b"".join(lines)), answers.append, pair_model=model)
    assert report.judged == len(answers) == len(lines)


BARE = "the bare network on the pairs asked"


def _swept_figures(told: Bulk) -> list[Figure]:
    rest = told.whole - told.rules - told.model
    return [
        told.figure("rules and model, pairs read before: throughput", BARE, 100 * told.floor / told.whole, 70),
        told.figure("of its time: the rules", "its time", 100 * told.rules / told.whole),
        told.figure("of its time: the model, tokenising included", "its time", 100 * told.model / told.whole),
        told.figure("of its time: weighing the two", "its time", 100 * rest / told.whole),
        told.figure("rules and model", "as it is", told.pairs / told.whole, unit=" pairs/s"),
        told.figure("the bare network", "as it is", told.asked / told.floor, unit=" pairs/s"),
    ]


def _filed_figures(told: Bulk) -> list[Figure]:
    return [
        told.figure("stilltrue judge over a file: throughput", BARE, 100 * told.floor / told.whole),
        told.figure("of its time: the model, tokenising included", "its time", 100 * told.model / told.whole),
        told.figure("stilltrue judge over a file", "as it is", told.pairs / told.whole, unit=" pairs/s"),
    ]


# How many at once


def batched(weights: Path, folder: Path, rounds: int, count: int) -> list[Figure]:
    """The model alone with other values of `max_batch` in its card: five pairs, and many, against one at a time."""
    models = [_with_batch(weights, folder / f"batch-{size}", size) for size in BATCHES]
    few = [[read_texts(known, told.new) for known in told.known] for told in sets()[:rounds]]
    many = [read_texts(*pair) for pair in pairs(count)]
    for model in models:
        model.relations(many[:_WARM_UP])
    five = in_turns(rounds, *(partial(_ask, model, few) for model in models))
    chunks = [many[start : start + _TURN] for start in range(0, count, _TURN)]
    all_of_them = in_turns(len(chunks), *(partial(_ask, model, chunks) for model in models))
    figures: list[Figure] = []
    for what, n, times in (
        (f"{FEW} pairs, p50", rounds, five),
        (f"{count:,} pairs, {_TURN} a call, p50", count, all_of_them),
    ):
        floor = percentile(times[0], 50)
        for size, seconds in list(zip(BATCHES, times, strict=True))[1:]:
            number = percentile(seconds, 50) / floor
            figures.append(Figure(bench=f"batches of {size}", what=what, against="one at a time", number=number, n=n))
    return figures


def _ask(model: OnnxPairModel, asked: Sequence[Sequence[tuple[Statement, Statement]]], turn: int) -> None:
    model.relations(asked[turn])


def _with_batch(weights: Path, folder: Path, size: int) -> OnnxPairModel:
    """The same model, allowed to run so many pairs at once."""
    folder.mkdir()
    card = json.loads((weights / CARD_FILE).read_bytes()) | {"max_batch": size}
    (folder / CARD_FILE).write_text(json.dumps(card), encoding="utf-8")
    for name in (MODEL_FILE, VOCAB_FILE):
        shutil.copy(weights / name, folder / name)
    return OnnxPairModel(weights=folder)
