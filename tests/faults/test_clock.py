"""What if the machine's clock is wrong? It jumps back, years ahead and back again, stands in a leap day or an hour that
comes twice: nothing told is lost, what was known stays known, and no work waits for a time that will not come."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from stilltrue.errors import InvalidInputError
from stilltrue.testing import FrozenClock
from tests.faults.proof import many
from tests.flow.teller import HOME, START, Story, WordEmbedder
from tests.flow.test_sweep import lives

WALKS = many(12, 300)
JUMPS = tuple(
    timedelta(**how)
    for how in ({"seconds": -1}, {"hours": -1}, {"hours": 1}, {"days": -3}, {"days": 400}, {"days": -365 * 12},
                {"days": 365 * 20}, {"microseconds": 0})
)  # fmt: skip
CITIES = ("Oslo", "Rome", "Bonn", "Turin")


def told(story, deeds, jumps):
    """Do the deeds, with the clock moved before each."""
    for (deed, city, when), jump in zip(deeds, jumps, strict=True):
        story.clock.set(min(max(story.clock.now() + jump, START), datetime(2150, 1, 1, tzinfo=UTC)))
        given = {**HOME, "value": city, "said_at": when}
        made = story.memory.remember(f"User moved to {city}.", wait=deed != "keep", **given)
        if deed == "keep":
            story.memory.drain()
        if deed == "undo" and story.kinds(made[0]):
            story.memory.undo(made[0].id)


def walk(seed):
    """What differs between a store whose clock jumps about and one whose clock goes on."""
    chance = random.Random(seed)
    days = sorted(chance.sample(range(1, 300), 7))
    deeds = [(chance.choice(("say", "say", "keep", "undo")), chance.choice(CITIES), START - timedelta(days=400 - day))
             for day in days]  # fmt: skip
    calm, wild = (Story.open(WordEmbedder(), clock=FrozenClock(START), pair_model="off") for _ in range(2))
    told(calm, deeds, [timedelta(days=1)] * len(deeds))
    told(wild, deeds, [chance.choice(JUMPS) for _ in deeds])
    wrong = [] if lives(calm) == lives(wild) else [("another end", sorted(set(lives(calm)) ^ set(lives(wild))))]
    for story in (calm, wild):
        story.memory.sweep()
        if left := story.memory.stats().counts["jobs"]:
            wrong.append(("left undone", left))
        wrong += story.memory.check_invariants()
    with wild.memory.engine.store.read() as reader:
        at = [row.at for row in reader.history(wild.memory.space)]
    if at != sorted(at):
        wrong.append(("stamps out of order", at))
    for day in days:
        when = START - timedelta(days=400 - day) + timedelta(hours=1)
        if calm.values(as_of=when) != wild.values(as_of=when):
            wrong.append(("answers differ", when))
    calm.memory.close()
    wild.memory.close()
    return [(seed, one) for one in wrong]


def test_C8_a_clock_that_jumps_changes_no_answer(proven):
    wrong = [one for seed in range(WALKS) for one in walk(seed)]
    proven("clock jumps back and years ahead", "walks of 7 writes", WALKS, wrong)


@pytest.mark.parametrize("back", [timedelta(hours=1), timedelta(days=365 * 10)])
def test_B13_what_waits_to_be_judged_is_judged_though_the_clock_was_set_back(back):
    story = Story.open(WordEmbedder(), clock=FrozenClock(START + back), pair_model="off")
    story.says("User lives in Oslo.", wait=False)
    story.clock.set(START)
    story.says("User speaks French.", wait=False)
    assert len(story.memory.drain()) == 2
    assert story.memory.stats().counts["jobs"] == 0
    assert story.memory.check_invariants() == []
    story.memory.close()


class Cut(BaseException):
    """Like a process that is killed, but that the test survives."""


def test_E3_a_sweep_that_was_cut_short_goes_on_though_the_clock_was_set_back():
    story = Story.open(WordEmbedder(), clock=FrozenClock(START + timedelta(days=3_650)), pair_model="off")
    for number in range(3):
        story.say(f"Box {number} is red.", subject=f"box {number}", attribute="color", value="red")

    def dies(*_):
        raise Cut

    with pytest.raises(Cut):
        story.memory.sweep(dies)
    story.clock.set(START)
    story.memory.sweep()
    assert story.memory.stats().counts["jobs"] == 0
    story.memory.close()


def test_A8_maintenance_goes_on_though_the_clock_was_years_ahead_once():
    story = Story.open(WordEmbedder(), clock=FrozenClock(START + timedelta(days=3_650)), pair_model="off")
    story.home("Oslo")
    story.memory.maintain()
    story.clock.set(START)
    before = story.memory.stats().counts["passes"]
    story.clock.advance(40 * 86_400)
    from stilltrue.model.ids import BatchId
    from stilltrue.upkeep.retention import maintain_when_due

    engine = story.memory.engine
    maintain_when_due(engine, story.memory.space, BatchId(engine.new_id(story.clock.now())))
    assert story.memory.stats().counts["passes"] == before + 1
    story.memory.close()


ZONES = ("Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia", "Asia/Kathmandu", "UTC")
CHANGES = ("2025-03-28", "2025-10-24", "2025-11-01", "2025-04-04", "2011-12-28", "2024-02-27", "2016-12-30")


@pytest.mark.parametrize("zone", ZONES)
def test_C7_a_days_end_is_the_askers_where_an_hour_is_missing_or_comes_twice(zone, proven):
    """Around a change of the clocks something moves every three hours; a day's answer is that of its last hour."""
    wrong, asked = [], 0
    for first in CHANGES[: many(2, len(CHANGES))]:
        start = datetime.fromisoformat(first).replace(tzinfo=UTC)
        story = Story.open(WordEmbedder(), clock=FrozenClock(start + timedelta(days=9)), pair_model="off")
        story.memory.configure(timezone=zone)
        moves = [start + timedelta(hours=hour) for hour in range(0, 96, 3)]
        for number, when in enumerate(moves):
            place = {"subject": "crate", "attribute": "place", "value": f"bay {number}", "said_at": when}
            story.says(f"The crate was moved to bay {number}.", cardinality="one", **place)
        for shift in range(5):
            day = (start + timedelta(days=shift)).date()
            last = [number for number, when in enumerate(moves) if when.astimezone(ZoneInfo(zone)).date() <= day]
            expected = [f"bay {last[-1]}"] if last else []
            found = story.values("crate", "place", as_of=day.isoformat())
            asked += 1
            wrong += [] if found == expected else [(zone, day, found, expected)]
        assert story.memory.check_invariants() == []
        story.memory.close()
    proven(f"days with 23, 24 or 25 hours in {zone}", "days", asked, wrong)


