"""Can a remembered text do anything to its reader but be read? And do dates fall in the reader's zone?"""

import io
import json
import re
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stilltrue.faces.cli.call import Call, print_json, print_lines
from stilltrue.faces.text import Lens, plain, shorten
from stilltrue.model.timeline import Interval

STEERS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


@given(st.text())
def test_a_plain_text_is_one_line_without_control_characters(text):
    assert not STEERS.search(plain(text))


@given(st.text(alphabet=st.characters(whitelist_categories=["L", "N", "P", "S"])))
def test_letters_digits_and_signs_of_any_language_stay_as_they_are(text):
    assert plain(text) == text


def test_markup_is_text_and_escape_sequences_show():
    assert plain("[red]x[/red]\x1b[31m\x9b0m") == "[red]x[/red]\\x1b[31m\\x9b0m"


def test_a_shortened_text_says_that_it_was():
    assert shorten("a" * 20, 10) == "a" * 9 + "…"
    assert shorten("short", 10) == "short"


@pytest.mark.parametrize(("zone", "day"), [("UTC", "2025-02-28"), ("Asia/Tokyo", "2025-03-01")])
def test_a_date_falls_in_the_readers_zone(zone, day):
    assert Lens.of_zone(zone).day(datetime(2025, 2, 28, 23, tzinfo=UTC)) == day


def test_intervals_read_as_words():
    start, end = datetime(2025, 1, 1, tzinfo=UTC), datetime(2025, 3, 1, tzinfo=UTC)
    lens = Lens()
    assert lens.interval(Interval(None, None)) == "undated"
    assert lens.interval(Interval(None, end)) == "until 2025-03-01"
    assert lens.interval(Interval(start, end)) == "2025-01-01 to 2025-03-01"
    assert lens.interval(Interval(start, start)).startswith("at no time")


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self):
        return True


class Narrow(io.StringIO):
    encoding = "ascii"


def test_a_terminal_gets_colour_from_us_and_none_from_the_text(monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    screen = Terminal()
    monkeypatch.setattr("sys.stdout", screen)
    print_lines(["SUPERSEDE 0a1b2c3d " + plain("[bold]not[/bold] \x1b[5mblinking :smile:")])
    shown = screen.getvalue()
    assert "[bold]not[/bold] \\x1b[5mblinking :smile:" in re.sub("\x1b\\[[0-9;]*m", "", shown)
    assert "\x1b[5m" not in shown
    assert "\x1b[1m" in shown


@pytest.mark.parametrize("stream", [Terminal, Narrow])
def test_json_is_safe_to_show_and_means_the_same(monkeypatch, stream):
    screen = stream()
    monkeypatch.setattr("sys.stdout", screen)
    told = {"text": "a\x9b31mb\u202ec\x1b[0m", "place": "Zürich 東京"}
    print_json(told)
    assert json.loads(screen.getvalue()) == told
    assert not STEERS.search(screen.getvalue().replace("\n", ""))
    assert ("Zürich" in screen.getvalue()) is (stream is Terminal)


@pytest.mark.parametrize("as_json", [True, False])
def test_progress_is_drawn_at_a_terminal_and_not_with_json(monkeypatch, as_json):
    monkeypatch.setenv("TERM", "xterm")
    screen = Terminal()
    monkeypatch.setattr("sys.stderr", screen)
    with Call(None, "default", None, as_json).progress("judging", 2) as progress:
        progress(1)
        progress(2, 2)
    assert ("judging" in screen.getvalue()) is not as_json


def test_progress_is_not_drawn_elsewhere(monkeypatch):
    log = Narrow()
    monkeypatch.setattr("sys.stderr", log)
    with Call(None, "default", None, as_json=False).progress("judging", 2) as progress:
        progress(1)
    assert not log.getvalue()
