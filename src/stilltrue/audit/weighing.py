"""How sure is it that two nominated claims clash?

Structure parts some pairs outright (`stand_apart`). For the others `sureness` weighs what can be observed of any two
claims: what the pair model says in both orders, how alike their vectors are and whether others are liker, how many
words they have, which share of the smaller claim's words the other has, how many rare words they share, and whether
figures of one kind agree or differ. The model alone will not do: in a file of 140 lines some 300 pairs are nominated
and nine clash, while it was trained where every second pair does.

The weights are a logistic regression (``python -m training odds``; `weights/audit_odds.json` says on what it was
fitted), so a sureness is a probability where conflicts are about as rare as there. Left to others: nomination
(`audit.pairing`), figures (`audit.figures`), the reasons in words (`audit.reasons`).
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, Final

from stilltrue.audit.claims import Form
from stilltrue.audit.figures import agree, clash, differ_alone
from stilltrue.audit.frames import frame_over, is_plain
from stilltrue.model.combination import LEAST, log_odds
from stilltrue.model.verdict import CONFLICTS, Relation
from stilltrue.rules.text import content_stems
from stilltrue.rules.wording import wording

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from stilltrue.audit.claims import Claim
    from stilltrue.audit.pairing import Words

ODDS_FILE: Final = "audit_odds.json"
_TOLD: Final = (Relation.CONTRADICTION, Relation.UPDATE, Relation.RETRACTION, Relation.DUPLICATE, Relation.NONE)
_TURNED: Final = (Relation.DUPLICATE, Relation.NONE)
"""Relations whose probability counts by itself, beside that of a conflict."""
_SCOPES: Final = frozenset({"environment", "platform", "time_of_day", "audience", "situation", "season"})
MOST_APART: Final = 2
"""Words in which two lines differ and are nearly the same. In 106 labelled files no such pair was a false alarm."""
RETOLD: Final = 0.7
"""The share of the rarer words of a line that another repeats which tells of a change in it."""
LEAST_RETOLD: Final = 2
"""Rare words that they share at least."""
_WORD: Final = re.compile(r"[\w.+#-]+")
_ASIDE: Final = re.compile(r"\([^()]{0,200}\)|`[^`]{0,200}`")
_FEWEST_OF_KIND, _MOST_OF_KIND = 2, 3
"""Words of a heading that names one of a kind."""
MOST_RARE: Final = 3
"""Shared rare words that count: the fourth tells nothing more."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two claims, the older first, by their places, with the cosine of their vectors.

    `ranks`: how many claims are liker to the older one than the newer one is, and the other way round.
    """

    old: Claim
    new: Claim
    places: tuple[int, int]
    likeness: float
    ranks: tuple[int, int]


def stand_apart(old: Claim, new: Claim) -> bool:
    """Whether their places alone tell that two claims are not about one thing at one time.

    Plans and history (by what stands over them) beside what holds now, values under different scopes, items of one list
    or what hangs under two of them, cells of one table, and sections of the same for two things.
    """
    if any(frame_over(claim.headings, claim.leads).voice is not None for claim in (old, new)):
        return True
    return _other_scope(old, new) or _items_apart(old, new) or _cells_apart(old, new) or _in_siblings(old, new)


def _in_siblings(old: Claim, new: Claim) -> bool:
    """Whether two lines of a file part under headings that name two things of a kind: "Python SDK", "TypeScript SDK".

    In the labelled files (`training.files`) 52 pairs part so, under three pairs of headings, and none is a clash. Dates
    name no things, and neither do "Call notes" and "More notes".
    """
    parted = _where_they_part(old.headings, new.headings)
    if old.file != new.file or parted is None or any(letter.isdigit() for letter in "".join(parted)):
        return False
    ours, theirs = (_WORD.findall(_ASIDE.sub(" ", heading)) for heading in parted)
    if not all(_FEWEST_OF_KIND <= len(words) <= _MOST_OF_KIND for words in (ours, theirs)):
        return False
    kind = content_stems(ours[-1])
    return bool(kind) and kind == content_stems(theirs[-1]) and not is_plain(ours[-1])


def _where_they_part(ours: Sequence[str], theirs: Sequence[str]) -> tuple[str, str] | None:
    """The outermost headings of two lines that are not the same; None where the one stands above the other."""
    return next(((one, other) for one, other in zip(ours, theirs, strict=False) if one != other), None)


def _cells_apart(old: Claim, new: Claim) -> bool:
    cells = old.form is Form.CELL and new.form is Form.CELL
    return cells and (old.row != new.row or old.column != new.column or old.headings != new.headings)


def _other_scope(old: Claim, new: Claim) -> bool:
    ours, theirs = dict(old.statement.slot.qualifiers), dict(new.statement.slot.qualifiers)
    return any(ours[name] != theirs[name] for name in ours.keys() & theirs.keys() & _SCOPES)


def _items_apart(old: Claim, new: Claim) -> bool:
    """Members of one list, table or paragraph, or below two members of one list."""
    if old.file != new.file:
        return False
    if old.group == new.group and old.headings == new.headings:
        return True
    return bool(old.leads and new.leads) and old.headings == new.headings and old.leads != new.leads


def observations(
    pair: Pair, words: Words, forth: Mapping[Relation, float], back: Mapping[Relation, float]
) -> dict[str, float]:
    """What is weighed, by name: probabilities as log-odds, cosines and shares as they are, truths as 0 or 1.

    `forth`, `back`: what the pair model says of (older, newer) and of (newer, older).
    """
    one, other = (words.stems[place] for place in pair.places)
    shared = one & other
    cover = words.weight(shared) / max(min(words.weight(one), words.weight(other)), LEAST)
    texts = (pair.old.statement.text, pair.new.statement.text)
    differ = float(clash(*texts) is not None)
    told = {f"forth_{name}": log_odds(forth.get(name, 0.0)) for name in _TOLD}
    turned = {f"back_{name}": log_odds(back.get(name, 0.0)) for name in _TURNED}
    lengths = sorted((len(one), len(other)))
    return {
        "rank_of_nearer": math.log1p(min(pair.ranks)),
        "rank_of_farther": math.log1p(max(pair.ranks)),
        "words_of_shorter": math.log1p(lengths[0]),
        "words_of_longer": math.log1p(lengths[1]),
        "forth_conflict": log_odds(conflict(forth)),
        "back_conflict": log_odds(conflict(back)),
        **told,
        **turned,
        "likeness": pair.likeness,
        "cover": cover,
        "likeness_cover": pair.likeness * cover,
        "rare": float(min(MOST_RARE, sum(words.worth.get(word, 0.0) >= words.rare for word in shared))),
        "figures_agree": float(agree(*texts)),
        "figures_differ": differ,
        "figures_differ_likeness": differ * pair.likeness,
        "figures_differ_cover": differ * cover,
    }


def conflict(told: Mapping[Relation, float]) -> float:
    """The probability of a conflict."""
    return sum(told.get(name, 0.0) for name in CONFLICTS)


def own_word(pair: Pair, seen: Mapping[str, float]) -> float:
    """The judge's own word for lines that are the same but for a figure or a word or two, 0..1; nothing for all others.

    Such lines are what anybody would call a contradiction, where they are one. The files that the weights were fitted
    on hold hardly any, so that the weights know nothing of them: there the lesser of both orders counts.
    """
    plain = differ_alone(pair.old.statement.text, pair.new.statement.text) or nearly_the_same(pair)
    if not (plain or retold(pair, seen)):
        return 0.0
    return chance(min(seen["forth_conflict"], seen["back_conflict"]))


def nearly_the_same(pair: Pair) -> bool:
    """Whether two lines share most of their words and differ in one or two, not in the unit of one figure.

    Cells of a table do, row by row, and lines of sections that treat one thing after the other; they are left out.
    """
    if Form.CELL in {pair.old.form, pair.new.form} or agree(pair.old.statement.text, pair.new.statement.text):
        return False
    if _in_twin_sections(pair.old.headings, pair.new.headings):
        return False
    old, new = (Counter(one.statement.text.casefold().rstrip(" .").split()) for one in (pair.old, pair.new))
    apart = max((old - new).total(), (new - old).total())
    return 0 < apart <= min(MOST_APART, (old & new).total())


def retold(pair: Pair, seen: Mapping[str, float]) -> bool:
    """Whether the newer line tells of a change to what the older one does not say, and repeats most of that one."""
    value = pair.new.statement.value
    if value is None or content_stems(value.text) <= content_stems(pair.old.statement.text):
        return False
    tells, told = (wording(one.statement.text).announces for one in (pair.new, pair.old))
    return tells and not told and seen["cover"] >= RETOLD and seen["rare"] >= LEAST_RETOLD


def _in_twin_sections(ours: Sequence[str], theirs: Sequence[str]) -> bool:
    """Whether two lines part under headings of one kind: "Python CLI" and "Node CLI", or those that name paths.

    >>> _in_twin_sections(["Build", "Python CLI"], ["Build", "Node CLI"]), _in_twin_sections(["Stack"], ["Release"])
    (True, False)
    """
    parted = _where_they_part(ours, theirs)
    if parted is None:
        return False
    one, other = parted
    return bool(content_stems(one) & content_stems(other)) or ("/" in one and "/" in other)


def chance(odds_in_logs: float) -> float:
    """The probability of these log-odds."""
    return 1 / (1 + math.exp(-odds_in_logs))


def sureness(seen: Mapping[str, float]) -> float:
    """How sure the fitted weights are that two claims with these observations clash, 0..1, where clashes are as common
    as in the files that they were fitted on (`usual_rate`).
    """
    weights = odds()
    return chance(weights["bias"] + sum(weights[name] * value for name, value in seen.items()))


def usual_rate() -> float:
    """The share of the looked-at pairs that clash in the files that the weights were fitted on, 0..1."""
    return float(_fitted()["usual_rate"])


@cache
def odds() -> Mapping[str, float]:
    """The weight of each observation, and the bias, in log-odds."""
    return {str(name): float(value) for name, value in _fitted()["weights"].items()}


@cache
def _fitted() -> Mapping[str, Any]:
    file = resources.files("stilltrue") / "weights" / ODDS_FILE
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found
