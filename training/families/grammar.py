"""How is a verb phrase bent to its subject, its tense and its polarity?

A phrase is written in the base form ("live in {v}"); its first word is the verb. Only the verbs of the slots are known.
"""

from __future__ import annotations

import random
from typing import Final

IRREGULAR: Final[dict[str, tuple[str, str]]] = {
    "be": ("was", "been"),
    "become": ("became", "become"),
    "begin": ("began", "begun"),
    "break": ("broke", "broken"),
    "bring": ("brought", "brought"),
    "build": ("built", "built"),
    "buy": ("bought", "bought"),
    "cancel": ("cancelled", "cancelled"),
    "chat": ("chatted", "chatted"),
    "come": ("came", "come"),
    "cost": ("cost", "cost"),
    "do": ("did", "done"),
    "drink": ("drank", "drunk"),
    "drive": ("drove", "driven"),
    "drop": ("dropped", "dropped"),
    "eat": ("ate", "eaten"),
    "fall": ("fell", "fallen"),
    "fly": ("flew", "flown"),
    "get": ("got", "got"),
    "give": ("gave", "given"),
    "go": ("went", "gone"),
    "grow": ("grew", "grown"),
    "have": ("had", "had"),
    "hold": ("held", "held"),
    "keep": ("kept", "kept"),
    "leave": ("left", "left"),
    "lie": ("lay", "lain"),
    "log": ("logged", "logged"),
    "lose": ("lost", "lost"),
    "make": ("made", "made"),
    "meet": ("met", "met"),
    "outgrow": ("outgrew", "outgrown"),
    "pay": ("paid", "paid"),
    "plan": ("planned", "planned"),
    "prefer": ("preferred", "preferred"),
    "program": ("programmed", "programmed"),
    "quit": ("quit", "quit"),
    "read": ("read", "read"),
    "rebrand": ("rebranded", "rebranded"),
    "ride": ("rode", "ridden"),
    "run": ("ran", "run"),
    "see": ("saw", "seen"),
    "sell": ("sold", "sold"),
    "send": ("sent", "sent"),
    "ship": ("shipped", "shipped"),
    "sing": ("sang", "sung"),
    "sit": ("sat", "sat"),
    "sleep": ("slept", "slept"),
    "slip": ("slipped", "slipped"),
    "speak": ("spoke", "spoken"),
    "stand": ("stood", "stood"),
    "stop": ("stopped", "stopped"),
    "swap": ("swapped", "swapped"),
    "take": ("took", "taken"),
    "teach": ("taught", "taught"),
    "transfer": ("transferred", "transferred"),
    "wake": ("woke", "woken"),
    "wear": ("wore", "worn"),
    "write": ("wrote", "written"),
}
BE: Final = {"1": ("am", "was"), "3": ("is", "was"), "pl": ("are", "were")}
DOUBLED: Final = [
    "begin",
    "cancel",
    "chat",
    "drop",
    "get",
    "log",
    "plan",
    "prefer",
    "program",
    "quit",
    "run",
    "ship",
    "sit",
    "slip",
    "stop",
    "swap",
    "transfer",
]
VOWELS: Final = "aeiou"


def third(verb: str) -> str:
    """The verb of *he*, *she* and *it*."""
    if verb in ("be", "have"):
        return {"be": "is", "have": "has"}[verb]
    if verb.endswith(("s", "sh", "ch", "x", "o")):
        return verb + "es"
    return verb[:-1] + "ies" if verb.endswith("y") and verb[-2] not in VOWELS else verb + "s"


def past(verb: str) -> str:
    """The simple past, of *be* the singular."""
    if verb in IRREGULAR:
        return IRREGULAR[verb][0]
    if verb.endswith("e"):
        return verb + "d"
    return verb[:-1] + "ied" if verb.endswith("y") and verb[-2] not in VOWELS else verb + "ed"


def participle(verb: str) -> str:
    """The form after *has*."""
    return IRREGULAR[verb][1] if verb in IRREGULAR else past(verb)


def ing(verb: str) -> str:
    """The form after *stopped*."""
    if verb in DOUBLED:
        return verb + verb[-1] + "ing"
    if verb.endswith("ie"):
        return verb[:-2] + "ying"
    if verb.endswith("e") and not verb.endswith(("ee", "ye")) and verb != "be":
        return verb[:-1] + "ing"
    return verb + "ing"


def _negated(rng: random.Random, verb: str, person: str, *, was: bool) -> str:
    """The negated verb: "isn't", "is not", "doesn't live", "did not live"."""
    short = rng.random() < 0.7
    if verb == "be":
        word = BE[person][was]
        return f"{word} not" if word == "am" or not short else f"{word}n't"
    helper = "did" if was else "does" if person == "3" else "do"
    return f"{helper}n't {verb}" if short else f"{helper} not {verb}"


def bend(rng: random.Random, phrase: str, person: str, *, was: bool = False, no: bool = False, adverb: str = "") -> str:
    """The finite phrase; the adverb stands behind *be* and before another verb."""
    verb, _, rest = phrase.partition(" ")
    if no:
        return f"{_negated(rng, verb, person, was=was)} {rest}".strip()
    if verb == "be":
        return " ".join(filter(None, (BE[person][was], adverb, rest)))
    word = past(verb) if was else third(verb) if person == "3" else verb
    return " ".join(filter(None, (adverb, word, rest)))


def perfect(phrase: str, person: str, adverb: str = "") -> str:
    """The phrase with *has* or *have*: "has always lived in {v}"."""
    verb, _, rest = phrase.partition(" ")
    return " ".join(filter(None, ("has" if person == "3" else "have", adverb, participle(verb), rest)))


def gerund(phrase: str) -> str:
    verb, _, rest = phrase.partition(" ")
    return f"{ing(verb)} {rest}".strip()


def article(noun: str) -> str:
    """The noun with *a* or *an*, by its first letter."""
    return ("an " if noun[:1].lower() in VOWELS and not noun.lower().startswith(("uni", "eu", "one")) else "a ") + noun


def sentence(text: str) -> str:
    """The text with a capital and a stop."""
    text = text.strip()
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "?", "!", ";", ")")) else text + "."
