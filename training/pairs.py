"""Which labelled pairs are there, and who may see which?

Answer: ``sets`` reads the contrastive sets of ``training/corpus`` (one existing statement and its labelled new ones),
``part`` puts each set into *train*, *dev* or *test*, and ``pairs_of`` turns sets into ``Pair`` rows. The parts are cut
twice: whole attributes are held out (no statement about a test attribute is trained on), and of all other attributes
single sets. ``dev`` chooses and calibrates; ``test`` is looked at in the end.

A pair's label is a set of relations: most rows name one, while natural-language inference says only "contradicts",
"follows" or "neither", which stands for several. Left to others: what is mixed when (``training.mixture``).
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from training.families import generate

CORPUS: Final = Path(__file__).resolve().parent / "corpus"
RELATIONS: Final = ("CONTRADICTION", "UPDATE", "RETRACTION", "DUPLICATE", "OVERLAP", "NONE")
CONFLICTS: Final = frozenset(RELATIONS[:3])
PEACE: Final = frozenset(RELATIONS[3:])
PLAIN: Final = frozenset(
    {"pm", "pn", "pq", "wa", "wb", "wi", "xa", "xb", *(f"y{letter}" for letter in "abcdefghijklmn")}
)
"""Files of terse statements without a word of change; the others are the hard ones."""
LATE: Final = ("y", "z")
"""Files whose names begin so were written when there was enough to test on: fewer of their sets are held out."""

SALT: Final = "stilltrue parts 1"
TEST_ATTRIBUTES, DEV_ATTRIBUTES = 0.04, 0.02
TEST_SETS, DEV_SETS = 0.09, 0.08
LATE_TEST_SETS, LATE_DEV_SETS = 0.03, 0.02
FAMILY_SEED, FAMILY_COUNT = 7, 12_000


@dataclass(frozen=True, slots=True)
class Pair:
    """An existing and a new statement, and the relations that are right for them."""

    old: str
    new: str
    labels: frozenset[str]
    source: str
    anchor: str
    trap: str = ""
    weight: float = 1.0

    @property
    def plain(self) -> bool:
        return self.anchor[:2] in PLAIN

    @property
    def words(self) -> tuple[str, str]:
        """The two texts as they are compared when one pair is looked for among others."""
        return self.old.strip().lower(), self.new.strip().lower()

    @property
    def label(self) -> str:
        """The one relation of a fully labelled pair."""
        (only,) = self.labels
        return only


def fraction(text: str) -> float:
    return int.from_bytes(hashlib.sha256(f"{SALT}:{text}".encode()).digest()[:6]) / 2**48


def part(contrast: dict[str, Any]) -> str:
    """``train``, ``dev`` or ``test`` of a set: by its attribute first, then by its existing statement."""
    attribute = fraction(contrast["slot"]["attribute"].strip().lower().replace(" ", "_"))
    if attribute < TEST_ATTRIBUTES:
        return "test"
    if attribute < TEST_ATTRIBUTES + DEV_ATTRIBUTES:
        return "dev"
    words = contrast["existing"].strip().lower()
    late = contrast["id"].startswith(LATE) and words not in _early_words()
    test, dev = (LATE_TEST_SETS, LATE_DEV_SETS) if late else (TEST_SETS, DEV_SETS)
    alone = fraction(words)
    if alone < test:
        return "test"
    return "dev" if alone < test + dev else "train"


@cache
def _early_words() -> frozenset[str]:
    """What the earlier files' existing statements say: who says the same later belongs to the same part."""
    return frozenset(c["existing"].strip().lower() for c in sets() if not c["id"].startswith(LATE))


@cache
def sets() -> tuple[dict[str, Any], ...]:
    """Every contrastive set of the corpus, in file order."""
    return tuple(
        json.loads(line)
        for file in sorted(CORPUS.glob("*.jsonl"))
        for line in file.read_text(encoding="utf-8").splitlines()
    )


