"""What follows an existing statement that is itself an end, a denial, a past, a change, a plan, a condition?

Each function makes one anchor from a scene: E is an unusual statement about the value A, B is another value.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from training.families import phrases
from training.families.anchor import Anchor
from training.families.candidates import Draft, Scene, other_changes, others

ENDS: Final = (*phrases.ENDED, "{a.over}")
STILL: Final = ("{a.still}, that never stopped", "the earlier note was wrong, {a.still}", "not so: {a.still}")
REPLIED: Final = ("actually, {a.pres}", "that was a mistake; {a.pres}", "{a.always}", "{a.always}", "wrong: {a.pres}")


def _outside(scene: Scene, templates: phrases.Templates, label: str = "NONE") -> Iterator[Draft]:
    """The words of E about somebody else, and the rows about other things."""
    stranger = scene.stranger(scene.first)
    yield Draft("other_subject_same_words", label, scene.fill(templates, stranger, stranger), "other_subject")
    yield from others(scene)
    yield from other_changes(scene)


def ended(scene: Scene) -> Anchor:
    """E: User no longer lives in Oslo."""
    drafts = [
        Draft("back_after_end", "UPDATE", scene.a.state, "going_back"),
        Draft("back_after_end", "UPDATE", scene.fill(phrases.BACK[:2]), "going_back"),
        Draft("back_after_end", "UPDATE", scene.a.now, "going_back"),
        Draft("never_ended", "CONTRADICTION", scene.fill(STILL), "correction"),
        Draft("never_ended", "CONTRADICTION", scene.fill(STILL), "correction"),
        Draft("end_other_words", "DUPLICATE", scene.fill(ENDS), "low_overlap_same"),
        Draft("other_after_end", "OVERLAP", scene.b.state, "high_overlap_different"),
        Draft(
            "past_after_end", "OVERLAP", scene.fill(("in {year}, {a.was}", "back in {year}, {a.was}")), "temporal_past"
        ),
        *_outside(scene, ENDS),
    ]
    existing = scene.ended_own() if scene.slot.end and scene.rng.random() < 0.3 else scene.fill(ENDS)
    return Anchor(scene.slot.key, existing, drafts)


def denied(scene: Scene) -> Anchor:
    """E: User doesn't live in Oslo. What cannot change is contradicted, what can is updated."""
    label = "CONTRADICTION" if scene.slot.mode == "fixed" else "UPDATE"
    drafts = [
        Draft("yes_after_no", label, scene.a.state, "negation_flip"),
        Draft("yes_after_no", label, scene.a.pres, "negation_flip"),
        Draft("always_after_no", "CONTRADICTION", scene.fill(REPLIED), "correction"),
        Draft("always_after_no", "CONTRADICTION", scene.fill(REPLIED), "correction"),
        Draft("no_other_words", "DUPLICATE", scene.fill(phrases.DENIED), "low_overlap_same"),
        Draft("other_after_no", "OVERLAP", scene.b.state, "negation_flip"),
        Draft("other_no_after_no", "OVERLAP", scene.b.neg, "negation_flip"),
        Draft("unreal_after_no", "OVERLAP", f"{scene.a.asked}?", "question", clause=False),
        *_outside(scene, phrases.DENIED),
    ]
    if label == "UPDATE":
        drafts.append(Draft("yes_after_no", "UPDATE", scene.a.now, "negation_flip"))
    return Anchor(scene.slot.key, scene.a.neg, drafts)


def past(scene: Scene) -> Anchor:
    """E: In 2014, User lived in Oslo."""
    year = scene.rng.randrange(2004, 2019)
    late = year + scene.rng.randrange(2, 6)
    once, again = scene.in_year("{a.was}", year), scene.in_year("{a.was}", year)
    drafts = [
        Draft("same_year_other", "CONTRADICTION", scene.in_year("{b.was}", year), "other_time"),
        Draft("same_year_not", "CONTRADICTION", scene.in_year("{a.wasnt}", year), "negation_flip"),
        Draft("past_denied", "CONTRADICTION", scene.fill(("{a.never}", "actually, {a.never}")), "correction"),
        Draft("past_corrected", "CONTRADICTION", scene.in_year("I was wrong, {b.was}", year, tail=True), "correction"),
        Draft("now_after_past", "OVERLAP", scene.b.state, "temporal_past"),
        Draft("now_after_past", "OVERLAP", scene.b.now, "temporal_past"),
        Draft("other_year", "OVERLAP", scene.in_year("{b.was}", late), "other_time"),
        Draft("past_other_words", "DUPLICATE", again),
        *_outside(scene, (f"in {year}, {{a.was}}", f"{{a.was}} in {year}")),
    ]
    return Anchor(scene.slot.key, once, drafts)


