"""Which existing statements are there, and how often is each kind drawn?"""

from __future__ import annotations

import random

from training.families import turned
from training.families.anchor import Anchor
from training.families.candidates import Scene, drafts
from training.families.compounds import compound, extended
from training.families.facts import Fact
from training.families.flips import attitude, particular, switch
from training.families.pools import half
from training.families.slots import slots, unrelated
from training.families.subjects import draw


def draw_scene(rng: random.Random, *, test: bool) -> Scene:
    """A subject, one of its attributes, and two values of it."""
    slot = rng.choice(slots())
    first, second = rng.sample(half(slot.pool, test), 2)
    return Scene(rng, draw(rng, slot.kind, test=test), slot, first, second, test)


def plain(scene: Scene) -> Anchor:
    """E: User lives in Oslo."""
    fact = scene.fact(scene.first, subject=scene.subject)
    return Anchor(scene.slot.key, fact.state, drafts(scene))


def _two_more(scene: Scene) -> tuple[Fact, Fact] | None:
    """Two facts of other topics about the same subject."""
    far = [slot for slot in unrelated(scene.slot) if slot.mode != "rule"]
    if not far:
        return None
    one = scene.rng.choice(far)
    apart = [slot for slot in far if slot.topic != one.topic]
    if not apart:
        return None
    two = scene.rng.choice(apart)
    made = [Fact(scene.rng, scene.subject, s, scene.rng.choice(half(s.pool, scene.test))) for s in (one, two)]
    return made[0], made[1]


def _special(scene: Scene) -> Anchor | None:
    """An unusual E, of those that the slot has."""
    mode, roll = scene.slot.mode, scene.rng.random()
    more = _two_more(scene) if roll < 0.3 else None
    if more:
        return compound(scene, *more) if roll < 0.16 else extended(scene, more[1])
    makers = [] if mode == "rule" else [turned.denied]
    if mode in ("one", "many"):
        makers.append(turned.ended)
    if mode == "one":
        makers += [turned.past, turned.changed]
        if scene.slot.lasting:
            makers.append(turned.future)
        if scene.slot.scoped:
            makers.append(turned.scoped)
        if scene.subject.kind == "person" and any("{o}" not in phrase for phrase in scene.slot.change):
            makers += [turned.planned] * 3
    return scene.rng.choice(makers)(scene) if makers else None


def draw_anchor(rng: random.Random, *, test: bool) -> Anchor:
    """Any existing statement with its new ones; about half are plain."""
    roll = rng.random()
    if roll < 0.12:
        return (switch, attitude, particular)[int(roll / 0.04)](rng, test=test)
    scene = draw_scene(rng, test=test)
    return (_special(scene) if roll < 0.5 else None) or plain(scene)
