"""In which shapes is one fact said?

A ``Fact`` (subject, slot, value) has one property a shape; each reading draws anew among the wordings of the shape, so
that E and N are drawn independently. Templates name them: ``"{b.now}"``, ``"{a.np} changed to {b.v}"``.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace

from training.families.amounts import Value
from training.families.grammar import article, bend, gerund, perfect, sentence
from training.families.slots import Slot
from training.families.subjects import SPEAKER, Subject

WONT = ("will not", "won't")
NOTES = (
    "{n}: {v}",
    "{n} = {v}",
    "{n} is {v}",
    "{n} - {v}",
    "{n} → {v}",
)
NAMED_NOTES = (
    "{s} {n}: {v}",
    "{n} ({s}): {v}",
    "{s} / {n}: {v}",
    "{s}: {n} = {v}",
    "{s} - {n} {v}",
    "{s}.{k} = {v}",
    "{n} of {s}: {v}",
    "[{s}] {n}: {v}",
)


@dataclass
class Fact:
    """One value of one slot of one subject; ``old`` is the form of the value before it, for phrases of change."""

    rng: random.Random
    subject: Subject
    slot: Slot
    value: Value
    old: str = ""
    plain: bool = False
    spoken: str = field(default="")

    def __post_init__(self) -> None:
        self.spoken = self.spoken or self.value.forms[0]

    def about(self, subject: Subject) -> Fact:
        return replace(self, subject=subject)

    def said(self, form: str) -> Fact:
        return replace(self, spoken=form)

    @property
    def v(self) -> str:
        return self.spoken

    @property
    def s(self) -> str:
        return self.subject.text

    @property
    def mine(self) -> str:
        return self.subject.mine

    @property
    def noun(self) -> str:
        return self.rng.choice(self.slot.nouns)

    @property
    def np(self) -> str:
        """The attribute with its owner: "User's home city"."""
        noun, subject = self.noun, self.subject
        if subject.person == "3" and self.rng.random() < 0.25:
            return f"the {noun} of {subject.after}"
        return f"{subject.owner} {noun}"

    def fill(self, phrase: str) -> str:
        """A phrase of the slot with the value in its place."""
        value = self.v
        return phrase.format(v=value, a=article(value), o=self.old, his=self.mine)

    def verb_frame(self) -> tuple[str, str, str, bool]:
        """Subject, person, phrase in the base form, and whether it lies in the past."""
        phrase = self.rng.choice(self.slot.verbs)
        return self.s, self.subject.person, self.fill(phrase.rstrip("<")), phrase.endswith("<")

    def noun_frame(self) -> tuple[str, str, str, bool]:
        if self.slot.mode == "many":
            owned = f"{self.subject.owner} {self.noun}"
            return self.v, "3", f"be one of {owned}", False
        if self.rng.random() < 0.15:
            return self.v, "3", f"be {self.np}", False
        return self.np, "3", f"be {self.v}", False

    def frame(self) -> tuple[str, str, str, bool]:
        if self.slot.verbs and self.rng.random() < 0.6:
            return self.verb_frame()
        return self.noun_frame()

    def _clause(self, *, was: bool = False, no: bool = False, adverb: str = "") -> str:
        subject, person, phrase, over = self.frame()
        return f"{subject} {bend(self.rng, phrase, person, was=was or over, no=no, adverb=adverb)}"

    @property
    def pres(self) -> str:
        if self.slot.mode == "many" and self.rng.random() < 0.12:
            return f"{self.subject.owner} {self.noun} include {self.v}"
        return self._clause()

    @property
    def neg(self) -> str:
        return self._clause(no=True)

    @property
    def was(self) -> str:
        return self._clause(was=True)

    @property
    def wasnt(self) -> str:
        return self._clause(was=True, no=True)

    @property
    def wont(self) -> str:
        subject, _, phrase, _ = self.frame()
        return f"{subject} {self.rng.choice(WONT)} {phrase}"

    @property
    def now(self) -> str:
        return self._clause(adverb="now")

    @property
    def still(self) -> str:
        return self._clause(adverb="still")

    @property
    def only(self) -> str:
        subject, person, phrase, over = self.verb_frame()
        return f"{subject} {bend(self.rng, phrase, person, was=over, adverb='only')}"

    @property
    def also(self) -> str:
        subject, person, phrase, over = self.verb_frame()
        return f"{subject} {bend(self.rng, phrase, person, was=over, adverb='also')}"

    @property
    def over(self) -> str:
        """No longer so."""
        subject, person, phrase, _ = self.frame()
        if self.rng.random() < 0.5:
            return f"{subject} {bend(self.rng, phrase, person, adverb='no longer')}"
        more = self.rng.choice(("any more", "anymore", "any longer"))
        return f"{subject} {bend(self.rng, phrase, person, no=True)} {more}"

    @property
    def never(self) -> str:
        subject, person, phrase, over = self.frame()
        if over:
            return f"{subject} {bend(self.rng, phrase, person, was=True, adverb='never')}"
        return f"{subject} {perfect(phrase, person, 'never')}"

    @property
    def always(self) -> str:
        subject, person, phrase, over = self.frame()
        if over:
            return f"{subject} {bend(self.rng, phrase, person, was=True)} all along"
        return f"{subject} {perfect(phrase, person, 'always')}"

    @property
    def used(self) -> str:
        subject, _, phrase, _ = self.frame()
        return f"{subject} used to {phrase}"

    @property
    def will(self) -> str:
        subject, _, phrase, _ = self.frame()
        return f"{subject} will {phrase}"

    @property
    def may(self) -> str:
        subject, _, phrase, _ = self.frame()
        return f"{subject} {self.rng.choice(('might', 'may', 'could'))} {phrase}"

    @property
    def asked(self) -> str:
        """A question, without its mark."""
        subject, person, phrase, over = self.frame()
        verb, _, rest = phrase.partition(" ")
        if verb == "be":
            return f"{bend(self.rng, 'be', person, was=over)} {subject} {rest}"
        return f"{bend(self.rng, 'do', person, was=over)} {subject} {phrase}"

    @property
    def doing(self) -> str:
        """The phrase after *stopped*, without its subject."""
        return gerund(self.verb_frame()[2])

    @property
    def changed(self) -> str:
        """The change to this value in the slot's own words."""
        return self._own(self.slot.change)

    @property
    def ended(self) -> str:
        """The end of this value in the slot's own words."""
        return self._own(self.slot.end)

    @property
    def changed_then(self) -> str:
        """The change in the simple past, to which a time can be added."""
        return self._own(self.slot.change, then=True)

    @property
    def ended_then(self) -> str:
        """The end in the simple past."""
        return self._own(self.slot.end, then=True)

    def _own(self, phrases: tuple[str, ...], *, then: bool = False) -> str:
        phrase = self.fill(self.rng.choice(phrases))
        subject, person = self.s, self.subject.person
        if then or self.rng.random() < 0.5:
            return f"{subject} {bend(self.rng, phrase, person, was=True)}"
        return f"{subject} {perfect(phrase, person, self.rng.choice(('', '', 'just', 'recently')))}"

    @property
    def plan(self) -> str:
        """The change as a bare phrase after *to*."""
        return self.fill(self.rng.choice(self.slot.change))

    @property
    def state(self) -> str:
        """Any plain statement of the fact: a clause, a note, a key with its value."""
        roll = self.rng.random()
        if roll < 0.62 or self.slot.mode == "many" or not self.slot.nouns:
            return self.pres
        if roll < 0.68 and self.slot.mode == "rule" and self.slot.kind != "person":
            return f"in {self.subject.after}, {self.fill(self.rng.choice(self.slot.verbs))}"
        if roll < 0.72:
            return f"for {self.subject.after}, the {self.noun} is {self.v}"
        return self._note()

    def _note(self) -> str:
        noun, subject = self.noun, self.subject
        if subject.user and not self.plain and self.rng.random() < 0.7:
            key = noun if self.rng.random() < 0.75 else noun.replace(" ", "_").lower()
            return self.rng.choice(NOTES[:2] * 3 + NOTES).format(n=key, v=self.v)
        text = "User" if subject == SPEAKER else subject.text.removeprefix("the ")
        key = noun.replace(" ", "_").replace("'", "").lower()
        shapes = NAMED_NOTES if " " not in text and "'" not in text else tuple(n for n in NAMED_NOTES if "{k}" not in n)
        return self.rng.choice(shapes).format(s=text, n=noun, k=key, v=self.v)


def said(text: str) -> str:
    """A clause as a sentence; notes keep their shape."""
    if any(mark in text for mark in (": ", " = ", " → ", " - ")) and "," not in text:
        return text
    return sentence(text)
