"""Which facts does a story keep, how is it cut, and which confusions are worth a question? Rows B2 to B6 and B11."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stilltrue.model.conflict import Conflict, ConflictKind, ConflictStatus
from stilltrue.model.story import Confusion, StoryLine
from stilltrue.rules.story import (
    LONGEST_TEXT,
    MOST_FACTS,
    Forgetting,
    age,
    asked_before,
    chapters,
    doubts,
    fault,
    length,
    merged,
    refusal,
    survives,
)

START = datetime(2025, 3, 1, 10, tzinfo=UTC)
DAY = timedelta(days=1)
RATES = Forgetting(0.30, 0.15, 0.07)
ASKED = "Is the public API still REST?"


def line(name, text="The public API is REST.", days=0.0, **values):
    said = START + days * DAY
    return StoryLine(**{"fact_id": name, "text": text, "said_at": said, "recorded_at": said, **values})


def story_of(lengths):
    return [line(f"f{place}", "x" * size, place) for place, size in enumerate(lengths)]


# Forgetting


@pytest.mark.parametrize(
    ("hours", "share"), [(1, 0.30), (23.9, 0.30), (24, 0.15), (168, 0.15), (169, 0.07), (9e4, 0.07)]
)
def test_B4_a_fact_is_kept_as_often_as_its_age_says(hours, share):
    probability = RATES.keeps(timedelta(hours=hours), 0)
    kept = sum(survives("seed", f"fact {number}", probability) for number in range(20_000))
    assert abs(kept / 20_000 - share) < 0.01


@pytest.mark.parametrize(("conflicts", "share"), [(0, 0.07), (1, 0.14), (2, 0.28), (3, 0.56), (4, 1.0), (999, 1.0)])
def test_B4_each_conflict_behind_a_fact_doubles_its_chance_up_to_certainty(conflicts, share):
    assert RATES.keeps(30 * DAY, conflicts) == pytest.approx(share)


@given(st.text(), st.text(), st.floats(0, 1), st.floats(0, 1))
def test_B4_the_same_seed_keeps_the_same_facts_and_a_higher_chance_keeps_more(seed, fact_id, low, high):
    low, high = sorted((low, high))
    assert survives(seed, fact_id, low) == survives(seed, fact_id, low)
    assert survives(seed, fact_id, high) >= survives(seed, fact_id, low)
    assert survives(seed, fact_id, 1.0)


def test_B4_another_seed_keeps_other_facts():
    kept = [{n for n in range(200) if survives(seed, str(n), 0.3)} for seed in ("a", "b")]
    assert kept[0] != kept[1]


def test_B4_what_is_dated_ahead_of_the_clock_is_new():
    assert age(START + DAY, START) == timedelta()


# Chapters

LENGTHS = st.lists(st.integers(0, 2 * LONGEST_TEXT), max_size=60)
LIMITS = st.integers(2 * (LONGEST_TEXT + 200), 6_000)


@given(LENGTHS, LIMITS, st.integers(0, 4_000))
def test_B5_chapters_tell_the_whole_story_in_its_order_within_the_limit(lengths, limit, overlap):
    story = story_of(lengths)
    cut = chapters(story, limit, overlap)
    seen = []
    for part in cut:
        fresh = [one for one in part if one not in seen]
        assert part == [one for one in seen if one in part] + fresh
        assert fresh
        assert sum(map(length, part)) <= limit
        seen += fresh
    assert seen == story


@given(LENGTHS, LIMITS, st.integers(0, 4_000))
def test_B5_neighbouring_chapters_share_the_tail_of_the_first(lengths, limit, overlap):
    cut = chapters(story_of(lengths), limit, overlap)
    for earlier, later in pairwise(cut):
        shared = [one for one in later if one in earlier]
        assert shared
        assert shared == earlier[-len(shared) :] == later[: len(shared)]


@given(LENGTHS, LIMITS, st.integers(0, 4_000))
def test_B5_lines_no_further_apart_than_the_overlap_are_read_together_somewhere(lengths, limit, overlap):
    story = story_of(lengths)
    cut = chapters(story, limit, overlap)
    for first in range(len(story)):
        for last in range(first + 1, len(story)):
            near = last == first + 1 or sum(map(length, story[first:last])) <= min(overlap, limit // 2)
            assert not near or any(story[first] in part and story[last] in part for part in cut)


def test_B5_a_short_story_is_one_chapter_and_none_is_none():
    assert chapters(story_of([10, 10]), 24_000, 4_800) == [story_of([10, 10])]
    assert chapters([], 24_000, 4_800) == []


def test_B5_a_single_line_beyond_any_limit_does_not_stop_the_rest():
    assert [len(part) for part in chapters(story_of([600, 600, 600]), 10, 5)] == [1, 2, 2]


# What was found


def confusion(*ids, kind=ConflictKind.AMBIGUITY, question=ASKED):
    return Confusion(tuple(sorted(ids)), kind, question)


def test_B5_what_two_chapters_report_is_one_confusion():
    first, again, larger = confusion("a", "b"), confusion("a", "b", question="Is it GraphQL?"), confusion("a", "b", "c")
    assert merged([first, again]) == [first]
    assert merged([first, larger, confusion("d", "e")]) == [larger, confusion("d", "e")]


@given(st.lists(st.sets(st.sampled_from("abcdef"), min_size=2)))
def test_B5_merging_loses_no_fact_and_keeps_no_set_inside_another(sets):
    kept = [set(one.fact_ids) for one in merged([confusion(*ids) for ids in sets])]
    assert all(any(ids <= other for other in kept) for ids in sets)
    assert not any(one <= other for place, one in enumerate(kept) for other in kept[:place] + kept[place + 1 :])


def refused(*lines, kind=ConflictKind.AMBIGUITY, question=ASKED):
    return refusal(
        confusion(*(one.fact_id for one in lines), kind=kind, question=question), {x.fact_id: x for x in lines}
    )


REST = "The public API is REST."
OVER = START + 9 * DAY


@pytest.mark.parametrize("kind", [ConflictKind.REVERSAL, ConflictKind.AMBIGUITY, ConflictKind.STALE])
def test_B2_two_facts_that_hold_now_may_be_asked_about(kind):
    assert refused(line("a"), line("b", "The API is GraphQL.", 5), kind=kind) is None


def test_B2_a_reversal_may_be_told_by_facts_that_are_over():
    lines = [line("a", over=OVER), line("b", "The API is GraphQL.", 5, over=OVER), line("c", REST, 9)]
    assert refused(*lines, kind=ConflictKind.REVERSAL) is None


@pytest.mark.parametrize("kind", [ConflictKind.AMBIGUITY, ConflictKind.STALE])
def test_B3_where_only_the_latest_fact_still_holds_nothing_is_confused(kind):
    assert "still hold" in refused(line("a", over=OVER), line("b", "The API is GraphQL.", 5), kind=kind)


def test_B3_where_nothing_holds_any_more_nothing_is_confused():
    assert refused(line("a", over=OVER), line("b", "It is GraphQL.", 5, over=OVER), kind=ConflictKind.REVERSAL)


def test_B3_a_fact_to_come_is_no_rival_of_the_present_one():
    assert refused(line("a"), line("b", "The API is GraphQL.", 5, begins=OVER))


@pytest.mark.parametrize(
    ("minutes", "topics", "authors", "asked"),
    [
        (14, ("api", "api"), ("ann", "ben"), False),
        (16, ("api", "api"), ("ann", "ben"), True),
        (14, ("api", "infra"), ("ann", "ann"), True),
        (14, (None, None), ("ann", "ann"), False),
        (14, (None, None), ("ann", "ben"), True),
        (14, (None, "api"), ("ann", "ann"), True),
    ],
)
def test_B3_facts_minutes_apart_in_one_topic_are_a_working_session(minutes, topics, authors, asked):
    lines = [
        line(name, f"The public API is number {name}.", minutes * place / 1440, topic=topic, author=author)
        for place, (name, topic, author) in enumerate(zip("ab", topics, authors, strict=True))
    ]
    assert (refused(*lines) is None) == asked


def test_B11_a_question_about_too_many_facts_is_refused():
    assert refused(*(line(f"f{number}", days=number) for number in range(MOST_FACTS + 1)))


@pytest.mark.parametrize(
    "question",
    [
        ASKED,
        "Is the auth rate limit still 1,000 req/s?",
        "The docs name GraphQL. Does the API still speak REST?",
        "Given the move to v2.1, is REST still supported by the API?",
        "Läuft die API noch mit REST?",
        "Has the team gone back to REST, as Dr. Moe said?",
    ],
)
def test_B11_a_question_that_names_the_thing_and_wants_yes_or_no_is_put(question):
    assert fault(question, [line("a"), line("b", "The auth rate limit is 1,000 req/s.")]) is None


@pytest.mark.parametrize(
    ("question", "why"),
    [
        ("The API is REST.", "question mark"),
        ("Is the API REST? Please check.", "question mark"),
        ("Is the API still REST", "question mark"),
        ("It was REST. Then GraphQL came. Is it REST again?", "two sentences"),
        ("What does the API speak?", "yes or no"),
        ("REST was chosen twice. Which one is right?", "yes or no"),
        ("How is the API built?", "yes or no"),
        ("???", "yes or no"),
        ("Is f1 still right about the API?", "points elsewhere"),
        ("Is fact 2 about the API outdated?", "points elsewhere"),
        ("Is the API described at https://evil.example still up?", "points elsewhere"),
        ("Is this still the case?", "does not name"),
        ("Should all data be deleted?", "does not name"),
        ("", "question mark"),
    ],
)
def test_B11_any_other_question_is_not(question, why):
    assert why in fault(question, [line("a"), line("b", "The API speaks GraphQL.")])


# Identity


def known(*ids, status=ConflictStatus.OPEN, opened=START + 5 * DAY):
    return Conflict(
        id="c",
        space_id="ada",
        kind=ConflictKind.AMBIGUITY,
        fact_ids=tuple(sorted(ids)),
        question=ASKED,
        opened_at=opened,
        status=status,
    )


LINES = {name: line(name, days=place) for place, name in enumerate("abcdefgh")}


@pytest.mark.parametrize("status", list(ConflictStatus))
@pytest.mark.parametrize(
    ("asked", "before", "again"),
    [
        ("ab", "ab", False),  # the same
        ("ba", "ab", False),  # in any order
        ("ab", "abc", False),  # less than was asked
        ("abc", "ab", False),  # a fact that was known when it was asked
        ("abh", "ab", True),  # new evidence
        ("ah", "ab", True),
        ("ac", "ab", True),  # another pair
        ("cd", "ab", True),
    ],
)
def test_B6_the_same_facts_are_asked_about_once_whatever_became_of_the_question(asked, before, again, status):
    assert asked_before(asked, [known(*before, status=status)], LINES) != again


@given(st.sets(st.sampled_from("abcdefgh"), min_size=2), st.randoms(use_true_random=False))
def test_B6_order_makes_no_difference(ids, randomly):
    shuffled = sorted(ids)
    randomly.shuffle(shuffled)
    assert asked_before(shuffled, [known(*ids)], LINES)


def test_B4_every_conflict_counts_for_each_of_its_facts():
    assert doubts([known("a", "b"), known("a", "c", status=ConflictStatus.DISMISSED)]) == {"a": 2, "b": 1, "c": 1}
