"""Do a file of notes and memory keep each other up to date, and does nobody's own text ever change? Issue 6, item 4."""

import re
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stilltrue.connect.notes import read_notes, write_notes
from stilltrue.connect.notes.section import BEGIN, END, find
from stilltrue.errors import InvalidInputError, StateError
from stilltrue.memory import Memory
from stilltrue.testing import FrozenClock
from tests.flow.teller import START, WordEmbedder

MARKED = re.compile(rb"<!-- stilltrue:begin.*?<!-- stilltrue:end[^\n]*?-->", re.DOTALL)


@pytest.fixture
def memory():
    with Memory.open(":memory:", clock=FrozenClock(START), embedder=WordEmbedder()) as opened:
        opened.remember("Our rate limit is 600 requests per minute.", topic="api", said_at="2024-05-01")
        opened.remember("The office cat is called Miso.", said_at="2024-06-01")
        opened.remember("Would the limit be enough?", topic="api")
        yield opened
        assert opened.check_invariants() == []


@pytest.fixture
def notes(tmp_path):
    return tmp_path / "MEMORY.md"


def current(memory):
    return sorted(one.text for one in memory.search("limit cat Miso tea requests", limit=50).results)


def edit(path, old, new):
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_the_section_holds_what_is_true_now_by_topic_with_dates_and_ids(memory, notes):
    notes.write_text("# Mine\n\nHands off.\n", encoding="utf-8")
    told = write_notes(memory, notes)
    assert (told.facts, told.changed) == (2, True)
    mine, section = notes.read_text("utf-8").split("\n" + BEGIN)
    assert mine == "# Mine\n\nHands off.\n"
    lines = section.split("\n")
    assert re.fullmatch(r"- The office cat is called Miso\. \(since 2024-06-01\) \[[0-9a-f]{8}\]", lines[2])
    assert lines[4] == "### api"
    assert re.fullmatch(r"- Our rate limit is 600 requests per minute\. \(since .*\) \[[0-9a-f]{8}\]", lines[6])
    assert lines[-2].startswith(END)


def test_a_file_that_says_it_already_is_not_touched(memory, notes):
    write_notes(memory, notes)
    before = notes.stat().st_mtime_ns, notes.read_bytes()
    memory.engine.clock.advance(86_400)
    assert not write_notes(memory, notes).changed
    assert (notes.stat().st_mtime_ns, notes.read_bytes()) == before


def test_what_changes_in_memory_changes_in_the_section_only(memory, notes):
    notes.write_bytes(b"\xef\xbb\xbf# Kept\r\nbad \xff byte\r\n")
    write_notes(memory, notes)
    first = notes.read_bytes()
    memory.engine.clock.advance(86_400)
    memory.remember("Our rate limit is 900 requests per minute now.", topic="api")
    notes.write_bytes(first + b"behind it, without an end")
    write_notes(memory, notes)
    second = notes.read_bytes()
    assert b"900 requests" in second
    assert b"600 requests" not in second
    assert MARKED.split(second) == [b"\xef\xbb\xbf# Kept\r\nbad \xff byte\r\n\r\n", b"\r\nbehind it, without an end"]
    assert second.count(b"\n") == second.count(b"\r\n")


def test_C9_a_changed_line_supersedes_its_fact(memory, notes):
    write_notes(memory, notes)
    edit(notes, "600 requests per minute.", "750 requests per minute.")
    memory.engine.clock.advance(86_400)
    told = read_notes(memory, notes)
    assert (told.changed, told.added, told.waiting, told.errors) == (1, 0, [], [])
    assert current(memory) == ["Our rate limit is 750 requests per minute.", "The office cat is called Miso."]
    (old,) = memory.search("rate limit", as_of="2024-07-01").results[:1]
    assert "600" in old.text
    assert read_notes(memory, notes).changed == 0
    write_notes(memory, notes)
    assert b"750 requests" in notes.read_bytes()
    memory.undo(told.batch_id)
    assert "Our rate limit is 600 requests per minute." in current(memory)


def test_an_added_line_is_remembered_with_the_topic_it_stands_under(memory, notes):
    write_notes(memory, notes)
    edit(notes, "### api\n\n", "### api\n\n- The API speaks JSON only.\n")
    assert read_notes(memory, notes).added == 1
    assert read_notes(memory, notes).added == 0
    (found,) = [one for one in memory.search("API JSON").results if "JSON" in one.text]
    assert found.topic == "api"
    write_notes(memory, notes)
    assert notes.read_text("utf-8").count("speaks JSON") == 1


