"""What is known of a subject, by slot and without ranking (C12)?"""

import pytest

from stilltrue.errors import InvalidInputError
from stilltrue.model.fact import Status
from stilltrue.model.ids import SpaceId
from stilltrue.read.lookup import lookup
from tests.read.house import day


@pytest.fixture
def kept(house):
    house.clock.moment = day("2024-01-05")
    house.old = house.tell("User lives in Portland.", "2024-01-05", slot=("user", "residence"), value="Portland")
    house.pet = house.tell("User has a cat.", "2024-01-06", slot=("user", "pet"), value="cat")
    house.clock.moment = day("2025-03-01")
    house.new = house.tell("User moved to Seattle.", "2025-03-01", slot=("user", "residence"), value="Seattle")
    house.retire(house.old, "2025-03-01", by=house.new)
    house.clock.moment = day("2025-06-10")
    return house


def ids(house, *names, **options):
    return [result.id for result in lookup(house.engine, house.space, *names, **options)]


def test_C12_lookup_gives_the_current_value_of_a_slot(kept):
    [found] = lookup(kept.engine, kept.space, "user", "residence")
    assert (found.id, found.value, found.status) == (kept.new, "Seattle", Status.ACTIVE)


def test_C12_lookup_without_a_key_gives_all_of_the_subject_newest_first(kept):
    assert ids(kept, "user") == [kept.new, kept.pet]


def test_C12_lookup_as_of_known_at_and_with_superseded(kept):
    assert ids(kept, "user", "residence", as_of=day("2024-06-01")) == [kept.old]
    assert ids(kept, "user", "residence", known_at=day("2024-06-01")) == [kept.old]
    assert ids(kept, "user", "residence", include_superseded=True) == [kept.new, kept.old]
    assert ids(kept, "user", "residence", as_of=day("2023-01-01")) == []


def test_C12_known_at_shows_the_belief_of_then(kept):
    [then] = lookup(kept.engine, kept.space, "user", "residence", known_at=day("2024-06-01"))
    assert (then.status, then.valid_until, then.superseded_by) == (Status.ACTIVE, None, None)


@pytest.mark.parametrize(
    "names",
    [("User", "Residence"), ("  USER ", "residence"), ("user", " RESIDENCE"), ("I", "city"), ("the user", "City")],
)
def test_C12_names_are_found_however_they_are_written(kept, names):
    assert ids(kept, *names) == [kept.new]


def test_what_is_not_known_is_no_error_and_no_other_spaces(kept):
    kept.tell("Ada lives in Oslo.", slot=("ada", "residence"), space=SpaceId("other"))
    assert ids(kept, "ada") == []
    assert ids(kept, "user", "shoe size") == []


@pytest.mark.parametrize("names", [("",), ("  ", "residence"), ("user", " ")])
def test_blank_names_are_refused(kept, names):
    with pytest.raises(InvalidInputError, match="empty"):
        ids(kept, *names)
