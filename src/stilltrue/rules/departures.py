"""Which values does a sentence leave behind? "switched from X to Y", "Y instead of X", "X -> Y", "dropped X".

Answers with the value left, the value that comes in its place, and the sentence without the words that say so, so that
the rest reads like any other claim.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_CHANGE = (
    r"switch(?:ed|es|ing)?|mov(?:e|ed|es|ing)|migrat(?:e|ed|es|ing|ion)|chang(?:e|ed|es|ing)|convert(?:ed|s|ing)?|"
    r"transition(?:ed|s|ing)?|went|go(?:es|ing|ne)?|shift(?:ed|s|ing)?|swap(?:ped|s|ping)?|bump(?:ed|s|ing)?|"
    r"upgrad(?:e|ed|es|ing)|downgrad(?:e|ed|es|ing)|rais(?:e|ed|es|ing)|increas(?:e|ed|es|ing)|lower(?:ed|s|ing)?|"
    r"reduc(?:e|ed|es|ing)|dropp?(?:ed|s|ing)?|cut(?:s|ting)?|renam(?:e|ed|es|ing)|port(?:ed|s|ing)?|rose|fell|grew|"
    r"relocat(?:e|ed|es|ing)|transfer(?:red|s|ring)?|extend(?:ed|s|ing)?|shrunk|shrank|pushed|postponed|rescheduled|"
    r"rewrote|rewritten|switch-over|increase|doubled|tripled|halved|turn(?:ed|s|ing)?|updat(?:e|ed|es|ing)|"
    r"adjust(?:ed|s|ing)?|climb(?:ed|s|ing)?|rises|risen|falls|fallen|slipp?(?:ed|s|ing)|"
    r"delay(?:ed|ing)|put(?=\s[^,;:()—]{0,40}\s(?:up|down)\sto\s[$€£]?\d)|"
    r"c[ao]me|promot(?:ed|ing)|shorten(?:ed|s|ing)?"
)
_VALUE = r"(?:(?:the|a|an|our|my)\s+)?(?P<{0}>(?:[^,;:()—]|[,:](?=\d)){{1,60}}?)"
_END = (
    r"(?=\s*(?:$|[,:](?!\d)|[;!()—]|\.(?:\s|$)|\b(?:for|because|since|so|as|in|on|at|by|"
    r"and|but|with|after|before|last|this|when|while|due|now|today|yesterday|to)\b))"
)
_FROM_TO = re.compile(
    rf"\b(?P<verb>{_CHANGE})\b(?P<object>[^,;:()—]{{0,60}}?)\s+from\s+{_VALUE.format('old')}\s+"
    rf"(?:over\s+|back\s+)?(?:to|into|onto)"
    rf"\s+{_VALUE.format('new')}{_END}",
    re.IGNORECASE,
)
_OFF_TO = re.compile(
    rf"\b(?P<verb>mov(?:e|ed|es|ing)|migrat(?:e|ed|es|ing)|switch(?:ed|es|ing)?|transition(?:ed|ing)?)\s+off(?:\s+of)?\s+"
    rf"{_VALUE.format('old')}\s+(?:and\s+)?(?:over\s+)?(?:to|onto)\s+{_VALUE.format('new')}{_END}",
    re.IGNORECASE,
)
_TO_FROM = re.compile(
    rf"\b(?P<verb>{_CHANGE})\b(?P<object>[^,;:()—]{{0,60}}?)\s+(?:over\s+|back\s+)?to\s+{_VALUE.format('new')}"
    rf"\s+from\s+{_VALUE.format('old')}{_END}",
    re.IGNORECASE,
)
_REPLACE = re.compile(
    rf"\b(?P<verb>replac(?:e|ed|es|ing)|swap(?:ped|s|ping)?(?:\s+out)?|substitut(?:e|ed|es|ing)|trad(?:e|ed|es|"
    rf"ing)(?:\s+in)?)\s+"
    rf"{_VALUE.format('old')}\s+(?:with|by|for)\s+{_VALUE.format('new')}{_END}",
    re.IGNORECASE,
)
_LEFT_FOR = re.compile(
    rf"\b(?P<verb>left|leaving|ditched|abandoned|dumped)\s+{_VALUE.format('old')}\s+(?:for|in favou?r of)\s+"
    rf"{_VALUE.format('new')}{_END}",
    re.IGNORECASE,
)
_DROPPED_FOR = re.compile(
    rf"\b(?P<verb>dropp?(?:ed|s|ing)?|remov(?:ed|es|ing)|retir(?:ed|es|ing)|scrap(?:ped|s|ping)|deprecated|gave up)\s+"
    rf"{_VALUE.format('old')}\s+in favou?r of\s+{_VALUE.format('new')}{_END}",
    re.IGNORECASE,
)
_REPLACED_BY = re.compile(
    rf"^\s*{_VALUE.format('old')}\s+(?:was|were|is|are|has been|have been|got|gets|"
    rf"is being)\s+(?:now\s+)?(?P<verb>replaced|superseded|"
    rf"succeeded)\s+(?:by|with)\s+{_VALUE.format('new')}{_END}",
    re.IGNORECASE,
)
_TAKES_PLACE = re.compile(
    rf"^\s*{_VALUE.format('new')}\s+(?:has\s+|have\s+|now\s+)*(?P<verb>replac(?:e|es|ed)|supersed(?:e|es|ed)|"
    rf"took over from|takes over from|"
    rf"succeed(?:s|ed))\s+{_VALUE.format('old')}{_END}",
    re.IGNORECASE,
)
_TO = re.compile(
    rf"\b(?P<verb>{_CHANGE}|set)\b(?P<object>[^,;:()—]{{0,60}}?)\s+(?:over\s+|back\s+|up\s+|"
    rf"down\s+)?to\s+{_VALUE.format('new')}{_END}",
    re.IGNORECASE,
)
_TRANSFERS = (
    (_FROM_TO, ("from",)),
    (_OFF_TO, ("off",)),
    (_TO_FROM, ("from",)),
    (_LEFT_FOR, ("left", "leaving", "ditched", "abandoned", "dumped")),
    (_DROPPED_FOR, ("favo",)),
    (_REPLACE, ("replac", "swap", "substitut", "trad")),
    (_REPLACED_BY, ("replaced", "superseded", "succeeded")),
    (_TAKES_PLACE, ("replac", "supersed", "succeed", "over from")),
)
"""Each with letters of which it needs one: most texts have none, and need not be searched."""

_ARROW = re.compile(
    r"(?<![^\s:=,;()])(?P<old>[^\s:=,;()]+(?:\s[^\s:=,;()]+){0,3}?)\s*(?:->|=>|→)\s*(?P<new>[^\s,;()]+)"
)
_ARROWS = re.compile(r"->|=>|→")
_PLACEHOLDER = re.compile(r"[}>][`'\"]?\s*(?:->|=>|→)")
"""Two arrows are a sequence, and what stands in brackets before one is a form to fill in: nothing is left there."""
_WAS = re.compile(
    r"[,(]\s*(?:was|previously|formerly|before that|used to be|it was|up from|down from|up|"
    r"not)\s+(?P<old>[^,;()]{1,60}?)\s*(?:\)|$|[.;,])",
    re.IGNORECASE,
)
_MANNER = re.compile(r"[a-z]+ing\s+\S")  # "rather than removing the record" contrasts a way of doing, no value
_OLD = r"(?P<old>[^,;.!()—]{1,60}?)(?=\s*(?:$|[,;!()—]|\.(?:\s|$)|\b(?:for|because|since|so|when)\b))"
_NEVER_BUT = re.compile(
    r"\b(?P<be>is|are|was|were|has been|have been)(?:\s+never(?:\s+on|\s+in)?|\s+not|"
    r"n't)\s+(?P<old>[^,;:.()]{1,40}?|[^,;:()]{1,40}?)"
    r"\s*(?:[,;—-]|\band\b|\bbut\b)\s*(?:it|that|they|he|she)(?:'s|'re|\s+(?:is|was|are|were|has been|"
    r"has always been))\s+(?=\S)",
    re.IGNORECASE,
)
"""A correction that names both: "was never 900, it is 800" says 800, and that 900 was wrong."""
_ALWAYS = r"(?:(?:always|actually|really|in fact|all along)\s+(?=\S)|(?-i:(?=[A-Z0-9$€£])))"
"""What shows that the words after "it was" are the right value and no remark on the wrong one ("it was too slow")."""
_NEVER_DID = re.compile(
    r"\b(?:(?:has|have|had)\s+)?(?:never|did\s+not|didn't)\s+(?:(?:actually|really|ever)\s+)?"
    r"(?P<verb>[a-z]+(?:\s+(?:in|at|for|on|with|as|to))?)\s+(?P<old>[^,;:()]{1,40}?)\s*(?:[,;—]|\s-)\s*(?:it|that)"
    r"(?:'s|\s+(?:is|was|has|has\s+been|had\s+been|were))\s+(?:been\s+)?" + _ALWAYS,
    re.IGNORECASE,
)
"""The same of another verb: "never lived in Lyon; it was always Nice" says that he lived in Nice."""
_IT_NEVER = re.compile(
    r"(?:^|(?<=, )|(?<=\. ))\s*(?:it|that)(?:'s|\s+(?:is|was|has\s+been))(?:\s+(?:never|not)|n't)\s+"
    r"(?:(?:been|on|in)\s+)*(?P<old>(?-i:[A-Z0-9$€£])[^,;:()]{0,40}?)\s*(?:;|—|,)\s*(?:(?:and|but)\s+)?"
    r"(?=(?:the|our|my|his|her|their|we|i|user)\b)",
    re.IGNORECASE,
)
"""The same with the thing named last: "it was never Postgres; our database is MySQL"."""
_INSTEAD = re.compile(
    r"(?:(?<=\s)(?:(?:and|but)\s+not\s+(?:on\s+|in\s+)?|instead\s+of\s+(?:using\s+|taking\s+|on\s+|the\s+)?"
    r"|rather\s+than\s+(?:using\s+|in\s+|on\s+|the\s+)?|in\s+place\s+of\s+)|,\s{0,3}not\s+(?:the\s+|on\s+|in\s+)?)"
    + _OLD,
    re.IGNORECASE,
)
_NOT_BUT = re.compile(r"\bnot\s+(?P<old>[^,;.()]{1,40}?),?\s+but\s+(?:rather\s+)?(?=\S)", re.IGNORECASE)

_DROP = re.compile(
    r"\b(?P<verb>(?:mov(?:e|ed|es|ing)|migrat(?:e|ed|ing)|switch(?:ed|ing)?|got|get|getting)\s+(?:away\s+from|"
    r"off(?:\s+of)?|rid\s+of)|"
    r"dropp?(?:ed|s|ing)?|ditch(?:ed|es|ing)?|abandon(?:ed|s|ing)?|phas(?:e|ed|ing)\s+out|remov(?:e|ed|es|ing)|"
    r"retir(?:ed|ing|e)|decommission(?:ed|ing)?|sunset(?:ting)?|(?:stopp?(?:ed|s|ing)?|quit|gave\s+up)\s+using|"
    r"g(?:ave|iv(?:e|ing|en))\s+up(?:\s+on)?|"
    r"cancel(?:l?ed|l?ing|s)?|sold|selling|uninstall(?:ed|ing)?|scrap(?:ped|ping)?|axed?|got\s+done\s+with|"
    r"deprecated|discontinued|shut\s+down|threw\s+out|"
    r"broke\s+up\s+with|split\s+(?:up\s+)?(?:with|from)|no\s+longer\s+(?:use|uses|using|on|have|has))\s+"
    r"(?:(?:the|my|our|a|an|his|her|their|all)\s+)*(?P<old>[^,;:.()—]{1,60}?)"
    r"(?=\s*(?:$|[,;:!()—]|\.(?:\s|$)|\b(?:for|because|since|so|as|in|on|at|by|and|but|with|after|last|this|when|"
    r"from|altogether|entirely|completely|yesterday|today)\b))",
    re.IGNORECASE,
)


_LONGEST = 1_000  # what is corrected further on is left to the reader of clauses


@dataclass(frozen=True, slots=True)
class Departure:
    """What is left (`old`) and what comes (`new`, None for a mere end).

    `before`: the words before the verb, `thing`: what is changed ("moved THE TIMEOUT from …"); `start` and `end`: the
    change itself, in the text with single spaces.
    """

    old: str | None
    new: str | None
    before: str
    thing: str
    verb: str
    start: int
    end: int


def _narrow(text: str) -> str:
    """Single spaces: what was blanked out leaves long runs, and each would be tried from every place."""
    return " ".join(text.split())


def transfer(text: str) -> Departure | None:
    """The first change from one value to another.

    >>> found = transfer("We switched the API from REST to GraphQL")
    >>> found.old, found.new, found.thing
    ('REST', 'GraphQL', 'the API')
    >>> transfer("I drove from Oslo to Bergen") is None
    True
    """
    text = _narrow(text)
    low = text.lower()
    may = [pattern for pattern, needed in _TRANSFERS if not low.isascii() or any(part in low for part in needed)]
    hits = [hit for pattern in may if (hit := pattern.search(text)) and (pattern is not _OFF_TO or _names(hit))]
    if not hits:
        return None
    hit = min(hits, key=lambda h: h.start("verb"))
    groups = hit.groupdict()
    before = text[: hit.start("verb")] if hit.re not in (_REPLACED_BY, _TAKES_PLACE) else ""
    thing = (groups.get("object") or "").strip()
    return Departure(
        hit["old"].strip(), hit["new"].strip(), before, thing, hit["verb"].lower(), hit.start(), hit.end("new")
    )


def _names(hit: re.Match[str]) -> bool:
    """Whether a name is left, or comes: "moved off campus to save money" leaves nothing for anything."""
    return any(letter.isupper() or letter.isdigit() for letter in hit["old"] + hit["new"])


def rise(text: str) -> Departure | None:
    """A change that names only the new value: "raised the limit to 50".

    >>> found = rise("We upgraded the backend to Python 3.12.")
    >>> found.thing, found.new
    ('the backend', 'Python 3.12')
    """
    text = _narrow(text)
    hit = _TO.search(text)
    if hit is None:
        return None
    thing = hit["object"].strip()
    return Departure(
        None, hit["new"].strip(), text[: hit.start("verb")], thing, hit["verb"].lower(), hit.start(), hit.end("new")
    )


def drop(text: str) -> Departure | None:
    """The first value that is given up with nothing in its place.

    >>> drop("We're moving away from SQLAlchemy for the async support").old
    'SQLAlchemy'
    >>> drop("We use Redis") is None
    True
    """
    text = _narrow(text)
    hit = _DROP.search(text)
    if hit is None:
        return None
    return Departure(
        hit["old"].strip(), None, text[: hit.start("verb")], "", hit["verb"].lower(), hit.start(), hit.end()
    )


def corrects_at(text: str, at: int) -> bool:
    """Whether the joint at `at` lies inside a correction that names the wrong and the right value: one claim, not two.

    >>> line = "I never lived in Lyon; it was always Nice"
    >>> corrects_at(line, line.index(";")), corrects_at("I never ski; it is cold", 11)
    (True, False)
    """
    patterns = (_NEVER_DID, _IT_NEVER, _NEVER_BUT)
    return any(hit.start() <= at < hit.end() for pattern in patterns for hit in pattern.finditer(text[:_LONGEST]))


def strip_old(text: str) -> tuple[str, tuple[str, ...]]:
    """The text with old values blanked out where they only stand beside the new one, and those values.

    >>> strip_old("Use bun, not npm")
    ('Use bun         ', ('npm',))
    >>> strip_old("payments quota: 32 -> 48 CPUs")
    ('payments quota:       48 CPUs', ('32',))
    >>> strip_old("The limit was never 900, it is 800")
    ('The limit was                  800', ('900',))
    >>> strip_old("I never lived in Lyon; it was always Nice")[1], strip_old("I never liked Lyon; it was too loud")[1]
    (('Lyon',), ())
    >>> strip_old("Lifecycle: new -> paid -> sent")[1], strip_old("Mark it rather than removing the row")[1]
    ((), ())
    >>> strip_old("It is not only fast")
    ('It is not only fast', ())
    """
    left: list[str] = []

    def arrow(hit: re.Match[str]) -> str:
        left.append(hit["old"].strip())
        return " " * (hit.start("new") - hit.start()) + hit["new"]

    def gone(hit: re.Match[str]) -> str:
        old = hit["old"].strip()
        if old.lower().split(" ")[0] in {"only", "just", "yet", "sure", "to", "even", "a", "much"}:
            return hit.group()
        if " by " in old or _MANNER.match(old):
            return " " * len(hit.group())
        left.extend(part.strip() for part in re.split(r"\s+(?:or|and|nor)\s+|,\s*", old) if part.strip())
        return " " * len(hit.group())

    def corrected(hit: re.Match[str]) -> str:
        left.append(hit["old"].strip())
        return hit["be"] + " " * (len(hit.group()) - len(hit["be"]))

    def denied(hit: re.Match[str]) -> str:
        left.append(hit["old"].strip())
        verb = hit["verb"] if "verb" in hit.re.groupindex else ""
        return " " * (len(hit.group()) - len(verb) - 1) + verb + " "

    text = _NEVER_DID.sub(denied, text, count=1)
    text = _IT_NEVER.sub(denied, text, count=1)
    text = _NEVER_BUT.sub(corrected, text, count=1)
    if len(_ARROWS.findall(text)) == 1 and not _PLACEHOLDER.search(text):
        text = _ARROW.sub(arrow, text, count=1)
    for pattern in (_WAS, _INSTEAD, _NOT_BUT):
        text = pattern.sub(gone, text, count=2)
    return text, tuple(left)
