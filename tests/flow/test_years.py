"""Do six years with a pass a month archive by the formula, and serve what six years without them serve? Rows A7, A8."""

from __future__ import annotations

from bisect import bisect_left
from math import log

NAMED = {
    "episodic": ("The dinner with Ines was in room {}.", "dinner {}"),
    "semantic": ("The annex {} has 12 desks.", "annex {}"),
    "core": ("The guest in bed {} is allergic to peanuts.", "guest {}"),
    "procedural": ("Backup {} is restored with the tool called lifeboat.", "backup {}"),
}
BETA = {"episodic": 45, "semantic": 120}
WAYS = ("left alone", "asked for", "said again")
YEARS, PAUSE = 6, 30
QUERIES = [
    "dinner with Ines room",
    "annex desks",
    "guest allergic peanuts",
    "backup restored tool lifeboat",
    "Where does the user live?",
]
"""Words of the facts, or their slot: a stub has no embedding (A8), so nothing finds it by likeness alone."""


def settled(story):
    """A fact of every category, in three ways to be treated; and a home that changes over the years."""
    made = {}
    for category, (text, subject) in NAMED.items():
        for number, way in enumerate(WAYS):
            told = story.say(
                text.format(number), "2025-01-01", subject=subject.format(number), category=category, importance=0.5
            )
            made[category, way] = (told.fact_id, text.format(number), subject.format(number))
    return made


def treated(story, made, past):
    """What happens to the facts on a day: some are asked for, some are said again, the home changes."""
    if past == 720:
        for (category, way), (_, text, subject) in made.items():
            if way == "asked for":
                story.memory.search(text, limit=1)
            elif way == "said again":
                assert story.say(text, subject=subject, category=category).action == "REINFORCE"
    homes = {90: "Oslo", 600: "Rome", 1500: "Lima"}
    if past in homes:
        story.home(homes[past], None, f"User moved to {homes[past]}.")


def truths(story, **when):
    """What a memory serves of itself, in any order: the words of a stub are short, so values and dates are compared."""
    found = {one.id: one for query in QUERIES for one in story.memory.search(query, limit=100, **when).results}
    return sorted(
        repr((one.subject, one.attribute, one.value, one.status, one.valid_from, one.valid_until, one.negated))
        for one in found.values()
    )


def expected_tiers(category, way):
    """By the formula: cold at the seventh pass at the floor, a stub 180 days later, hot again when wanted."""
    passes = list(range(PAUSE, YEARS * 365 + 1, PAUSE))
    if category not in BETA:
        return {}
    cold = passes[bisect_left(passes, 2.0 * BETA[category] * log(50)) + 6]
    seen = {"left alone": 0, "asked for": 720, "said again": 720}[way]
    moves = {cold: "cold", cold + 180: "stub"} if not seen or cold <= seen else {}
    if seen:
        stability = {"asked for": 1.1, "said again": 1.25}[way]
        again = passes[bisect_left(passes, seen + stability * 2.0 * BETA[category] * log(50)) + 6]
        moves = {past: word for past, word in moves.items() if past < seen}
        moves |= ({seen: "hot"} if moves else {}) | {again: "cold", again + 180: "stub"}
    return {past: word for past, word in moves.items() if past <= passes[-1]}


def test_A8_years_of_every_category_archive_by_the_formula_and_change_no_truth(stories, words):
    """Two memories live the same six years, one of them with a pass a month: it serves the same, then and now."""
    kept, plain = stories(embedder=words), stories(embedder=words)
    made, twin = settled(kept), settled(plain)
    moved = {which: {} for which in made}
    known = dict.fromkeys(made, "hot")
    for past in range(PAUSE, YEARS * 365 + 1, PAUSE):
        for story, facts in ((kept, made), (plain, twin)):
            story.clock.advance(PAUSE * 86_400)
            treated(story, facts, past)
        kept.memory.maintain()
        for which, (fact_id, _, _) in made.items():
            if (now := kept.fact(fact_id).tier.value) != known[which]:
                moved[which][past] = known[which] = now
        assert kept.values() == plain.values()
    assert moved == {which: expected_tiers(*which) for which in made}
    assert {plain.fact(fact_id).tier.value for fact_id, _, _ in twin.values()} == {"hot"}
    for when in ({}, *({"as_of": f"{year}-06-15"} for year in range(2025, 2031))):
        assert truths(kept, **when) == truths(plain, **when)
    assert len(truths(kept)) == len(made) + 1
