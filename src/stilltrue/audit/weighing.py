"""Do two nominated claims clash, and on what ground that a person can check?

Likeness is no ground, and a model that was trained on statements is far out of its field in a manual: it sees a
conflict between any two descriptions of one package. So a clash needs a ground in the words, one of four:

* two figures of one kind for one thing ("two approvals", "one approval");
* a thing that one line says is over, used by the other ("the Fivetran contract has run out");
* what one line forbids or denies, done by the other ("never restart PostgreSQL", "restart the primary");
* two values in one recognised slot that holds one, which the judge is sure of.

The model's vote raises or lowers each. Left to others: nomination (`audit.pairing`), figures (`audit.figures`), what
becomes of a clash (`audit.comparing`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Final

from stilltrue.audit.claims import Form
from stilltrue.audit.figures import clash
from stilltrue.audit.frames import retells
from stilltrue.model.fact import Modality
from stilltrue.model.slot import Cardinality
from stilltrue.rules.attributes import attributes
from stilltrue.rules.lexicons import lexicon
from stilltrue.rules.pair import Difference, difference, is_fallback, pair_of
from stilltrue.rules.polarity import reading
from stilltrue.rules.shapes import canonical, shape
from stilltrue.rules.text import content_stems, stem, tokens

if TYPE_CHECKING:
    from stilltrue.audit.claims import Claim
    from stilltrue.audit.figures import Clash
    from stilltrue.audit.pairing import Words
    from stilltrue.model.fact import Statement

_VOICES: Final = frozenset({Modality.PLAN, Modality.HYPOTHETICAL, Modality.QUESTION, Modality.HEARSAY})
_SCOPES: Final = frozenset({"environment", "weekday", "platform", "time_of_day", "audience", "situation", "season"})
_BESIDE_FIGURES: Final = frozenset(
    map(
        stem,
        ("second", "minute", "hour", "day", "week", "month", "year", "before", "after", "within", "ahead", "ago",
         "late", "early", "long", "most", "least", "per", "each", "every", "time", "once", "maximum", "minimum",
         "max", "min",
         "limit", "default", "http", "https", "localhost"),
    )
)  # fmt: skip
"""Words that go with a figure and name no thing."""


@dataclass(frozen=True, slots=True)
class Ground:
    """Why two claims clash: which kind of ground, how strong (0..1, before the model's vote), and in words.

    `ended_by`: the claim that says of the other that it holds no longer.
    """

    kind: str
    strength: float
    note: str
    ended_by: Claim | None = None


@dataclass(frozen=True, slots=True)
class Pair:
    """Two claims, the older first, by their places, with the likeness of their vectors."""

    old: Claim
    new: Claim
    places: tuple[int, int]
    likeness: float


def stand_apart(old: Claim, new: Claim) -> bool:
    """Whether structure alone tells that two claims are not about one thing at one time.

    Values under different scopes, items of one list and rows of one table, what hangs under two items of one list,
    and columns that describe.
    """
    if _other_scope(old, new) or _items_apart(old, new):
        return True
    cells = [claim for claim in (old, new) if claim.form is Form.CELL]
    if any(claim.column and retells(claim.column) and claim.column.lower() not in _OPEN_COLUMNS for claim in cells):
        return True
    return len(cells) == 2 and (old.row != new.row or old.column != new.column or old.headings != new.headings)  # noqa: PLR2004 - both are cells


_OPEN_COLUMNS: Final = frozenset({"notes", "remarks", "comment", "comments", "details"})
"""Columns that hold facts as well as descriptions."""


def _is_said(claim: Claim) -> bool:
    """Whether it is told of now, as a fact or a rule."""
    return claim.statement.modality not in _VOICES and claim.statement.modality is not Modality.PAST


def _other_scope(old: Claim, new: Claim) -> bool:
    ours, theirs = dict(old.statement.slot.qualifiers), dict(new.statement.slot.qualifiers)
    named = (ours.keys() & theirs.keys() & _SCOPES) - {"weekday"}
    return any(ours[name] != theirs[name] for name in named)


def _items_apart(old: Claim, new: Claim) -> bool:
    """Members of one list, table or paragraph, or below two members of one list."""
    if old.file != new.file:
        return False
    if old.group == new.group and old.headings == new.headings:
        return True
    return bool(old.leads and new.leads) and old.headings == new.headings and old.leads != new.leads


def ground_of(pair: Pair, words: Words) -> Ground | None:
    """The best ground on which two claims clash, None without one."""
    found = [_over(pair, words)]
    if _is_said(pair.old) and _is_said(pair.new):
        found += [_figures(pair, words), _denied(pair, words), _switched(pair), _slot(pair, words)]
    return max((one for one in found if one is not None), key=lambda one: one.strength, default=None)


def confidence(ground: Ground, forth: float, back: float) -> float:
    """How sure a finding is, 0..1: the ground with the model's vote, read in both orders; 0 where the vote fails it.

    Figures need no vote (a small model cannot reckon); what is over, denied or swapped does.
    """
    most, least = max(forth, back), min(forth, back)
    match ground.kind:
        case "figures":
            return min(0.98, ground.strength + 0.1 * most)
        case "over":
            return 0.6 + 0.35 * (forth + back) / 2 if forth >= LEAST_OVER or least >= EVEN_OVER else 0.0
        case "banned":
            return ground.strength + 0.1 * most
        case "denied":
            return 0.55 + 0.35 * (forth + back) / 2 if most >= 0.5 and least >= LEAST_DENIED_VOTE else 0.0  # noqa: PLR2004 - even
        case "switched":
            return 0.6 + 0.35 * least if least >= LEAST_SWITCHED else 0.0
        case _:
            return 0.5 + 0.4 * least if forth >= LEAST_SLOT and least >= LEAST_SWITCHED else 0.0


LEAST_OVER: Final = 0.65
EVEN_OVER: Final = 0.45
LEAST_DENIED_VOTE: Final = 0.2
LEAST_SWITCHED: Final = 0.6
LEAST_SLOT: Final = 0.8
"""Probabilities of a conflict by the model, from which a ground counts: read off the development files, where the
grounds that hold and those that do not part there."""


def _figures(pair: Pair, words: Words) -> Ground | None:
    """Two figures of one kind for one thing."""
    one, other = pair.old.statement.text, pair.new.statement.text
    found = clash(one, other)
    if found is None or any(_observes(text) or _excepts(text) for text in (one, other)):
        return None
    beside = _BESIDE_FIGURES | (frozenset() if found.kind == "version" else {found.kind})
    shared, cover = _common(pair, words, beside)
    same_name = found.kind == "version" and bool(content_stems(found.one) & content_stems(found.other) & shared)
    if not shared or (_other_thing(pair, found) and not same_name):
        return None
    closeness = pair.likeness + 0.6 * cover + (0.25 if same_name else 0.0) - (0.2 if _other_deed(pair, words) else 0.0)
    if closeness < LEAST_CLOSE:
        return None
    note = f"the older line says {_plain(found.one)}, the newer one {_plain(found.other)}"
    return Ground("figures", min(0.95, 0.65 + 0.5 * (closeness - LEAST_CLOSE)), note)


def _plain(said: str) -> str:
    return said.strip("` ")


LEAST_CLOSE: Final = 0.78
"""Likeness plus 0.6 of the shared words' worth, from which two figures are of one thing: read off the dev files."""


def _other_deed(pair: Pair, words: Words) -> bool:
    """Each line has a verb of its own, of which the other knows nothing ("is reminded", "can cancel")."""
    if pair.likeness >= ONE_DEED:
        return False
    deeds = [shape(one.statement.text).predicate for one in (pair.old, pair.new)]
    if any(deed is None or {deed.split()[0], canonical(deed)} & _LIGHT for deed in deeds):
        return False
    stems = [stem((deed or "").split()[0]) for deed in deeds]
    return stems[0] not in words.stems[pair.places[1]] and stems[1] not in words.stems[pair.places[0]]


ONE_DEED: Final = 0.65
"""The likeness from which two verbs are taken to say one thing ("are kept", "pick")."""
_LIGHT: Final = frozenset(
    {"be", "have", "use", "get", "take", "go", "keep", "last", "run", "need", "hold", "listen", "start", "begin",
     "do", "set", "live", "stay", "make", "come", "allow", "give", "call", "suffice", "require", "kick", "put",
     "expire",
     "cost"}
)  # fmt: skip
"""Verbs that go with any figure."""


def _common(pair: Pair, words: Words, beside: frozenset[str]) -> tuple[frozenset[str], float]:
    """The words two claims share besides figures, and which share of the smaller claim's worth they are."""
    one, other = (
        frozenset(word for word in words.stems[place] - beside if not word[:1].isdigit()) for place in pair.places
    )
    shared = one & other
    return shared, words.weight(shared) / max(min(words.weight(one), words.weight(other)), 1e-9)


def _other_thing(pair: Pair, found: Clash | None = None) -> bool:
    """Whether the heads of the sentences tell of two things; for cells, whether the row is not in the other line."""
    if any(not _row_known(one, other) for one, other in ((pair.old, pair.new), (pair.new, pair.old))):
        return True
    olds = _clauses(pair.old, found.one if found is not None else None)
    news = _clauses(pair.new, found.other if found is not None else None)
    kinds = [difference(pair_of(old, new)) for old in olds for new in news]
    return bool(kinds) and all(kind in (Difference.HEADED, Difference.MODIFIED) for kind in kinds)


def _clauses(claim: Claim, figure: str | None) -> tuple[Statement, ...]:
    """A claim by its clauses, by those that hold a figure where one is asked for."""
    whole = claim.statement
    parts = claim.parts or tuple(
        replace(whole, text=part.strip()) for part in whole.text.split("; ") if len(tokens(part)) > 1
    )
    holding = tuple(part for part in parts if figure is None or figure in part.text)
    return tuple(replace(part, text=_EACH.sub("", part.text)) for part in holding or (whole,))


_EACH: Final = re.compile(r"^(?:every|each|all|any|our|one|a|an|the)\s+", re.IGNORECASE)
"""Words before a noun that make no other thing of it."""


def _row_known(cell: Claim, other: Claim) -> bool:
    """What a row is called stands, for the greater part, in the other line or over it."""
    if cell.form is not Form.CELL or not cell.row:
        return True
    named = content_stems(cell.row)
    return 2 * len(named & content_stems(" ".join((other.statement.text, *other.headings)))) >= len(named)


def _over(pair: Pair, words: Words) -> Ground | None:
    """A thing that one line says is over, and that the other still has."""
    for ended, other in ((pair.new, pair.old), (pair.old, pair.new)):
        later = ended.dated is None or other.dated is None or ended.dated >= other.dated
        if not later or not _is_said(ended) or other.statement.modality is Modality.PAST or _is_event(other):
            continue
        thing = _thing_over(ended.statement.text, other.statement.text, words)
        if thing is not None and not _ends().search(other.statement.text) and not _row_is_short(other, ended):
            note = f"the other line says that {thing} is over or was left"
            return Ground("over", 0.7, note, ended)
    return None


def _row_is_short(cell: Claim, other: Claim) -> bool:
    """A cell belongs to its row, so a row that the other line does not name is another thing."""
    return not _row_known(cell, other)


_EVENT: Final = re.compile(
    r"(?:\w+ed|made|bought|had|went|met|got|took|gave|sent|paid|saw|found|told)\b", re.IGNORECASE
)


def _is_event(claim: Claim) -> bool:
    """A dated entry that tells what was done that day leaves nothing to clean up."""
    return claim.dated is not None and _EVENT.match(claim.text) is not None


def _thing_over(text: str, other: str, words: Words) -> str | None:
    """A named thing in the clause that tells of an end, which the other line names too."""
    rare = {word for word in reading(text).content & reading(other).content if words.worth.get(word, 0.0) >= words.rare}
    for clause in _CLAUSE.split(text):
        if not _ends().search(clause) or _DEPENDS.search(clause):
            continue
        left = _FROM.search(clause)
        for hit in _WORD.finditer(left["left"] if left is not None else clause):
            word = hit.group()
            if content_stems(word) & rare and _is_name(word, other, words) and not _measures(hit):
                return word.strip("`'’")
    return None


def _measures(hit: re.Match[str]) -> bool:
    """A unit behind a figure is no thing."""
    return hit.string[: hit.start()].rstrip()[-1:].isdigit()


def _is_name(word: str, other: str, words: Words) -> bool:
    """A name or an identifier: a figure or a capital in it, code, or a compound that both lines write alike."""
    bare = word.strip("`'’.,")
    if not any(char.isalpha() for char in bare):
        return False
    coded = any(char.isdigit() or char in "_/@" for char in bare) or bare[1:] != bare[1:].lower()
    named = bare[:1].isupper() and bare.lower() not in words.common
    return coded or named or ("-" in bare and bare.lower() in other.lower())


_CLAUSE: Final = re.compile(r"[;.!?]\s+|\s[–—]\s|,\s+(?=(?:and|but|so|he|she|it|they)\b)")
_DEPENDS: Final = re.compile(
    r"\b(?:after|once|if|when|until|unless|before) (?:that|this|the|it|a|an|you|we)\b", re.IGNORECASE
)
_FROM: Final = re.compile(
    r"\b(?:switch(?:ed)?|mov(?:e|ed)|migrat(?:e|ed)|chang(?:e|ed))\b.{0,60}?\bfrom (?P<left>.+?) to\b"
)
_WORD: Final = re.compile(r"`[^`]+`|[\w'’/@.-]*\w")


@cache
def _ends() -> re.Pattern[str]:
    return _pattern("ends")


def _observes(text: str) -> bool:
    return bool(_pattern("observes").search(text))


def _excepts(text: str) -> bool:
    return bool(_pattern("excepts").search(text))


@cache
def _pattern(table: str) -> re.Pattern[str]:
    return re.compile(r"\b(?:" + "|".join(lexicon("memory_files")[table]["patterns"]) + r")(?!\w)", re.IGNORECASE)


_HEDGED: Final = re.compile(
    r"\b(?:without|unless|until|except|if|when|while|before|only|instead|rather|than|outside|but)\b", re.IGNORECASE
)
_RULES_OUT: Final = re.compile(
    r"(?:^|[;:,.]\s+|\b(?:must|may|should|person|can|do|please) )(?:never|do not|don['’]?t|no|not|nobody)\b|\bnever\b",
    re.IGNORECASE,
)
_FORBIDS: Final = re.compile(
    r"\b(?:banned|forbidden|prohibited|not allowed|not accepted|disallowed|must not be used)\b", re.IGNORECASE
)
_CODE: Final = re.compile(r"`([^`]{2,60})`")


def _denied(pair: Pair, words: Words) -> Ground | None:
    """What one line rules out, the other does."""
    for no, yes in ((pair.old, pair.new), (pair.new, pair.old)):
        text, done = no.statement.text, yes.statement.text
        said, told = reading(text), reading(done)
        if told.denied & said.denied or told.negative or _excepts(done) or _excepts(text):
            continue
        named = _forbidden_code(text, done)
        if named is not None:
            return Ground("banned", 0.8, f"the one forbids {named}, the other uses it")
        denied = frozenset(word for word in said.denied if word not in _EMPTY)
        if not denied or not _RULES_OUT.search(text) or _HEDGED.search(_denial(text)):
            continue
        held = denied & told.content
        share = words.weight(held) / max(words.weight(denied), 1e-9)
        deed = next(
            (word for word in map(stem, tokens(_denial(text))) if word in said.denied and word not in _EMPTY), ""
        )
        known = deed in held and any(words.worth.get(word, 0.0) >= words.rare for word in held)
        if share < LEAST_DENIED or not known:
            continue
        note = f"the one rules out what the other says: {', '.join(sorted(held))}"
        if stem(tokens(done)[0]) == deed and len(held) > 1 and yes.form is not Form.CELL:
            return Ground("banned", 0.75, note)
        if pair.likeness >= LEAST_ALIKE_DENIED and not _other_thing(pair):
            return Ground("denied", 0.5, note)
    return None


LEAST_DENIED: Final = 0.6
LEAST_ALIKE_DENIED: Final = 0.45
_EMPTY: Final = frozenset(stem(word) for word in ("any", "anymore", "longer", "ever", "thing", "make", "them", "it"))


def _denial(text: str) -> str:
    """The words from the negation on, up to the end of its clause."""
    found = re.search(r"\b(?:never|not|no|don['’]?t|cannot|nor)\b[^;:.!?]*", text, re.IGNORECASE)
    return found.group() if found else ""


def _forbidden_code(text: str, done: str) -> str | None:
    """An identifier that one line bans by name and the other has among its code."""
    if not _FORBIDS.search(text):
        return None
    names = [name for name in _CODE.findall(text) if name.isidentifier() and len(name) > 4]  # noqa: PLR2004 - "any", "npm" are words too
    used = " ".join(_CODE.findall(done))
    return next((name for name in names if re.search(rf"\b{re.escape(name)}\b", used)), None)


_STATE: Final = re.compile(
    r"\b(?:is|are|stays?|must be|must stay|switched|turned|kept|remains?)\s+(?P<state>on|off|enabled|disabled)\b",
    re.IGNORECASE,
)
_ON: Final = frozenset({"on", "enabled"})


def _switched(pair: Pair) -> Ground | None:
    """One thing, on in the one line and off in the other."""
    states = [
        {hit["state"].lower() in _ON for hit in _STATE.finditer(one.statement.text)} for one in (pair.old, pair.new)
    ]
    if states not in ([{True}, {False}], [{False}, {True}]) or pair.likeness < LEAST_ALIKE_SLOT:
        return None
    return Ground("switched", 0.6, "one line has it on, the other off")


def _slot(pair: Pair, words: Words) -> Ground | None:
    """Two values in one recognised slot of one thing, which the rules compare as names."""
    both = pair_of(pair.old.statement, pair.new.statement)
    attribute = pair.new.statement.slot.attribute
    one = pair.old.statement.cardinality is pair.new.statement.cardinality is Cardinality.ONE
    known = one and both.recognised_slot and not is_fallback(attribute) and attribute in attributes()
    if not known or Form.CELL in (pair.old.form, pair.new.form) or _other_thing(pair):
        return None
    if any(character.isdigit() for one in (pair.old, pair.new) for character in one.text):
        return None
    shared, cover = _common(pair, words, frozenset())
    if not shared or pair.likeness < LEAST_ALIKE_SLOT:
        return None
    return Ground("slot", 0.4 + 0.2 * cover, f"two values of one {str(attribute).replace('_', ' ')}")


LEAST_ALIKE_SLOT: Final = 0.5
