"""Which lines say the same twice, and may one of them go?

Lines of prose in the same words, under the same scope and lead-ins. Given under two dates, with two links, or as steps
of a procedure, the same words tell two things: those are no repeats. Left to others: whether the source bears a repeat
out to the letter (`audit.fixing`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from stilltrue.audit.claims import Form
from stilltrue.audit.findings import Edit, Finding, Kind, Severity, Side
from stilltrue.audit.precedence import standing
from stilltrue.model.verdict import Relation
from stilltrue.rules.text import content_words, normal_hash

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from stilltrue.audit.claims import Claim

LEAST_REPEATED: Final = 4
"""Content words of a line that is worth a finding when it is said twice."""
_BARE: Final = re.compile(r"[`*_]")
_ENDS: Final = (".", "!", "?")


def repeats(claims: Sequence[Claim]) -> Iterator[Finding]:
    """A finding for each line that says again what one before it says."""
    said: dict[tuple[object, ...], list[Claim]] = {}
    for claim in claims:
        if claim.form is Form.CELL or len(content_words(claim.text)) < LEAST_REPEATED or claim.text.endswith(":"):
            continue
        words = normal_hash(_BARE.sub("", claim.statement.text))
        before = said.setdefault((claim.space, words, claim.statement.slot.qualifiers, claim.links), [])
        known = next((one for one in before if _same(one, claim)), None)
        if known is None:
            before.append(claim)
        elif (known.file, known.line) != (claim.file, claim.line) and known.leads == claim.leads:
            yield _repeat(known, claim)


def _same(known: Claim, claim: Claim) -> bool:
    """Whether the same words tell the same: not of two days, and not as steps, each of which is to be taken."""
    two_days = known.dated is not None and claim.dated is not None and known.dated != claim.dated
    return not two_days and not (known.numbered and claim.numbered)


def _repeat(known: Claim, claim: Claim) -> Finding:
    same = known.text == claim.text
    words = f"{known.file}:{known.line} says the same; keep one of them"
    return Finding(
        kind=Kind.DUPLICATE,
        severity=Severity.WARNING,
        relation=Relation.DUPLICATE,
        confidence=1.0 if same else 0.97,
        here=Side.of(claim),
        there=Side.of(known),
        evidence=("Both lines say the same in the same words.", *standing(known, claim)),
        edit=Edit(
            claim.file, claim.line, claim.end_line, None, words,
            safe=same and claim.whole and known.file == claim.file and _says_it_for(known, claim),
        ),
    )  # fmt: skip


def _says_it_for(known: Claim, claim: Claim) -> bool:
    """Whether what stands at `known` goes for the place of `claim` too: under the same headings, or those above, and
    behind the same paragraph, where one may say of what the lines below it hold.
    """
    if claim.headings[: len(known.headings)] != known.headings:
        return False
    return known.group == claim.group or _over(known) in ("", _over(claim))


def _over(claim: Claim) -> str:
    """The paragraph that may say what a line is about: any over a list; over a paragraph only what is no sentence."""
    return "" if claim.form is not Form.BULLET and claim.before.endswith(_ENDS) else claim.before
