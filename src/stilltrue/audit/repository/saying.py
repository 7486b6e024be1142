"""What does a claim say outright? Only that can be proved wrong: no plan, no example, no denial, no tale of the past.

Left to others: what each kind of claim means (`managers`, `versions`, `targets`, `paths`, `ports`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from stilltrue.audit.claims import Form
from stilltrue.model.fact import Modality

if TYPE_CHECKING:
    from stilltrue.audit.claims import Claim

_CODE: Final = re.compile(r"`([^`\n]{1,200})`")
_ASIDE: Final = re.compile(
    r"\b(?:e\.g|i\.e|for example|for instance|such as|examples?|sample|like|hypothetical\w*|suppose|imagine|would|"
    r"could|might|if|unless|when(?:ever)? (?:there|you add|adding)|todo|tbd|"
    r"planned|proposed?|should (?:be|become|move)|will|"
    r"upcoming|future|soon|once|until|used to|formerly|previously|originally|historical\w*|was|were|had|deprecated|"
    r"obsolete|legacy|old|removed?|deleted?|dropped|gone|moved|renamed?|replaced?|"
    r"migrat\w+|upgrad\w+|switch\w*|no longer|"
    r"instead of|rather than|not|never|don[’']t|do not|doesn[’']t|isn[’']t|aren[’']t|"
    r"avoid|without|neither|nor|no|"
    r"other (?:projects?|repos\w*)|elsewhere|upstream|fork\w*|compatib\w+|introduced|since|prior to)\b",
    re.IGNORECASE,
)
_MADE: Final = re.compile(
    r"\b(?:generat\w+|creat\w+|writes?|written|output\w*|produc\w+|emit\w*|built|compil\w+|"
    r"bundl\w+ (?:to|into)|stor(?:es?|ed)|ignored|gitignored|git-ignored|untracked|"
    r"local(?:ly)?|cach\w+|temp\w*|artifacts?|download\w*|install(?:s|ed)?|"
    r"add|adds|adding|new|make (?:a|an|your|sure)|save[sd]?|dump\w*|logs?|optional\w*|placeholder|"
    r"template|scaffold\w*|copy|cp|your|user[’']?s|override\w*|secrets?|at runtime|on startup|mount\w*|deploy\w*)\b",
    re.IGNORECASE,
)
_EXAMPLE_HEADING: Final = re.compile(
    r"\b(?:examples?|template|history|changelog|migration|roadmap|future|ideas?)\b", re.IGNORECASE
)
_SAID: Final = frozenset({Modality.ASSERTION, Modality.RULE})


@dataclass(frozen=True, slots=True)
class Saying:
    """A claim as the provers see it: all its words, what stands in backticks, and the folder its file lies in.

    `outright`: it says so of here and now. `folder` is relative to the root.
    """

    claim: Claim
    words: str
    code: tuple[str, ...]
    folder: str
    outright: bool


def saying_of(claim: Claim, folder: str) -> Saying:
    """What a claim says; a cell's row names what its column tells of."""
    words = claim.text
    if claim.form is Form.CELL:
        words = f"{claim.statement.slot.subject} {claim.statement.slot.attribute or ''}: {claim.text}"
    code = tuple(_CODE.findall(words))
    prose = _CODE.sub(" ", words)
    outright = (
        claim.statement.modality in _SAID
        and not claim.statement.negated
        and not prose.rstrip().endswith("?")
        and _ASIDE.search(prose) is None
        and not any(_EXAMPLE_HEADING.search(title) for title in claim.headings)
    )
    return Saying(claim, words, code, folder, outright)


def is_made(words: str) -> bool:
    """Whether what is named comes into being only by work, or is a person's own, so that it may well be absent."""
    return _MADE.search(_CODE.sub(" ", words)) is not None
