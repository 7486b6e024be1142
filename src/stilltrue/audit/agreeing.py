"""Do two lines say the same of one thing, the one as it is and the other by how it came to be so, or in another unit?

"The request log has 500 entries" and "raised from 100 to 500 entries" agree, and so do 10 years and 120 months; a
judge of sentences takes them for a change. In the labelled files (`training.files`) no pair of 40 such was a clash.
Left to others: what does clash (`audit.weighing`), figures and their units (`audit.figures`).
"""

from __future__ import annotations

import re
from typing import Final

from stilltrue.audit.figures import same_in_other_figures
from stilltrue.rules.text import content_stems
from stilltrue.rules.wording import wording

_PHRASE: Final = r"(?:[^.;:,]|(?<=\d)[.,](?=\d)){1,60}"
_FROM_TO: Final = re.compile(
    rf"\bfrom (?P<before>{_PHRASE}?) (?:up |down |over |back )?to (?P<after>{_PHRASE})", re.IGNORECASE
)


def tell_the_same(one: str, other: str) -> bool:
    """Whether two lines agree on what they share.

    >>> tell_the_same("Flags come from Unleash.", "Flags moved from LaunchDarkly to Unleash.")
    True
    >>> tell_the_same("Flags come from LaunchDarkly.", "Flags moved from LaunchDarkly to Unleash.")
    False
    >>> tell_the_same("Records are kept for 10 years.", "Records are kept for 120 months.")
    True
    """
    return _ends_at(one, other) or _ends_at(other, one) or same_in_other_figures(one, other)


def _ends_at(told: str, standing: str) -> bool:
    """Whether `told` tells of a change to what `standing` says, and not from it."""
    change = _FROM_TO.search(told)
    if change is None or not wording(told).announces:
        return False
    before, after, held = (content_stems(text) for text in (change["before"], change["after"], standing))
    return bool(before) and not (before - after) & held and bool((after - before) & held)
