"""From which pairs of lines does the judge of an audit learn?

Answer, from two folders of the corpus:

* ``lines`` (``corpus/lines/*.jsonl``): sets of one line of somebody's notes and five others, labelled; its conflicts
  are said in other words, and what is no conflict looks as much like one. ``written`` has every pair both ways,
  ``told_again`` what follows where one of the others says the same as the first line, ``apart`` lines of two sets.
* ``files`` (``training.files``): every second one of seven folders. ``of_files`` has the pairs of lines that an audit
  nominates there, which is how rare a clash is in life. The files that are left are for ``training.odds``.

Left to others: the training (``training.audit_judge``), the labelled files (``training.files``).
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Final

from stilltrue.audit.comparing import as_observed
from stilltrue.audit.pairing import candidate_pairs, words_of
from stilltrue.audit.reading import read_claims
from stilltrue.audit.weighing import Pair as ClaimPair
from stilltrue.model.fact import Statement
from stilltrue.model.verdict import Relation
from stilltrue.ports import Embedder, PairModel
from stilltrue.settings import Settings
from training import files
from training.files import Labelled
from training.pairs import CONFLICTS, CORPUS, PEACE, Pair

FOLDER: Final = CORPUS / "lines"
SOURCE: Final = "lines"
TOLD_AGAIN_WEIGHT, APART_WEIGHT = 0.7, 0.5
"""What follows by logic, and what nobody looked at, count less than what somebody wrote."""
SHARED: Final = frozenset("abcdefg")
"""Folders of files of which every second one is learnt from. Learning from 45 of the others changed nothing (0024)."""
NAMED_TIMES: Final = 2
"""How often a pass sees a clash of a file: there is one in twenty of its pairs."""


@dataclass(frozen=True, slots=True)
class Line:
    """One of the others of a set: its words, and what it is to the first line."""

    text: str
    label: str

    @property
    def turned(self) -> frozenset[str]:
        """What the first line is to it: turned round, which of both changed is not told any more."""
        return CONFLICTS if self.label in {"UPDATE", "RETRACTION"} else frozenset({self.label})


@dataclass(frozen=True, slots=True)
class LineSet:
    """A line of somebody's notes, and others."""

    id: str
    domain: str
    line: str
    others: tuple[Line, ...]

    @property
    def texts(self) -> tuple[str, ...]:
        """All its lines."""
        return (self.line, *(one.text for one in self.others))


class Mute:
    """In the pair model's place where only the nominated pairs are wanted."""

    model_version = "none"
    combination = None

    def relations(self, pairs: Sequence[tuple[Statement, Statement]]) -> list[Mapping[Relation, float]]:
        """Nothing of any."""
        return [{} for _ in pairs]


@cache
def sets() -> tuple[LineSet, ...]:
    """Every set, in the order of the files."""
    told = (
        json.loads(line)
        for file in sorted(FOLDER.glob("*.jsonl"))
        for line in file.read_text(encoding="utf-8").splitlines()
    )
    return tuple(
        LineSet(
            one["id"], one["domain"], one["line"], tuple(Line(other["line"], other["label"]) for other in one["others"])
        )
        for one in told
    )


def written(chosen: Iterable[LineSet]) -> Iterator[Pair]:
    """The first line beside each other one, both ways."""
    for one in chosen:
        for other in one.others:
            yield Pair(one.line, other.text, frozenset({other.label}), SOURCE, one.id)
            yield Pair(other.text, one.line, other.turned, SOURCE, one.id)


def told_again(chosen: Iterable[LineSet]) -> Iterator[Pair]:
    """Conflicts that follow by logic: what says the same as the first line clashes with what clashes with that."""
    for one in chosen:
        for first, second in combinations(one.others, 2):
            same, other = (first, second) if first.label == "DUPLICATE" else (second, first)
            if same.label == "DUPLICATE" and other.label in CONFLICTS:
                for old, new in ((same.text, other.text), (other.text, same.text)):
                    yield Pair(old, new, CONFLICTS, SOURCE, one.id, weight=TOLD_AGAIN_WEIGHT)


def apart(chosen: Sequence[LineSet], count: int, rng: random.Random) -> Iterator[Pair]:
    """Lines of two sets by one hand, as often as asked for."""
    by_hand: dict[str, list[LineSet]] = {}
    for one in chosen:
        by_hand.setdefault(one.id.partition("-")[0], []).append(one)
    hands = sorted(hand for hand, own in by_hand.items() if len(own) > 1)
    for _ in range(count if hands else 0):
        first, second = rng.sample(by_hand[rng.choice(hands)], 2)
        old, new = rng.choice(first.texts), rng.choice(second.texts)
        yield Pair(old, new, frozenset({"NONE"}), SOURCE, first.id, weight=APART_WEIGHT)


def learnt_from(file: Labelled) -> bool:
    """Whether the audit's judge sees a file: every second one of some folders, none that the tests plant."""
    shared = [one.name for one in files.files() if one.name.partition("/")[0] in SHARED]
    return file.name in shared[1::2]


def nominated(file: Labelled, embedder: Embedder, model: PairModel) -> Iterator[tuple[ClaimPair, dict[str, float]]]:
    """The pairs of one file that an audit would look at, with what it observes."""
    claims = read_claims(file.name, file.text, saved_at=None, settings=Settings())
    words = words_of(claims)
    for pair, seen, _ in as_observed(claims, candidate_pairs(claims, words, embedder), words, model):
        yield pair, seen


def places(pair: ClaimPair) -> tuple[int, int]:
    """The lines of a pair, the earlier first, as labels name them."""
    first, second = sorted((pair.old.line, pair.new.line))
    return first, second


def of_files(chosen: Iterable[Labelled], embedder: Embedder, rng: random.Random) -> Iterator[Pair]:
    """What an audit nominates in some files: what somebody named both ways, the rest one way, drawn."""
    for file in chosen:
        for pair, _ in nominated(file, embedder, Mute()):
            old, new, label = pair.old.statement.text, pair.new.statement.text, file.labels.get(places(pair), "")
            labels = frozenset({label}) if label else PEACE
            labels = CONFLICTS if labels & {"UPDATE", "RETRACTION"} else labels
            both = [Pair(old, new, labels, SOURCE, file.name), Pair(new, old, labels, SOURCE, file.name)]
            if not label:
                yield rng.choice(both)
            else:
                yield from both * (NAMED_TIMES if label in CONFLICTS else 1)
