"""Which new statements fit a plain existing one, and what is the relation of each?

Each function yields drafts (family, label, trap, text) for E "the attribute of the subject is A".
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

from training.families import phrases
from training.families.amounts import Value
from training.families.facts import Fact
from training.families.pools import half
from training.families.slots import Slot, near, of_kind, unrelated
from training.families.subjects import Subject, again, halves, other


@dataclass(frozen=True)
class Draft:
    """A new statement before its noise; ``clause`` says whether it can stand inside a longer sentence."""

    family: str
    label: str
    text: str
    trap: str = ""
    clause: bool = True


@dataclass
class Scene:
    """What one anchor's statements are about: subject, slot, two values, the half of the pools."""

    rng: random.Random
    subject: Subject
    slot: Slot
    first: Value
    second: Value
    test: bool

    def fact(self, value: Value, *, same_form: bool = True, subject: Subject | None = None) -> Fact:
        rng = self.rng
        form = rng.choice(value.forms[:2]) if same_form else rng.choice(value.forms)
        old = rng.choice(self.first.forms[:2])
        return Fact(rng, subject or again(rng, self.subject), self.slot, value, old=old, spoken=form)

    @property
    def a(self) -> Fact:
        return self.fact(self.first)

    @property
    def b(self) -> Fact:
        return self.fact(self.second)

    def stranger(self, value: Value) -> Fact:
        """The same attribute of somebody or something else."""
        found = self.fact(value, subject=other(self.rng, self.subject, test=self.test))
        found.plain = True
        return found

    def elsewhere(self, slot: Slot, *, pool: bool = False) -> Fact:
        """Another attribute of the same subject; with ``pool``, with a value of this scene's where it fits."""
        rng = self.rng
        value = self.second if pool and slot.pool == self.slot.pool else rng.choice(half(slot.pool, self.test))
        old = rng.choice(half(slot.pool, self.test)).forms[0]
        return Fact(rng, again(rng, self.subject), slot, value, old=old)

    def fill(self, templates: phrases.Templates, a: Fact | None = None, b: Fact | None = None) -> str:
        """One of the templates, filled; both facts speak of the subject in the same way."""
        rng, a = self.rng, a or self.a
        b = b or self.b.about(a.subject)
        year = rng.randrange(2004, 2019)
        words = {"when": phrases.WHEN, "when2": phrases.WHEN2, "later": phrases.LATER}
        drawn = {key: rng.choice(text.split(", ")) for key, text in words.items()}
        person = rng.choice(halves("person", test=self.test))
        drawn |= {"year": str(year), "year2": str(year + 3), "person": person, "cond": self.condition}
        drawn |= {"s": a.s, "be": "am" if a.subject.person == "1" else "is"}
        drawn |= {"have": "have" if a.subject.person == "1" else "has"}
        return rng.choice(templates).format(a=a, b=b, **drawn)

    def another(self) -> Value:
        """A third value."""
        taken = (self.first, self.second)
        return self.rng.choice([value for value in half(self.slot.pool, self.test) if value not in taken])

    def turned(self, first: Value) -> Scene:
        """The scene with another first value, for rows which must not hit on the real one."""
        return replace(self, first=first)

    def in_year(self, template: str, year: int, *, tail: bool = False) -> str:
        """The template with its year before or behind it."""
        behind = tail or self.rng.random() < 0.4
        return self.fill((f"{template} in {year}" if behind else f"in {year}, {template}",))

    def ended_own(self) -> str:
        return self.fill(phrases.ENDED_OWN[:2])

    def two_conditions(self) -> tuple[str, str]:
        one, two = self.rng.sample(phrases.CONDITIONS[self.slot.kind].split("; "), 2)
        return one, two

    def plan(self, value: Value) -> str:
        """The change to a value after *to*, without the value before it."""
        fact = self.fact(value, subject=self.subject)
        return fact.fill(self.rng.choice([phrase for phrase in self.slot.change if "{o}" not in phrase]))

    @property
    def condition(self) -> str:
        return self.rng.choice(phrases.CONDITIONS[self.slot.kind].split("; "))


def same(scene: Scene) -> Iterator[Draft]:
    """The same value once more: in other words, in another unit, confirmed."""
    yield Draft("other_words", "DUPLICATE", scene.a.state, "low_overlap_same")
    if len(scene.first.forms) > 1:
        fact = scene.fact(scene.first, same_form=False)
        yield Draft("other_unit_or_format", "DUPLICATE", fact.state, "unit_conversion")
        form = scene.rng.choice(scene.first.forms[1:])
        yield Draft("other_unit_or_format", "DUPLICATE", scene.a.said(form).state, "unit_conversion")
    if scene.slot.mode != "fixed":
        yield Draft("confirmed", "DUPLICATE", scene.fill(phrases.AGAIN))


