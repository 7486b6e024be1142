"""Dates in sentences and moments given by callers: tables of cases, and what holds for any text."""

import json
import math
import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from stilltrue.errors import InvalidInputError
from stilltrue.model.timeline import iso
from stilltrue.rules.as_of import parse_moment
from stilltrue.rules.dates import DateRole, find_dates

CASES = json.loads(Path(__file__).with_name("dates.json").read_text("utf-8"))
SAID = datetime(2025, 6, 18, 15, 30, tzinfo=UTC)  # a Wednesday
DAYS = st.dates(min_value=datetime(1900, 1, 1).date(), max_value=datetime(2099, 12, 30).date())  # noqa: DTZ001 - days
MOMENTS = st.datetimes(datetime(1, 1, 3), datetime(9999, 12, 28), timezones=st.just(UTC))  # noqa: DTZ001 - zone given

HOSTILE = [
    "1 ",
    "1",
    "a ",
    "1-",
    "May ",
    "3 May ",
    "from May to ",
    "last ",
    "the ",
    "x",
    "for two years ",
    "٣ ",
    "for ",
]
HOSTILE += ["the end of ", "Monday, ", "Mon.,", "early ", "the last ", "in ", "one ", "two weeks ago ", "2025-", "' "]


def _id(case):
    return " ".join(str(case[key]) for key in ("text", "zone", "day_first") if key in case)


def _told(mention):
    start, end = (iso(moment).removesuffix("Z") if moment else "-" for moment in _ends(mention))
    return f"{mention.role.value} {start.removesuffix('T00:00:00')} {end.removesuffix('T00:00:00')}"


def _ends(mention):
    return mention.interval.start, mention.interval.end


@pytest.mark.parametrize("case", CASES["find"], ids=_id)
def test_finds_dates_and_how_they_bind(case):
    found = find_dates(case["text"], SAID, case.get("zone", "UTC"), day_first=case.get("day_first"))
    assert [_told(mention) for mention in found] == case["dates"], case.get("why")


@pytest.mark.parametrize("case", CASES["moments"], ids=_id)
def test_reads_a_moment_at_its_start_and_at_its_end(case):
    zone = case.get("zone", "UTC")
    assert iso(parse_moment(case["text"], SAID, zone, end_of_day=False)) == case["start"], case.get("why")
    assert iso(parse_moment(case["text"], SAID, zone, end_of_day=True)) == case["end"], case.get("why")


@pytest.mark.parametrize("text", CASES["no_moments"], ids=lambda text: ascii(text[:20]))
@pytest.mark.parametrize("end_of_day", [False, True])
def test_refuses_what_is_no_moment_and_says_what_would_be(text, end_of_day):
    with pytest.raises(InvalidInputError, match="give one like 2025-06-18") as refused:
        parse_moment(text, SAID, "UTC", end_of_day=end_of_day)
    assert len(str(refused.value)) < 500


def test_the_last_day_of_all_may_be_given_as_for_ever():
    assert parse_moment("9999-12-31", SAID, "UTC", end_of_day=False).year == 9999
    assert parse_moment("9999-12-31", SAID, "UTC", end_of_day=True).year == 9999


@pytest.mark.parametrize("zone", ["Nowhere/Here", "", "../etc/passwd", "a\0b"])
def test_refuses_a_zone_that_there_is_not(zone):
    with pytest.raises(InvalidInputError, match="IANA name"):
        find_dates("yesterday", SAID, zone)
    with pytest.raises(InvalidInputError, match="IANA name"):
        parse_moment("yesterday", SAID, zone, end_of_day=True)


@given(st.text(max_size=300), MOMENTS, st.sampled_from(["UTC", "Europe/Berlin", "Pacific/Kiritimati"]))
@example("31 February 2025, 0 May, 99th", SAID, "UTC")
@example("9999 years ago in 9999999 weeks from now", SAID, "UTC")
@example("2025-03-01T99:99 2025-99-99", SAID, "UTC")
def test_never_raises_and_spans_never_overlap(text, said, zone):
    end = 0
    for mention in find_dates(text, said, zone):
        assert end <= mention.span.start < mention.span.end <= len(text)
        assert _ends(mention) != (None, None)
        end = mention.span.end
    with suppress(InvalidInputError):
        parse_moment(text, said, zone, end_of_day=True)


WORDS = st.sampled_from(
    [
        *("since", "from", "until", "by", "in", "on", "for", "the", "of", "to", "and", "between", "as", "end", "early"),
        *("last", "next", "this", "past", "ago", "now", "a", "two", "5", "31", "5th", "2025", "99999", "week", "years"),
        *("month", "May", "March", "Feb", "Monday", "Sun", "summer", "Q3", "yesterday", "morning", "has", "lived"),
        *("2025-03-01", "3/5/2025", "2015-2018", "3-5", "2025-03-01T10:00Z", "-", "–", ",", ".", "will", "EOY"),
    ]
)


@given(st.lists(WORDS, max_size=14).map(" ".join), MOMENTS)
def test_never_raises_on_what_looks_like_dates(text, said):
    for mention in find_dates(text, said, "America/New_York"):
        assert mention.role in DateRole


@given(DAYS, st.sampled_from(["%Y-%m-%d", "{d} %B %Y", "%B {d}, %Y", "{d} %b %Y", "%A, {d} %B %Y", "{d}.{m}.%Y"]))
def test_a_formatted_day_is_read_back(day, form):
    text = day.strftime(form).format(d=day.day, m=day.month)
    [mention] = find_dates(f"on {text}", SAID)
    start = datetime(day.year, day.month, day.day, tzinfo=UTC)
    assert _ends(mention) == (start, start + timedelta(days=1))
    assert mention.role is DateRole.AT


@given(DAYS, st.sampled_from(["UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe"]))
def test_the_end_of_a_day_is_a_microsecond_before_the_next(day, zone):
    after = day + timedelta(days=1)
    end = parse_moment(day.isoformat(), SAID, zone, end_of_day=True)
    assert end + timedelta(microseconds=1) == parse_moment(after.isoformat(), SAID, zone, end_of_day=False)


@given(st.datetimes(datetime(1970, 1, 2), datetime(2200, 1, 1)))  # noqa: DTZ001 - made aware below
def test_a_moment_written_out_or_in_seconds_is_read_back(naive):
    moment = naive.replace(tzinfo=UTC)
    assert parse_moment(iso(moment), SAID, "Asia/Tokyo", end_of_day=True) == moment
    micros = (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
    seconds = f"{micros // 10**6:09d}.{micros % 10**6:06d}"
    assert parse_moment(seconds, SAID, "Asia/Tokyo", end_of_day=True) == moment


@pytest.mark.parametrize("piece", HOSTILE)
def test_long_hostile_text_takes_linear_time(piece):
    def seconds(length, enough=0.0):
        """The best of three runs. Where one is quick enough, the others could change nothing."""
        text = (piece * (length // len(piece) + 1))[:length]
        best = math.inf
        for _ in range(3):
            begin = time.process_time()
            find_dates(text, SAID)
            best = min(best, time.process_time() - begin)
            if best < enough:
                break
        return best

    short = seconds(8192)
    assert short < 0.5  # 50 ms on a free core; the rest is for busy machines
    assert seconds(32768, enough=8 * max(short, 0.01)) < 8 * max(short, 0.01)
