"""Is each field what it should be, and named where it is not?"""

import contextlib
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stilltrue.errors import InvalidInputError
from stilltrue.formats import fields

MOMENTS = [
    ("2025-03-01", datetime(2025, 3, 1, tzinfo=UTC)),
    ("20250301", datetime(2025, 3, 1, tzinfo=UTC)),
    ("2025-03-01T09:30:00", datetime(2025, 3, 1, 9, 30, tzinfo=UTC)),
    ("2025-03-01T09:30:00Z", datetime(2025, 3, 1, 9, 30, tzinfo=UTC)),
    (" 2025-03-01T01:00:00+02:00 ", datetime(2025, 2, 28, 23, tzinfo=UTC)),
    ("2024-07-23T20:45:04.123456-07:00", datetime(2024, 7, 24, 3, 45, 4, 123456, tzinfo=UTC)),
    (1740787200, datetime(2025, 3, 1, tzinfo=UTC)),
    ("1740787200", datetime(2025, 3, 1, tzinfo=UTC)),
    (1740787200000, datetime(2025, 3, 1, tzinfo=UTC)),
    (1740787200.5, datetime(2025, 3, 1, 0, 0, 0, 500000, tzinfo=UTC)),
]


@pytest.mark.parametrize(("value", "expected"), MOMENTS, ids=[str(value) for value, _ in MOMENTS])
def test_a_time_is_read_in_every_common_form(value, expected):
    assert fields.read_moment(value) == expected


@pytest.mark.parametrize(
    "value", ["", "soon", "2025-02-30", True, None, [], {}, 1e300, "9" * 400, "0001-01-01T00:00+14:00"]
)
def test_what_is_no_time_is_refused_with_an_example(value):
    with pytest.raises(InvalidInputError, match="give one like 2025"):
        fields.read_moment(value)


@given(st.text() | st.integers() | st.floats() | st.none() | st.booleans() | st.lists(st.integers()))
def test_reading_a_time_raises_nothing_else(value):
    with contextlib.suppress(InvalidInputError):
        assert fields.read_moment(value).tzinfo is UTC


@pytest.mark.parametrize("value", [1.5, -0.1, True, "0.5", [0.5], float("nan")])
def test_a_share_lies_between_nought_and_one(value):
    with pytest.raises(InvalidInputError, match="'importance' should be a number from 0 to 1"):
        fields.share({"importance": value}, "importance")


def test_what_is_not_given_is_none():
    nothing = {"a": None, "blank": "  "}
    assert fields.text(nothing, "a") is fields.text(nothing, "blank") is fields.share(nothing, "a") is None
    assert fields.moment(nothing, "a", "b") is None
    assert fields.texts(nothing, "a") == ()
    assert fields.qualifiers(nothing) == {}


@pytest.mark.parametrize("value", [3, ["a", 3], {"a": "b"}])
def test_a_list_of_strings_holds_strings(value):
    with pytest.raises(InvalidInputError, match="list of strings"):
        fields.texts({"supersedes": value}, "supersedes")


@pytest.mark.parametrize("value", [3, ["a"], {"environment": 3}])
def test_qualifiers_are_an_object_of_strings(value):
    with pytest.raises(InvalidInputError, match="'qualifiers' should be an object of strings"):
        fields.qualifiers({"qualifiers": value})