def others(scene: Scene) -> Iterator[Draft]:
    """Another subject, another attribute: nothing in common."""
    yield Draft("other_subject_other_value", "NONE", scene.stranger(scene.second).state, "other_subject")
    yield Draft("other_subject_same_value", "NONE", scene.stranger(scene.first).state, "other_subject")
    if close := near(scene.slot):
        fact = scene.elsewhere(scene.rng.choice(close), pool=True)
        yield Draft("near_attribute", "NONE", fact.state, "high_overlap_different")
    if far := unrelated(scene.slot):
        yield Draft("other_attribute", "NONE", scene.elsewhere(scene.rng.choice(far)).state)
        alike = [slot for slot in far if slot.pool == scene.slot.pool]
        if alike:
            fact = scene.elsewhere(scene.rng.choice(alike), pool=True)
            yield Draft("same_value_other_attribute", "NONE", fact.state, "high_overlap_different")


def other_changes(scene: Scene) -> Iterator[Draft]:
    """Changes, ends and denials of something else."""
    stranger = scene.stranger(scene.second)
    past = scene.stranger(scene.first).about(stranger.subject)
    if scene.slot.mode in ("one", "many"):
        text = scene.fill(phrases.NOW[:1] + phrases.NOW[3:6] * 2, past, stranger)
        if scene.slot.change and scene.rng.random() < 0.6:
            text = stranger.changed
        elif scene.slot.mode == "one" and scene.rng.random() < 0.5:
            text = scene.fill(phrases.CHANGED_NOUN, past, stranger)
        yield Draft("other_subject_changes", "NONE", text, "cue_word")
        text = past.ended if scene.slot.end and scene.rng.random() < 0.5 else past.over
        yield Draft("other_subject_ends", "NONE", text, "cue_word")
    yield Draft("other_subject_denied", "NONE", past.neg, "negation_flip")
    far = [slot for slot in unrelated(scene.slot) if slot.mode == "one" and (slot.change or slot.end)]
    if far:
        fact = scene.elsewhere(scene.rng.choice(far))
        text = fact.changed if fact.slot.change and scene.rng.random() < 0.6 else fact.over
        yield Draft("other_attribute_changes", "NONE", text, "cue_word")


def conflicts_one(scene: Scene) -> Iterator[Draft]:
    """A newer value of an attribute that has one at a time."""
    slot = scene.slot
    yield Draft("bare_swap", "UPDATE", scene.b.state)
    yield Draft("bare_swap", "UPDATE", scene.b.state)
    yield Draft("bare_swap", "UPDATE", scene.fact(scene.second, same_form=False).state)
    yield Draft("changed_now", "UPDATE", scene.fill(phrases.NOW))
    yield Draft("changed_words", "UPDATE", scene.fill(phrases.CHANGED_NOUN))
    if scene.first.decoy:
        yield Draft("same_figure_other_unit", "UPDATE", scene.a.said(scene.first.decoy).state, "unit_conversion")
    if scene.first.below:
        text = f"{scene.a.np} is now {scene.rng.choice(('under', 'below', 'at most'))} {scene.first.below}"
        yield Draft("bound_crossed", "UPDATE", text, "number_bound")
    if slot.change:
        yield Draft("changed_words", "UPDATE", scene.fill(phrases.CHANGED_OWN[:2]))
    if slot.lasting:
        yield Draft("future_dated", "UPDATE", scene.fill(phrases.FUTURE), "future_dated")
    yield Draft("ended", "RETRACTION", scene.fill(phrases.ENDED + phrases.ENDED_NOUN))
    if slot.end:
        yield Draft("ended", "RETRACTION", scene.fill(phrases.ENDED_OWN[:2]), "implied_end")
    yield Draft("negation", "CONTRADICTION", scene.fill(phrases.DENIED), "negation_flip")
    yield Draft("correction", "CONTRADICTION", scene.fill(phrases.CORRECTED), "correction")


def conflicts_fixed(scene: Scene) -> Iterator[Draft]:
    """Another value where there can be only one ever; and two undated rules."""
    yield Draft("fixed_swap", "CONTRADICTION", scene.b.state)
    yield Draft("fixed_swap", "CONTRADICTION", scene.fact(scene.second, same_form=False).state)
    yield Draft("negation", "CONTRADICTION", scene.fill(phrases.DENIED), "negation_flip")
    yield Draft("correction", "CONTRADICTION", scene.fill(phrases.CORRECTED_FIXED), "correction")
    if scene.slot.mode == "rule":
        yield Draft("changed_words", "UPDATE", scene.fill(phrases.CHANGED_NOUN))
        yield Draft("changed_now", "UPDATE", scene.fill(phrases.NOW[:6]))