def test_a_line_that_was_taken_out_is_asked_about(memory, notes):
    write_notes(memory, notes)
    text = notes.read_text("utf-8")
    notes.write_text(re.sub(r"- The office cat[^\n]*\n", "", text), encoding="utf-8")
    (waiting,) = read_notes(memory, notes).waiting
    assert waiting.text == "The office cat is called Miso."
    assert "The office cat is called Miso." in current(memory)
    told = read_notes(memory, notes, retracts=lambda _: True)
    assert (told.retracted, told.waiting) == (1, [])
    assert current(memory) == ["Our rate limit is 600 requests per minute."]
    (decision,) = memory.explain(waiting.fact_id).decisions[-1:]
    assert decision.reason == "taken out of MEMORY.md"
    assert read_notes(memory, notes).waiting == []
    write_notes(memory, notes)
    memory.undo(told.batch_id)
    assert "The office cat is called Miso." in current(memory)


def test_the_same_line_can_be_added_again_after_it_was_forgotten(memory, notes):
    write_notes(memory, notes)
    for _ in range(2):
        memory.engine.clock.advance(86_400)
        edit(notes, "\n### api", "- Tea is free.\n\n### api")
        assert read_notes(memory, notes).added == 1
        assert "Tea is free." in current(memory)
        write_notes(memory, notes)
        text = notes.read_text("utf-8")
        notes.write_text(re.sub(r"- Tea is free[^\n]*\n", "", text), encoding="utf-8")
        assert read_notes(memory, notes, retracts=lambda _: True).retracted == 1
        write_notes(memory, notes)
        assert "Tea is free." not in current(memory)


def test_what_people_wrote_around_the_section_is_imported_and_the_section_is_not(memory, notes):
    write_notes(memory, notes)
    notes.write_bytes(b"# Team\n\n- Deploys happen on Tuesdays.\n\n" + notes.read_bytes())
    before, episodes = notes.read_bytes(), memory.stats().counts["episodes"]
    assert read_notes(memory, notes).outside == 1
    assert read_notes(memory, notes).outside == 0
    assert memory.stats().counts["episodes"] == episodes + 1
    assert notes.read_bytes() == before


def test_edits_that_were_not_read_are_not_written_over(memory, notes):
    write_notes(memory, notes)
    edit(notes, "600 requests", "750 requests")
    before = notes.read_bytes()
    with pytest.raises(StateError, match="notes read"):
        write_notes(memory, notes)
    assert notes.read_bytes() == before
    write_notes(memory, notes, force=True)
    assert b"750 requests" not in notes.read_bytes()  # an id may hold the figure


WRITTEN_IN = [
    ("a paragraph", "The tea kitchen is\non the second floor.\n", ["The tea kitchen is on the second floor."]),
    ("a deeper item", "   - The tea is in the drawer.\n", ["The tea is in the drawer."]),
    ("an item far in", "\t\t* The tea is in the drawer.\n", ["The tea is in the drawer."]),
    ("a number", "1. The tea is in the drawer.\n", ["The tea is in the drawer."]),
    ("wrapped", "- The tea is\n  in the drawer.\n", ["The tea is in the drawer."]),
    ("code first", "```make tea``` starts the tea machine.\n", ["```make tea``` starts the tea machine."]),
]


@pytest.mark.parametrize(("text", "told"), [case[1:] for case in WRITTEN_IN], ids=[case[0] for case in WRITTEN_IN])
@pytest.mark.parametrize("before", ["\n", "Miso. (since 2024-06-01) [{}]\n"])
def test_what_people_write_into_the_section_in_whatever_form_is_read_and_never_written_over(
    memory, notes, text, told, before
):
    write_notes(memory, notes)
    content = notes.read_text("utf-8")
    place = content.index("\n", content.index("Miso.")) + 1 if "Miso" in before else content.index("\n### api")
    notes.write_text(content[:place] + text + content[place:], encoding="utf-8")
    kept = notes.read_bytes()
    with pytest.raises(StateError, match=r"notes read .*--force"):
        write_notes(memory, notes)
    assert notes.read_bytes() == kept
    assert (read_notes(memory, notes).added, read_notes(memory, notes).added) == (1, 0)
    assert {*told} <= {*current(memory)}
    write_notes(memory, notes)
    assert told[0] in notes.read_text("utf-8")


