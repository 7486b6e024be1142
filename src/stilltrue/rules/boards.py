"""Which pieces of work does a text speak of, and how far are they? Status lists, their items, and work that is begun.

"**In progress:**" over a list gives every line its state; "Charts complete (Recharts)" carries its own; "Let's build
the order system" opens one. Two lists name the same work in other words: `same_item` tells. What a state retires is
for the judge to say, which known item is meant is asked by `write.continuing`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from stilltrue.model.slot import Value, ValueType
from stilltrue.rules.attributes import product_at
from stilltrue.rules.text import content_stems
from stilltrue.rules.words import words

STATUS: Final = "status"
"""The attribute that says how far a piece of work is."""

DONE: Final = "done"
"""The state that work ends in."""

_BOARD_WORDS: Final = {
    "todo": "pending", "to do": "pending", "to-do": "pending", "next": "pending", "next up": "pending",
    "up next": "pending", "coming next": "pending", "backlog": "pending", "planned": "pending",
    "not started": "pending", "not started yet": "pending", "remaining": "pending", "outstanding": "pending",
    "wip": "in progress", "doing": "in progress", "started": "in progress", "working on": "in progress",
    "all done": "done", "shipped": "done",
}  # fmt: skip
"""Names of columns that say a state on a board and nowhere else."""

STATES: Final = frozenset({DONE, "in progress", "pending", "blocked"})
"""The states that work goes through, by their canonical names; "open" or "cancelled" are states of other things."""

_TRIM: Final = " \t*_`:.!-–—✅☑✔🚧⏳❌🔜🟢🟡🔴📋"
_COUNT: Final = re.compile(r"\s*\(\d+(?:\s*/\s*\d+)?\)$|\s+(?:items?|tasks?|features?|work|so far)$", re.IGNORECASE)
_NAMED: Final = re.compile(
    r"^(?P<name>[^:()]{2,60}?)\s*(?:\s[—–-]\s|:\s|\()\s*(?P<state>[A-Za-z -]{2,20})\)?$"
    r"|^(?P<front>[A-Za-z -]{2,20}):\s+(?P<items>\S.*)$"
)
_DETAIL: Final = re.compile(r"\s+\(|\s+[—–]\s|:\s")
_TOLD: Final = re.compile(
    r"\b(?:is|are|'s|'re)\s+(?:(?:now|finally|all|fully|completely|already)\s+)*"
    r"(?:done|finished|complete|completed|in progress|under way)\b",
    re.IGNORECASE,
)
_LAST: Final = re.compile(r"^(?P<name>.{2,60}?)\s+(?:is |are |now )*(?P<state>\S+(?:\s\S+)?)$")
_BEGUN: Final = re.compile(
    r"^(?:(?:so|ok|okay|now|next|then|good|great|yes|perfect|alright|first)[,.!]?\s+)*"
    r"(?:let's|let us|lets|time to)\s+"
    r"(?:(?:build|add|design|implement|create|develop|set up|sort out|tackle|get started (?:on|with)|start (?:on|with))"
    r"\s+(?P<what>.+?)"
    r"|(?:get|finish|wrap up)\s+(?P<whole>.+?)\s+(?:done|finished|working|going|shipped))"
    r"(?:\s+(?:today|now|next|first|then|this (?:week|sprint)|tomorrow))?[.!]*$",
    re.IGNORECASE,
)
_LEADING: Final = re.compile(r"^(?:the|a|an|some|our|my|proper|basic|initial|new)\s+", re.IGNORECASE)
_NO_NOUN: Final = re.compile(
    r"\b(?:it|this|that|them|these|those|everything|started|going|one|you|me|to (?:the|your|my) \w+ list)\b|[?;:]",
    re.IGNORECASE,
)
_GENERIC: Final = content_stems("system feature module support page project proper basic initial new")
_LONGEST_OWNER: Final = 4  # words of the name of what a list is about; longer ones are sentences
_LONGEST: Final = 8  # words of the name of a piece of work; longer lines are prose


@dataclass(frozen=True, slots=True)
class Item:
    """A piece of work as it is named, and its state where the line tells."""

    name: str
    state: Value | None = None


def state_of(text: str) -> Value | None:
    """The state of work that these words are, as a whole.

    >>> state_of("Completed").key, state_of("✅ Done (3)").key, state_of("WIP").key, state_of("Rate limits")
    ('done', 'done', 'in progress', None)
    """
    shown = _COUNT.sub("", text.strip(_TRIM)).strip(_TRIM)
    low = " ".join(shown.lower().split())
    key = _BOARD_WORDS.get(low)
    if key is None and 0 < len(low) <= 20:  # noqa: PLR2004 - no state has a longer name
        found = words(low)
        hit = product_at(found, 0, STATUS)
        key = hit[1] if hit and hit[2] == len(found) else None
    return Value(shown, ValueType.ENUM, key) if key in STATES else None


def board(title: str) -> Item | None:
    """What a heading over a list says of the lines below: their state, and whose list it is (name "" for nobody's).

    >>> board("In Progress").name, board("Shop — complete").name, board("Shop (pending)").state.key, board("Keys")
    ('', 'Shop', 'pending', None)
    """
    whole = state_of(title)
    if whole is not None:
        return Item("", whole)
    hit = _NAMED.match(title.strip(_TRIM + " "))
    if hit is None or not hit["name"] or "`" in title or len(hit["name"].split()) > _LONGEST_OWNER:
        return None
    state = state_of(hit["state"])
    return Item(hit["name"].strip(_TRIM), state) if state is not None else None


def inline(title: str) -> tuple[str, int] | None:
    """Of a line that is a board by itself ("Pending: search, login"): its state and where the items begin.

    >>> inline("Pending: search, login"), inline("Note: search, login")
    (('Pending', 9), None)
    """
    hit = _NAMED.match(title)
    if hit is None or not hit["front"] or state_of(hit["front"]) is None:
        return None
    return hit["front"], hit.start("items")


def item(line: str) -> Item | None:
    """The work that a line of a status list names, with its own state if it has one; None for prose.

    >>> item("Shopping cart (Redis hash, 7-day TTL)"), item("Charts complete (Recharts)").state.key
    (Item(name='Shopping cart', state=None), 'done')
    """
    head = _DETAIL.split(line.strip(_TRIM), maxsplit=1)[0].strip(_TRIM)
    own: Value | None = None
    rest = line.strip(_TRIM)[len(head) :].strip(_TRIM + "()")
    if rest and state_of(rest) is not None:
        own = state_of(rest)
    else:
        last = _LAST.match(head)
        while last is not None and own is None:
            own = state_of(last["state"])
            if own is None and " " in last["state"]:
                last = re.match(r"^(?P<name>.{2,80})\s(?P<state>\S+)$", head)
            else:
                break
        head = last["name"] if own is not None and last is not None else head
    name = _name(head)
    return Item(name, own) if name else None


def begun(sentence: str) -> Item | None:
    """The work that a speaker sets out to do; None where it only talks.

    >>> begun("Now let's build the order system.").name, begun("Let's get the login done today").name
    ('order system', 'login')
    >>> begun("Let's get started"), begun("Let's add it"), begun("Let's use Postgres")
    (None, None, None)
    """
    hit = _BEGUN.match(sentence.replace("’", "'").strip())
    if hit is None:
        return None
    name = _name(hit["what"] or hit["whole"])
    if not name or _NO_NOUN.search(name):
        return None
    return Item(name, Value("in progress", ValueType.ENUM, "in progress"))


def _name(text: str) -> str:
    plain = text.replace("`", "").replace("*", "").strip(_TRIM)
    while (shorter := _LEADING.sub("", plain)) != plain:
        plain = shorter
    return plain if 0 < len(plain.split()) <= _LONGEST and content_stems(plain) else ""


def tells_state(sentence: str) -> bool:
    """Whether a sentence reports how far work is: "is done", not "can be cancelled".

    >>> tells_state("Stripe integration is done."), tells_state("Orders can be completed at any stage")
    (True, False)
    """
    return _TOLD.search(sentence.replace("’", "'")) is not None


def same_item(left: str, right: str) -> bool:
    """Whether two names may mean one piece of work: all that the one says is in the other.

    >>> same_item("Stripe payments", "checkout flow with Stripe payment processing")
    True
    >>> same_item("order system", "Orders")
    True
    >>> same_item("search index", "search page filters")
    False
    """
    old, new = item_key(left), item_key(right)
    return bool(old and new) and (old <= new or new <= old)


def item_key(name: str) -> frozenset[str]:
    """The words that tell one piece of work from another."""
    return content_stems(name) - _GENERIC
