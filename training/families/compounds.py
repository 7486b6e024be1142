"""What follows an existing statement that says two things at once, or a new one that does?"""

from __future__ import annotations

from training.families import phrases
from training.families.anchor import Anchor
from training.families.candidates import Draft, Scene, conflicts_fixed, conflicts_many, conflicts_one, others
from training.families.facts import Fact
from training.families.grammar import bend


def joined(one: Fact, two: Fact) -> str:
    """Two facts in one sentence; two verb phrases share their subject where they can."""
    rng = one.rng
    if rng.random() < 0.6 and one.slot.verbs and two.slot.verbs:
        s, person, first, over = one.verb_frame()
        _, _, second, late = two.verb_frame()
        return f"{s} {bend(rng, first, person, was=over)} and {bend(rng, second, person, was=late)}"
    return f"{one.pres}{rng.choice((', and', ' and', '; also,', ', while'))} {two.pres}"


def compound(scene: Scene, beside: Fact, third: Fact) -> Anchor:
    """E: User lives in Oslo and works at Bosch; one part is touched."""
    a = scene.a
    beside, third = beside.about(a.subject), third.about(a.subject)
    pair = (a, beside) if scene.rng.random() < 0.5 else (beside, a)
    makers = {"one": conflicts_one, "many": conflicts_many}
    conflicts = list(makers.get(scene.slot.mode, conflicts_fixed)(scene))
    hits = [Draft(f"compound_{d.family}", d.label, d.text, "partial_overlap") for d in conflicts]
    new = scene.fact(scene.second, subject=a.subject)
    if scene.slot.mode == "one":
        hits.append(Draft("compound_swap", "UPDATE", joined(new, third), "partial_overlap"))
        hits.append(Draft("compound_swap", "UPDATE", joined(new, beside), "partial_overlap"))
    one, two = scene.stranger(scene.second), scene.stranger(scene.first)
    rest = [
        Draft("compound_part", "DUPLICATE", a.state),
        Draft("compound_part", "DUPLICATE", beside.pres),
        Draft("compound_more", "OVERLAP", joined(a, third), "partial_overlap"),
        Draft("compound_third", "NONE", third.state, "other_subject"),
        Draft("compound_other", "NONE", joined(one, beside.about(one.subject)), "other_subject"),
        Draft("compound_other", "NONE", joined(beside.about(two.subject), two), "other_subject"),
        Draft("compound_not_other", "OVERLAP", scene.fill(phrases.NOT_OTHER), "negation_flip"),
    ]
    return Anchor(scene.slot.key, joined(*pair), hits + rest)


def extended(scene: Scene, third: Fact) -> Anchor:
    """E is plain, N says two things."""
    a = scene.a
    third = third.about(a.subject)
    b, other = scene.b.about(a.subject), scene.stranger(scene.second)
    label = {"one": "UPDATE", "many": "OVERLAP"}.get(scene.slot.mode, "CONTRADICTION")
    drafts = [
        Draft("extended_swap", label, joined(b, third), "partial_overlap"),
        Draft("extended_swap", label, joined(third, b), "partial_overlap"),
        Draft("extended_denied", "CONTRADICTION", f"{a.neg} but {third.pres}", "partial_overlap"),
        Draft("extended_denied", "CONTRADICTION", f"{third.pres}, but {a.neg}", "partial_overlap"),
        Draft("extended_same", "OVERLAP", joined(a, third), "partial_overlap"),
        Draft("extended_same", "OVERLAP", joined(third, a), "partial_overlap"),
        Draft("extended_other", "NONE", joined(other, third.about(other.subject)), "other_subject"),
        Draft("extended_other", "NONE", f"{third.pres} and {other.pres}", "other_subject"),
        *others(scene),
    ]
    return Anchor(scene.slot.key, scene.fact(scene.first, subject=a.subject).state, drafts)