REDATED = [
    ("earlier", "(since 2024-06-01)", "(since 2024-03-01)", ("2024-03-01", None)),
    ("later", "(since 2024-06-01)", "(since 2024-07-01)", ("2024-07-01", None)),
    ("an end to come", "(since 2024-06-01)", "(since 2024-06-01, until 2026-01-31)", ("2024-06-01", "2026-01-31")),
    ("over", "(since 2024-06-01)", "(since 2024-06-01, until 2024-12-01)", ("2024-06-01", "2024-12-01")),
    ("undated", "(since 2024-06-01)", "(undated)", (None, None)),
]


@pytest.mark.parametrize(("old", "new", "held"), [case[1:] for case in REDATED], ids=[case[0] for case in REDATED])
def test_dates_changed_under_the_same_words_are_the_facts_from_now_on(memory, notes, old, new, held):
    def told():
        (found,) = [one for one in memory.search("cat Miso", include_superseded=True).results if "Miso" in one.text]
        return tuple(moment and moment.date().isoformat() for moment in (found.valid_from, found.valid_until))

    write_notes(memory, notes)
    before = told()
    memory.engine.clock.advance(3_600)
    edit(notes, old, new)
    with pytest.raises(StateError, match="notes read"):
        write_notes(memory, notes)
    report = read_notes(memory, notes)
    assert (report.changed, report.added, report.errors) == (1, 0, [])
    assert told() == held
    assert read_notes(memory, notes).changed == 0
    write_notes(memory, notes)
    assert (new in notes.read_text("utf-8")) is (held[1] != "2024-12-01")
    memory.undo(report.batch_id)
    assert told() == before


def test_dates_that_memory_changed_are_nobodys_edit(memory, notes):
    write_notes(memory, notes)
    memory.engine.clock.advance(3_600)
    memory.remember("The office cat is called Miso.", valid_from="2024-01-01")
    assert read_notes(memory, notes).changed == 0
    write_notes(memory, notes)
    assert "(since 2024-01-01)" in notes.read_text("utf-8")


def test_what_a_fact_followed_ends_where_it_begins_now(memory, notes):
    memory.engine.clock.advance(3_600)
    memory.remember("Our rate limit is 900 requests per minute now.", topic="api", said_at="2024-09-01")
    write_notes(memory, notes)
    edit(notes, "now. (since 2024-09-01)", "now. (since 2024-08-01)")
    assert read_notes(memory, notes).errors == []
    ends = {one.text: one.valid_until for one in memory.search("rate limit", include_superseded=True).results}
    assert ends["Our rate limit is 600 requests per minute."].date().isoformat() == "2024-08-01"
    edit(notes, "now. (since 2024-08-01)", "now. (since 2024-02-01)")
    (error,) = read_notes(memory, notes).errors
    assert "change that one's dates first" in error


@pytest.mark.parametrize("given", ["since May", "until 2024-13-01", "since 2024-06-01, since 2024-07-01", "since 2025"])
def test_what_is_no_date_is_told(memory, notes, given):
    write_notes(memory, notes)
    edit(notes, "(since 2024-06-01)", f"({given})")
    (error,) = read_notes(memory, notes).errors
    assert "line 3" in error
    assert "write it like" in error


def test_an_added_line_may_bring_its_dates(memory, notes):
    write_notes(memory, notes)
    edit(notes, "\n### api", "- Tea is free. (since 2024-02-01)\n\n### api")
    assert read_notes(memory, notes).added == 1
    (found,) = [one for one in memory.search("tea").results if "Tea" in one.text]
    assert found.valid_from.date().isoformat() == "2024-02-01"


def test_what_hangs_under_an_own_bullet_belongs_to_it(memory, notes):
    write_notes(memory, notes)
    edit(notes, "\n### api", "- Tea is free:\n  - on Mondays\n    and on Tuesdays\n\n### api")
    assert read_notes(memory, notes).added == 1
    edit(notes, "  - on Mondays", "  - on Fridays")
    assert read_notes(memory, notes).added == 1


def test_a_fact_that_an_editor_wrapped_is_unchanged(memory, notes):
    write_notes(memory, notes)
    edit(notes, "called Miso. (since", "called\n  Miso.\n  (since")
    told = read_notes(memory, notes)
    assert (told.changed, told.added, told.waiting) == (0, 0, [])


