"""Is a hostile file read as far as it can be, with a number and a remedy for the rest?"""

import contextlib
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stilltrue.errors import InvalidInputError
from stilltrue.formats.lines import LineError, byte_lines, decode, json_lines, json_records, parse

BAD_LINES = [
    (b"{", "no valid JSON"),
    (b'{"a": NaN}', "NaN is no JSON value"),
    (b'{"a": -Infinity}', "-Infinity is no JSON value"),
    (b'{"a": 1e999}', "1e999 is no JSON value"),
    (b"[1]", "a JSON object is expected, not a list"),
    (b"3", "not a number"),
    (b"null", "not null"),
    (b'"text"', "not a string"),
    (b"true", "not a truth value"),
    (b'{"a": "\xff\xfe"}', "no valid UTF-8"),
    (b'{"a": "\\ud800"}', "no valid UTF-8"),
    (b'{"a": ' + b"[" * 100_000, "nested too deeply"),
    (b'{"a": ' + b"9" * 5_000 + b"}", "no valid JSON"),
    (b'{"a"\x00: 1}', "binary"),
]


@pytest.mark.parametrize(("bad", "words"), BAD_LINES, ids=[words for _, words in BAD_LINES])
def test_a_bad_line_is_named_and_the_rest_is_read(bad, words):
    first, second, third = json_lines(io.BytesIO(b'{"n": 1}\r\n' + bad + b'\n{"n": 3}'))
    assert (first, third) == ((1, {"n": 1}), (3, {"n": 3}))
    number, error = second
    assert number == 2
    assert isinstance(error, LineError)
    assert words in str(error)


def test_byte_order_mark_blank_lines_and_both_line_ends_do_no_harm():
    assert list(json_lines(io.BytesIO(b'\xef\xbb\xbf{"n": 1}\r\n\r\n  \n{"n": 4}\n'))) == [(1, {"n": 1}), (4, {"n": 4})]


def test_an_emoji_written_as_a_surrogate_pair_is_a_good_text():
    assert list(json_lines(io.BytesIO(b'{"a": "\\ud83d\\ude00"}'))) == [(1, {"a": "\N{GRINNING FACE}"})]


def test_a_huge_line_is_passed_over_without_losing_the_count():
    lines = list(byte_lines(io.BytesIO(b"short\n" + b"x" * 50 + b"\nend"), longest=10))
    assert [number for number, _ in lines] == [1, 2, 3]
    assert isinstance(lines[1][1], LineError)
    assert lines[2][1] == b"end"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ('[\n{"n": 1},\n\n{"n": 2}\n]\n', [2, 4]),
        ('{"count": 2, "results": [{"n": 1},\n{"n": 2}], "next": {"page": [2]}}', [1, 2]),
        ('{"n": 1}\n{"n": 2}', [1, 2]),
        ('[{"n": 1}, {"n": 2}]', [1, 1]),
    ],
)
def test_records_come_from_lists_wrapped_lists_and_lines(text, lines):
    found = list(json_records(text, "results"))
    assert found == [(line, {"n": number}) for number, line in enumerate(lines, start=1)]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('[{"n": 1},\n{"n": 2', 2),
        ('[{"n": 1}\n{"n": 2}]', 2),
        ('[{"n": 1}]\n[{"n": 2}]', 2),
        ('{"results": [{"n": 1}]\n"x"', 2),
        ('[{"n": 1},\n{"n": NaN}]', 2),
    ],
)
def test_a_broken_list_gives_what_stands_before_the_break(text, line):
    first, (number, error) = json_records(text, "results")
    assert first == (1, {"n": 1})
    assert number == line
    assert isinstance(error, LineError)


def test_one_item_with_broken_utf8_does_not_spoil_the_list():
    text = decode(b'[{"a": "\xff"},\n {"a": "fine"}]')
    (_, first), (_, second) = json_records(text)
    assert isinstance(first, LineError)
    assert second == {"a": "fine"}


@pytest.mark.parametrize("data", [b"\xff\xfeh\x00", b"\xfe\xff\x00h", b"\x89PNG\x00"])
def test_what_is_no_text_is_refused(data):
    with pytest.raises(InvalidInputError, match=r"UTF-16|binary"):
        decode(data)


@given(st.text(alphabet='[]{}",:\\un019d \n\ud800-') | st.text())
def test_no_text_raises_anything_else(text):
    for _, item in json_records(text, "results"):
        assert isinstance(item, LineError) or json.dumps(item) is not None
    with contextlib.suppress(InvalidInputError):
        assert parse(text) == json.loads(text)


@given(st.binary())
def test_no_bytes_raise_anything_else(data):
    for number, item in json_lines(io.BytesIO(data)):
        assert number >= 1
        assert isinstance(item, (dict, LineError))
    with contextlib.suppress(InvalidInputError):
        list(json_records(decode(data)))