def conflicts_many(scene: Scene) -> Iterator[Draft]:
    """What ends or excludes one of several values."""
    slot = scene.slot
    yield Draft("ended", "RETRACTION", scene.fill(phrases.ENDED))
    if slot.end:
        yield Draft("ended", "RETRACTION", scene.fill(phrases.ENDED_OWN[:2]), "implied_end")
    if slot.change:
        yield Draft("changed_words", "UPDATE", scene.fill(phrases.CHANGED_OWN[:2]))
        yield Draft("changed_words", "UPDATE", scene.fill(("{b.pres} instead of {a.v} now", "{b.pres} now, not {a.v}")))
    yield Draft("negation", "CONTRADICTION", scene.fill(phrases.DENIED), "negation_flip")
    yield Draft("never", "CONTRADICTION", scene.fill(phrases.CORRECTED[:2]), "correction")
    yield Draft("only", "CONTRADICTION", scene.fill(phrases.ONLY), "exception")


def beside_one(scene: Scene) -> Iterator[Draft]:
    """What is true together with the one value: once, elsewhere, perhaps, not the other."""
    yield Draft("not_other_value", "OVERLAP", scene.fill(phrases.NOT_OTHER), "negation_flip")
    yield Draft("past", "OVERLAP", scene.fill(phrases.PAST), "temporal_past")
    yield Draft("unreal", "OVERLAP", scene.fill(phrases.UNREAL), "hypothetical", clause=False)
    yield from beside_favourite(scene)
    if scene.slot.change and scene.subject.kind == "person":
        yield Draft("intent", "OVERLAP", scene.fill(phrases.INTENT[:3]), "intent")
    if scene.slot.scoped:
        yield Draft("other_condition", "OVERLAP", scene.fill(phrases.SCOPED), "condition")
    if scene.first.above:
        yield from bounded(scene)
    if scene.first.finer:
        finer = scene.a.said(scene.rng.choice(scene.first.finer))
        yield Draft("refinement", "OVERLAP", finer.state, "refinement")


def beside_favourite(scene: Scene) -> Iterator[Draft]:
    """What is liked beside a favourite, and a favourite beside what is liked."""
    pairs = dict(phrases.FAVOURITES) | {favourite: liked for liked, favourite in phrases.FAVOURITES}
    for slot in of_kind(scene.slot.kind):
        if slot.key == pairs.get(scene.slot.key):
            yield Draft("favourite_and_liked", "OVERLAP", replace(scene.b, slot=slot).state, "set_valued")
            yield Draft("favourite_and_liked", "OVERLAP", replace(scene.b, slot=slot).now, "set_valued")


def bounded(scene: Scene) -> Iterator[Draft]:
    """Bounds that agree with the value."""
    words = ["below {n}", "under {n}", "less than {n}", "at most {n}"]
    bound = scene.first.above
    if scene.first.below and scene.rng.random() < 0.6:
        words, bound = ["over {n}", "more than {n}", "at least {n}", "above {n}"], scene.first.below
    fact = scene.a.said(scene.rng.choice(words).format(n=bound))
    yield Draft("bound", "OVERLAP", scene.rng.choice((f"{fact.np} is {fact.v}", fact.pres)), "number_bound")


def beside_fixed(scene: Scene) -> Iterator[Draft]:
    yield Draft("not_other_value", "OVERLAP", scene.fill(phrases.NOT_OTHER), "negation_flip")
    yield Draft("unreal", "OVERLAP", scene.fill(phrases.UNREAL_FIXED), "question", clause=False)
    if scene.first.finer:
        finer = scene.a.said(scene.rng.choice(scene.first.finer))
        yield Draft("refinement", "OVERLAP", finer.state, "refinement")


def beside_many(scene: Scene) -> Iterator[Draft]:
    """A second value of several, and what leaves the first alone."""
    yield Draft("second_value", "OVERLAP", scene.b.state, "set_valued")
    yield Draft("second_value", "OVERLAP", scene.fill(phrases.ALSO), "set_valued")
    yield from beside_favourite(scene)
    yield Draft("not_other_value", "OVERLAP", scene.fill(phrases.NOT_OTHER), "negation_flip")
    yield Draft("unreal", "OVERLAP", scene.fill(phrases.UNREAL_FIXED), "question", clause=False)
    if scene.slot.scoped:
        yield Draft("other_condition", "OVERLAP", scene.fill(phrases.SCOPED[:3]), "condition")


def drafts(scene: Scene) -> list[Draft]:
    """All new statements for E "the attribute of the subject is A"."""
    tables = {
        "one": (conflicts_one, beside_one),
        "fixed": (conflicts_fixed, beside_fixed),
        "rule": (conflicts_fixed, beside_fixed),
        "many": (conflicts_many, beside_many),
    }
    makers = (same, others, other_changes, *tables[scene.slot.mode])
    return [draft for maker in makers for draft in maker(scene)]