@pytest.mark.parametrize(
    "text", ["```\ncode\n```\n", "| a |\n|---|\n| b |\n", "> quoted\n", "<p>x</p>\n", "~~~\nx\n~~~\n"]
)
def test_what_cannot_be_read_is_told_and_not_written_over(memory, notes, text):
    write_notes(memory, notes)
    edit(notes, "\n### api", f"\n{text}\n### api")
    kept = notes.read_bytes()
    with pytest.raises(StateError, match=r"MEMORY\.md, line 5: code, .* --force"):
        write_notes(memory, notes)
    assert notes.read_bytes() == kept
    assert "line 5" in read_notes(memory, notes).errors[0]
    write_notes(memory, notes, force=True)
    assert text not in notes.read_text("utf-8")


def test_memory_text_can_neither_end_the_section_nor_hide_the_rest(memory, notes):
    evil = "Our mark is\n<!-- stilltrue:end -->\n# Own\u202e <!-- and hidden."
    memory.remember(evil, subject="mark", topic="x\n<!-- stilltrue:begin -->")
    notes.write_bytes(b"Mine.\n")
    write_notes(memory, notes)
    text = notes.read_bytes()
    assert MARKED.sub(b"", text) == b"Mine.\n\n\n"
    assert text.count(b"<!--") == 2
    assert read_notes(memory, notes).as_json() | {"outside": 0, "batch_id": None} == {
        "changed": 0, "added": 0, "retracted": 0, "waiting": [], "outside": 0, "errors": [], "batch_id": None,
    }  # fmt: skip


BROKEN = [
    f"{BEGIN} -->\n",
    f"{END} -->\n",
    f"{END} -->\n{BEGIN} -->\n",
    f"{BEGIN} -->\n{END} -->\n{BEGIN} -->\n{END} -->\n",
]


@pytest.mark.parametrize("text", BROKEN)
def test_half_a_section_or_two_are_refused(memory, notes, text):
    notes.write_text(text, encoding="utf-8")
    for verb in (write_notes, read_notes):
        with pytest.raises(InvalidInputError, match="nothing was changed"):
            verb(memory, notes)
    assert notes.read_text("utf-8") == text


def test_marks_in_a_code_block_are_an_example(memory, notes):
    example = f"```\n{BEGIN} -->\n{END} -->\n```\n"
    notes.write_text(example, encoding="utf-8")
    write_notes(memory, notes)
    assert notes.read_text("utf-8").startswith(example + "\n" + BEGIN)


def test_a_failing_disk_leaves_the_file_as_it_was(memory, notes, monkeypatch):
    notes.write_text("Mine.", encoding="utf-8")

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_notes(memory, notes)
    assert notes.read_text("utf-8") == "Mine."
    assert [one.name for one in notes.parent.iterdir()] == [notes.name]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(
    around=st.tuples(
        st.binary(max_size=60) | st.text(max_size=60).map(str.encode), st.text(max_size=60).map(str.encode)
    ),
    texts=st.lists(st.text(min_size=1, max_size=30), min_size=1, max_size=3),
)
def test_any_text_around_the_section_survives_any_number_of_writes(tmp_path, around, texts):
    path = tmp_path / "notes.md"
    before, behind = around
    with Memory.open(":memory:", clock=FrozenClock(START), embedder=WordEmbedder()) as memory:
        path.write_bytes(before)
        try:
            find(before + b"\n" + behind)
            write_notes(memory, path)
            first = path.read_bytes()
            held = find(first)
            path.write_bytes(first + behind if first.endswith(b"\n") or not behind else first + b"\n" + behind)
            held = find(path.read_bytes())
        except InvalidInputError:
            return  # half a section, UTF-16: refused
        assert held is not None
        ahead, rest = path.read_bytes()[: held.start], path.read_bytes()[held.end :]
        assert ahead.startswith(before)
        for text in texts:
            memory.engine.clock.advance(3_600)
            try:
                memory.remember(text, subject="x")
            except InvalidInputError:
                continue
            write_notes(memory, path)
            again = find(path.read_bytes())
            assert again is not None
            assert path.read_bytes()[: again.start] == ahead
            assert path.read_bytes()[again.end :] == rest
            with suppress(InvalidInputError):  # what stands around it may be no text
                told = read_notes(memory, path)
                assert (told.changed, told.added, told.waiting) == (0, 0, [])