AWKWARD = ("2024-02-29T12:00:00+00:00", "2024-12-31T23:59:59.999999+00:00", "2025-03-30T01:30:00+00:00",
           "2025-10-26T00:30:00+00:00", "1900-03-01T00:00:00+00:00", "2000-02-29T00:00:00+00:00",
           "1970-01-01T00:00:00+00:00", "1969-12-31T23:59:59+00:00", "9999-12-31T23:59:59+00:00",
           "0001-01-01T00:00:00+00:00")  # fmt: skip
SAYINGS = ("User has lived in Oslo for a year.", "User moved to Rome last year.", "User moves to Bonn next month.",
           "User lived in Turin until yesterday.", "Two years ago User worked at Bosch.",
           "User will retire in 30 years.", "User was born on 29 February 1996.",
           "The clock showed 23:59:60 on 31 December 2016.")  # fmt: skip


def test_D1_awkward_instants_are_kept_or_refused_in_words(proven):
    """Leap days, a leap second, the ends of the calendar: each is remembered, or refused with a sentence."""
    wrong, tried, refused = [], 0, 0
    for moment in AWKWARD:
        story = Story.open(WordEmbedder(), clock=FrozenClock(START), pair_model="off")
        for text in SAYINGS:
            tried += 1
            try:
                story.memory.remember(text, said_at=moment)
                story.memory.search(text, as_of=moment)
            except InvalidInputError:
                refused += 1
            except Exception as error:  # noqa: BLE001 - that is what is looked for
                wrong.append((moment, text, repr(error)))
        wrong += [(moment, one) for one in story.memory.check_invariants()]
        story.memory.close()
    proven("leap days and the ends of the calendar", "sentences", tried, wrong, f"{refused} refused in words")
