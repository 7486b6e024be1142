"""Typed values: tables of cases, and what holds for any text and any number."""

import json
import math
import time
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from stilltrue.model.slot import Bound, ValueType
from stilltrue.rules.quantities import Comparison, compare, find_values, parse_value, product_version

CASES = json.loads(Path(__file__).with_name("quantities.json").read_text("utf-8"))

UNITS = [("ms", 1e-3, "s"), ("s", 1, "s"), ("minutes", 60, "s"), ("hours", 3600, "s"), ("KiB", 1024, "B")]
UNITS += [("GB", 1e9, "B"), ("kg", 1e3, "g"), ("km", 1e3, "m"), ("%", 1, "%"), ("req/s", 1, "1/s")]

HOSTILE = ["1 ", "1", "a ", "1-", "5m ", "one ", "a a hundred and ", "3 May ", "1:1:", "from 1 to 2 ", "x", "٣ ", "$1 "]
HOSTILE += ["over ", "http://", "1,000,", "v1 ", "Ab 1 ", " ", "1 a b c d ", "1.1.", "1/", "-", "½", "an hour and "]


def _id(case):
    return " | ".join(str(case[key]) for key in ("text", "old", "new", "hint") if key in case)


@pytest.mark.parametrize("case", CASES["find"], ids=_id)
def test_finds_each_value_of_a_sentence_once_and_typed(case):
    found = find_values(case["text"])
    assert [f"{value.type.value} {value.key}" for _, value in found] == case["values"], case.get("why")
    for span, value in found:
        assert span.of(case["text"]) == value.text


@pytest.mark.parametrize("case", CASES["parse"], ids=_id)
def test_reads_a_whole_text_as_one_value(case):
    value = parse_value(case["text"], ValueType(case["hint"]) if "hint" in case else None)
    assert (value.type.value, value.key) == (case["type"], case["key"]), case.get("why")
    assert value.text == case["text"]


@pytest.mark.parametrize("case", CASES["compare"], ids=_id)
def test_compares_values_the_same_way_round_and_about(case):
    hint = ValueType(case["hint"]) if "hint" in case else None
    old, new = parse_value(case["old"], hint), parse_value(case["new"], hint)
    assert compare(old, new).value == case["is"], case.get("why")
    assert compare(new, old).value == case["is"], "the other way round"


def test_names_the_product_of_a_version_and_where_both_stand():
    text = "Prod runs Postgres 14, staging PostgreSQL 17.2"
    found = product_version(text)
    assert (found.product, found.value.key, found.span.of(text)) == ("Postgres", "14", "Postgres 14")
    assert product_version("version 3 of room 14") is None


@given(st.text(max_size=300), st.sampled_from([None, *ValueType]))
@example("1" * 400, None)
@example("9e999 s", None)
@example("\ud800 5 MB", None)
@example("0/0 and 0:0", ValueType.RATIO)
def test_never_raises_and_spans_never_overlap(text, hint):
    value = parse_value(text, hint)
    assert compare(value, value) is Comparison.SAME
    end = 0
    for span, found in find_values(text):
        assert end <= span.start < span.end <= len(text)
        assert found.key
        assert compare(found, value) in Comparison
        end = span.end


WORDS = st.sampled_from(
    [
        *("at least", "over", "about", "between", "from", "to", "and", "or", "per", "a", "an", "the", "of", "ago"),
        *(
            "5",
            "1,000",
            "1k",
            "30",
            "3.12",
            "1.0.0",
            "9:30",
            "2025",
            "2025-03-01",
            "½",
            "٣",
            "half",
            "hundred",
            "dozen",
        ),
        *("s", "ms", "min", "MB", "req/s", "km", "°C", "$", "€", "USD", "%", "pm", "v", "Postgres", "May", "Monday"),
        *("-", "–", ":", "/", "+", ".", ","),
    ]
)


@given(st.lists(WORDS, max_size=14).map(" ".join), st.lists(WORDS, max_size=6).map("".join))
def test_never_raises_on_what_looks_like_values(spaced, glued):
    for text in (spaced, glued):
        for span, value in find_values(text):
            assert span.of(text) == value.text
            compare(value, parse_value(text))


@given(st.integers(1, 10**9), st.sampled_from(UNITS), st.sampled_from(["{n} {u}", "{n:,} {u}", "in {n} {u}."]))
def test_a_formatted_quantity_is_read_back(number, unit, form):
    name, by, base = unit
    [(_, value)] = find_values(form.format(n=number, u=name))
    assert value.unit == base
    assert value.number == pytest.approx(number * by, rel=1e-12)
    assert value.bound is Bound.EXACT


@given(st.integers(1, 10**6))
def test_equal_durations_have_equal_keys(minutes):
    spelt = [f"{minutes} min", f"{minutes * 60} s", f"{minutes * 60_000:,} ms", f"{minutes}-minute"]
    assert len({find_values(text)[0][1].key for text in spelt}) == 1


@given(st.tuples(*[st.integers(0, 99)] * 3))
def test_a_version_is_read_back_and_differs_from_the_next(parts):
    major, minor, patch = parts
    value = parse_value(f"v{major}.{minor}.{patch}")
    assert (value.type, value.key) == (ValueType.VERSION, f"{major}.{minor}.{patch}")
    assert compare(value, parse_value(f"{major}.{minor}.{patch + 1}")) is Comparison.DIFFERENT
    assert compare(value, parse_value(f"{major}.{minor}", ValueType.VERSION)) is Comparison.COMPATIBLE


@pytest.mark.parametrize("piece", HOSTILE)
def test_long_hostile_text_takes_linear_time(piece):
    def seconds(length, enough=0.0):
        """The best of three runs. Where one is quick enough, the others could change nothing."""
        text = (piece * (length // len(piece) + 1))[:length]
        best = math.inf
        for _ in range(3):
            begin = time.process_time()
            find_values(text)
            parse_value(text)
            best = min(best, time.process_time() - begin)
            if best < enough:
                break
        return best

    short = seconds(8192)
    assert short < 0.5  # 50 ms a function on a free core; the rest is for busy machines
    assert seconds(32768, enough=8 * max(short, 0.01)) < 8 * max(short, 0.01)