def changed(scene: Scene) -> Anchor:
    """E: User switched from B to A."""
    back, third = scene.second, scene.another()
    words = phrases.CHANGED_NOUN[:5]
    flipped = scene.turned(third)
    a, b, c = scene.a, scene.fact(back), scene.fact(third)
    drafts = [
        Draft("went_back", "UPDATE", scene.fill(phrases.BACK, b, b), "going_back"),
        Draft("swap_after_change", "UPDATE", c.state),
        Draft("second_change", "UPDATE", scene.fill(words, a, c.about(a.subject))),
        Draft("change_denied", "CONTRADICTION", scene.fill(phrases.DENIED, a), "negation_flip"),
        Draft("change_ended", "RETRACTION", scene.fill(phrases.ENDED, a)),
        Draft("change_confirmed", "DUPLICATE", scene.a.state, "low_overlap_same"),
        Draft(
            "before_change", "OVERLAP", scene.fill(("until {year}, {b.was}",), a, c.about(a.subject)), "temporal_past"
        ),
        Draft("change_doubted", "OVERLAP", scene.fill(phrases.UNREAL[:2], a, c.about(a.subject)), "hypothetical"),
        *_outside(flipped, ("{a.np} changed to {a.v}", "{a.now}", "{a.np} went to {a.v}")),
    ]
    existing = scene.fill(words, b, a.about(b.subject))
    if scene.slot.change and scene.rng.random() < 0.5:
        existing = scene.turned(third).fact(scene.first).said(a.v).now
    return Anchor(scene.slot.key, existing, drafts)


def scoped(scene: Scene) -> Anchor:
    """E: In staging, the limit is A."""
    one, two = scene.two_conditions()
    shapes = ("{c}, {x}", "{x} {c}")
    draw = scene.rng.choice
    drafts = [
        Draft("same_condition_swap", "UPDATE", draw(shapes).format(c=one, x=scene.b.pres), "condition"),
        Draft("same_condition_swap", "UPDATE", draw(shapes).format(c=one, x=scene.b.now), "condition"),
        Draft("same_condition_denied", "CONTRADICTION", f"{one}, {scene.a.neg}", "negation_flip"),
        Draft("same_condition_ended", "RETRACTION", f"{one}, {scene.a.over}", "condition"),
        Draft("same_condition_same", "DUPLICATE", draw(shapes).format(c=one, x=scene.a.pres)),
        Draft("other_condition", "OVERLAP", draw(shapes).format(c=two, x=scene.b.pres), "condition"),
        Draft("other_condition", "OVERLAP", draw(shapes).format(c=two, x=scene.b.pres), "condition"),
        Draft("without_condition", "OVERLAP", scene.b.state, "condition"),
        *_outside(scene, tuple(shape.format(c=one, x="{a.pres}") for shape in shapes)),
    ]
    return Anchor(scene.slot.key, draw(shapes).format(c=one, x=scene.a.pres), drafts)


def future(scene: Scene) -> Anchor:
    """E: From next month, the limit will be A."""
    other = scene.fact(scene.another())
    drafts = [
        Draft("future_came", "UPDATE", scene.a.now, "future_dated"),
        Draft("future_changed", "UPDATE", scene.fill(phrases.FUTURE), "future_dated"),
        Draft("future_dropped", "RETRACTION", f"the plan that {scene.a.will} was called off"),
        Draft("future_dropped", "RETRACTION", f"the decision that {scene.a.will} has been reversed"),
        Draft("future_denied", "CONTRADICTION", scene.a.wont, "negation_flip"),
        Draft("future_same", "DUPLICATE", f"it is settled that {scene.a.will}"),
        Draft("until_then", "OVERLAP", f"for the time being {other.pres}", "other_time"),
        Draft("until_then", "OVERLAP", f"until then, {other.pres}", "other_time"),
        *_outside(scene, phrases.FUTURE),
    ]
    a = scene.a
    return Anchor(scene.slot.key, scene.fill(phrases.FUTURE, a, a), drafts)


def planned(scene: Scene) -> Anchor:
    """E: User plans to move to Oslo."""
    plan, a, stranger = scene.plan(scene.first), scene.a, scene.stranger(scene.first)
    s, be, third = a.s, "am" if a.subject.person == "1" else "is", a.subject.person == "3"
    has, do = ("has", "doesn't") if third else ("have", "don't")
    drafts = [
        Draft("plan_done", "UPDATE", f"{s} {has} gone ahead: {scene.a.now}"),
        Draft("plan_changed", "UPDATE", f"{s} {be} going to {scene.plan(scene.second)} instead"),
        Draft("plan_dropped", "RETRACTION", f"{s} {has} dropped the plan to {plan}"),
        Draft("plan_dropped", "RETRACTION", f"{s} no longer {'plans' if third else 'plan'} to {plan}"),
        Draft("plan_denied", "CONTRADICTION", f"{s} {do} plan to {plan}", "negation_flip"),
        Draft("plan_denied", "CONTRADICTION", f"{s} never planned to {plan}", "correction"),
        Draft("plan_same", "DUPLICATE", f"{s} {be} planning to {plan}"),
        Draft(
            "plan_detail", "OVERLAP", f"{s} {'plans' if third else 'plan'} to {plan} before the summer", "refinement"
        ),
        Draft("other_plan", "NONE", f"{stranger.s} plans to {scene.plan(scene.first)}", "other_subject"),
        *_outside(scene, ("{a.now}", "{a.pres}")),
    ]
    words = ("{s} {p} to {x}", "{s} {b} planning to {x}", "{s} {h} decided to {x}")
    existing = scene.rng.choice(words).format(s=s, p="intends" if third else "intend", b=be, h=has, x=plan)
    return Anchor(scene.slot.key, existing, drafts)
