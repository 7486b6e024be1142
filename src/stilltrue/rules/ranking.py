"""In which order do facts answer a question? Relevance first, then how well memory still holds them.

Answer: `relevance` (words and meaning fused), `worth_showing` (the cut) and `score` (SPEC A7). Finding the candidates
is the indexes' business, the retention curve is `rules.retention`'s.

Measured on the 25 coding sessions of the acceptance data, cut into 482 statements, with 50 questions of ours:

    ====================================================  =====  ====  ====  =====
    fusion                                                 MRR    @1    @5    @10
    ====================================================  =====  ====  ====  =====
    cosine alone                                          0.678  0.54  0.84  0.92
    words alone (BM25)                                    0.647  0.52  0.78  0.84
    reciprocal rank fusion, k = 60                        0.701  0.60  0.84  0.96
    0.7 cosine + 0.3 BM25 share                           0.706  0.58  0.88  0.94
    **0.7 cosine above noise + 0.3 BM25 share * coverage**  0.729  0.60  0.88  0.94
    ====================================================  =====  ====  ====  =====

A weighted sum is chosen over rank fusion, and not for its small lead alone: ranks have no size. The first and the
sixtieth of a rank fusion differ by a factor of two, while retention spans a factor of three (0.02 ** 0.3 = 0.31), so
age would outweigh relevance. Cosines above the noise do have a size.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from stilltrue.model.fact import Modality

if TYPE_CHECKING:
    from collections.abc import Mapping

RELEVANT_COSINE: Final = 0.20
"""Below it a cosine says nothing. Of 241 (question, answer) pairs of our own stories the least cosine of an answer that
shares no word with its question is 0.26 ("Where does Ben live?" / "I moved to Milan."); among 417 unrelated texts, ten
nonsense questions leave 0 to 12 above it. Kept low, because in a small memory a missed answer costs more than an
idle line."""

WORD_SHARE: Final = 0.3
"""How much of relevance words make up: 0.2, 0.25, 0.3 and 0.35 measure alike (MRR 0.724 to 0.729)."""

SLOT_LIFT: Final = 0.4
"""Share of the missing relevance that a fact gains whose slot is the one asked about. "I moved to Milan." has a cosine
of 0.26 with "Where does Ben live?": alone it ranks behind one in twenty unrelated statements; with 0.3 still behind 120
of the form "Person 7 lives in house 7.", with 0.4 before them. On the coding sessions, through the whole path, slots
raise MRR from 0.72 to 0.74 (0.3 and 0.4 alike, 0.5 a little less)."""

RETENTION_POWER: Final = 0.3
"""SPEC A7: score = relevance * R ** 0.3."""

CLEARLY_RELEVANT: Final = 0.25
"""Nine in ten best answers of the measurement have more."""

HARDLY_RELEVANT: Final = 0.07
"""19 in 20 statements that are no answer have less (95th percentile 0.05). CLEARLY_RELEVANT with the least retention
(0.25 * 0.31 = 0.077) still comes before it: forgetting never lifts an irrelevant fact over a clear answer."""

VOICE: Final[Mapping[Modality, float]] = MappingProxyType(
    {Modality.PLAN: 0.85, Modality.HYPOTHETICAL: 0.85, Modality.HEARSAY: 0.85, Modality.QUESTION: 0.85}
)
"""What is planned, supposed, asked or hearsay comes a little after an assertion that answers as well; a plan that
answers clearly better (1/0.85: by 18%) still comes first."""

OTHER_PERIOD: Final = 0.5
"""A fact that never held in the period a question names ("in 2019") comes after those that did unless it answers twice
as well; it is not left out, since undated memories count from the day they were told."""


def relevance(similarity: float | None, word_strength: float, coverage: float, *, in_slot: bool = False) -> float:
    """How well a fact answers, 0..1.

    `similarity`: cosine with the question in [-1, 1], None where it has no vector. `word_strength`: its BM25 over the
    best BM25 of the question, 0..1. `coverage`: the question's content words that it holds, as a share, 0..1.
    `in_slot`: its subject and attribute are what the question asks about (`rules.asked`).

    >>> relevance(1.0, 1.0, 1.0), relevance(0.1, 0.0, 0.0), relevance(None, 1.0, 0.5)
    (1.0, 0.0, 0.15)
    """
    meaning = 0.0 if similarity is None else max(0.0, (min(similarity, 1.0) - RELEVANT_COSINE) / (1 - RELEVANT_COSINE))
    told = (1 - WORD_SHARE) * meaning + WORD_SHARE * word_strength * coverage
    return told + SLOT_LIFT * (1 - told) if in_slot else told


def worth_showing(similarity: float | None, *, shares_words: bool) -> bool:
    """Whether a fact is a result at all: it shares a content word with the question, or lies near enough.

    >>> worth_showing(0.1, shares_words=False), worth_showing(0.1, shares_words=True)
    (False, True)
    """
    return shares_words or (similarity is not None and similarity >= RELEVANT_COSINE)


def score(relevant: float, retained: float, modality: Modality = Modality.ASSERTION) -> float:
    """What results are ordered by, 0..1: relevance * R ** 0.3, a little less for what is not asserted.

    >>> score(0.5, 1.0), score(0.5, 0.02) > score(0.1, 1.0)
    (0.5, True)
    """
    return float(relevant * retained**RETENTION_POWER * VOICE.get(modality, 1.0))