@cache
def parts() -> dict[str, str]:
    """The part of each set, by id."""
    return {contrast["id"]: part(contrast) for contrast in sets()}


def of_part(name: str) -> list[dict[str, Any]]:
    """The sets of one part."""
    return [contrast for contrast in sets() if parts()[contrast["id"]] == name]


def pairs_of(contrasts: Iterable[dict[str, Any]]) -> list[Pair]:
    """The pairs as they were written: the existing statement against each new one."""
    return [
        Pair(c["existing"], n["text"], frozenset({n["label"]}), "corpus", c["id"], n.get("trap") or "")
        for c in contrasts
        for n in c["new"]
    ]


@cache
def withheld() -> frozenset[tuple[str, str]]:
    """The words of every pair of the parts that are not trained on."""
    return frozenset(pair.words for name in ("dev", "test") for pair in pairs_of(of_part(name)))


@cache
def matrix() -> tuple[Pair, ...]:
    """The judged ordered pairs among the statements of one set, whatever their part."""
    with gzip.open(CORPUS / "matrix.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return tuple(Pair(r["old"], r["new"], frozenset({r["label"]}), "matrix", r["anchor"]) for r in rows)


def closure(contrasts: Iterable[dict[str, Any]]) -> Iterator[Pair]:
    """Pairs that follow from a set by logic: a duplicate stands for the existing statement, and some relations turn.

    Only for sets that nobody judged as a matrix. A bare swap turned round is a swap again; which of its two words
    (UPDATE, CONTRADICTION) fits is left open.
    """
    judged = {pair.anchor for pair in matrix()}
    for c in contrasts:
        if c["id"] in judged:
            continue
        doubles = [n["text"] for n in c["new"] if n["label"] == "DUPLICATE"]
        for n in c["new"]:
            trap = n.get("trap") or ""
            for double in doubles:
                if double != n["text"]:
                    yield Pair(double, n["text"], frozenset({n["label"]}), "closure", c["id"], trap)
            turned = _turned(c, n["label"], trap)
            if turned:
                yield Pair(n["text"], c["existing"], turned, "closure", c["id"], trap)


def _turned(contrast: dict[str, Any], label: str, trap: str) -> frozenset[str]:
    if label in {"NONE", "DUPLICATE"} or trap == "set_valued":
        return frozenset({label})
    if label == "OVERLAP":
        return PEACE
    bare = contrast["id"][:2] in PLAIN and (not trap or trap in {"negation_flip", "low_overlap_same"})
    return frozenset({"UPDATE", "CONTRADICTION"}) if bare and label != "RETRACTION" else frozenset()


_FROM_NLI: Final = {
    "contradiction": frozenset({"CONTRADICTION", "UPDATE"}),
    "entailment": frozenset({"DUPLICATE", "OVERLAP"}),
    "neutral": frozenset({"OVERLAP", "NONE"}),
}


def public(folder: Path) -> dict[str, list[Pair]]:
    """The public sets by name, with the relations that their labels leave possible; empty when the folder is absent."""
    found: dict[str, list[Pair]] = defaultdict(list)
    for file in sorted(folder.glob("*.jsonl.gz")):
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            for row in map(json.loads, lines):
                labels = _FROM_NLI.get(row["meta"].get("nli", ""))
                if labels is None and row["label"] in RELATIONS:
                    labels = CONFLICTS if row["label"] in CONFLICTS else PEACE
                elif labels is None:
                    labels = frozenset({"OVERLAP", "NONE"})
                found[row["source"]].append(Pair(row["old"], row["new"], labels, row["source"], row["id"], weight=0.5))
    return dict(found)


@cache
def made(pool: str = "train", seed: int = FAMILY_SEED, count: int = FAMILY_COUNT) -> tuple[Pair, ...]:
    """The programmatic pairs of one pool of values: the same ones that ``python -m training.families`` writes."""
    return tuple(
        Pair(row.existing, row.new, frozenset({row.label}), "families", row.anchor, row.trap)
        for row in generate(seed, count)
        if row.pool == pool
    )
