"""Does a memory that was taken out and put in again stand as it stood, and can it do all that it could before?

Rows C8, D10, E12 and F4 on a copy: the same bytes when it is exported again, the same answers on both clocks, the same
undo. A file that is not whole is refused, and nothing of it is kept.
"""

from __future__ import annotations

import io
import json
from itertools import count

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from stilltrue.connect.archive import END, export_space, import_space
from stilltrue.connect.importers import import_file
from stilltrue.errors import AccessError, InvalidInputError, StateError
from stilltrue.memory import Memory
from stilltrue.testing import FrozenClock
from tests.flow.canon import everything, snapshot
from tests.flow.teller import HOME, START, Story, WordEmbedder
from tests.flow.test_sessions import SESSIONS, needs_sessions

WORK = {"subject": "user", "attribute": "employer"}
SECRET = "wanderwolke"


def exported(memory):
    lines = []
    export_space(memory, lines.append)
    return lines


def as_file(lines):
    return io.BytesIO("".join(f"{line}\n" for line in lines).encode())


def copied(story, space="copy", embedder=None, path=":memory:"):
    """The same space in another store, under another name, at the same time of day."""
    clock = FrozenClock(story.clock.now())
    twin = Story.open(embedder or story.memory.engine.embedder, path, space=space, clock=clock)
    import_space(twin.memory, as_file(exported(story.memory)))
    return twin


def assert_same(story, twin):
    assert exported(twin.memory)[1:] == exported(story.memory)[1:]
    assert everything(twin.memory) == everything(story.memory)
    assert twin.memory.check_invariants() == []


@pytest.fixture
def slow(stories, words):
    return stories(embedder=words)


def lived(story):
    """A life with everything in it that a store can hold."""
    memory = story.memory
    story.job = story.say("I work at Acme.", "2025-01-01", **WORK, value="Acme")
    story.say("Lunch is paid by the employer.", "2025-01-02", depends_on=story.job.fact_id)
    story.oslo = story.home("Oslo", "2025-01-03", author="mara", topic="home")
    story.rome = story.home("Rome", "2025-02-01")
    story.undone = story.home("Bonn", "2025-02-02")
    memory.undo(story.undone.id)
    story.say("I work at Globex now.", "2025-03-01", **WORK, value="Globex")
    story.on("2025-03-02")
    story.deploys = story.say(
        "Deploys on Fridays are banned.", kind="constraint", subject="deploys", attribute="friday"
    )
    story.clash = story.say("Deploys on Fridays are allowed.", subject="deploys", attribute="friday")
    story.asked = memory.conflicts()
    memory.search("Where does the user live?")
    memory.forget(story.say("User owns a llama.", "2025-03-03").fact_id, never_true=True, reason="a mix-up")
    memory.erase(story.say(f"The safe word is {SECRET}.", "2025-03-04").fact_id)
    memory.configure(shadow_mode=True)
    story.home("Pisa", "2025-03-05")
    memory.configure(shadow_mode=None, max_candidates=7)
    for month in range(4, 13):
        story.on(f"2025-{month:02}-01")
        memory.maintain()
    story.says("I have a cat. I like green tea.", "2025-12-02", wait=False)
    return story


def test_E12_a_whole_life_comes_back_as_it_was(slow):
    story = lived(slow)
    assert story.asked, "the life should hold a question"
    counts = story.memory.stats().counts
    assert counts["jobs"]
    assert counts["passes"]
    assert story.memory.proposals()
    assert story.memory.rechecks()
    twin = copied(story)
    assert_same(story, twin)


def test_C8_the_copy_answers_on_both_clocks_as_the_original(slow):
    story = lived(slow)
    twin = copied(story)
    for when in ("2025-01-15", "2025-02-15", "2025-12-31"):
        for known in (None, "2025-01-20", "2025-02-01", "2025-02-03"):
            times = {"as_of": when, "known_at": known}
            assert twin.values(**times) == story.values(**times), times
            assert twin.served("Where does the user live?", **times) == story.served(
                "Where does the user live?", **times
            )


def test_F5_the_copy_explains_as_the_original(slow):
    story = lived(slow)
    twin = copied(story, space=story.memory.space)
    with story.memory.engine.store.read() as reader:
        ids = [row.fact_id for row in reader.history(story.memory.space) if row.fact_id is not None]
    for identifier in (*dict.fromkeys(ids), story.rome.id, story.clash.id):
        assert twin.memory.explain(identifier) == story.memory.explain(identifier)


def test_F4_what_is_done_next_has_the_same_outcome_on_the_copy(slow):
    story = lived(slow)
    twin = copied(story)
    (card, *_) = story.asked
    for one in (story, twin):
        one.memory.drain()
        one.memory.resolve(card.conflict.id, "keep", keep=story.deploys.fact_id)
        one.memory.undo(story.rome.id)
        one.home("Wien", "2026-01-01")
        one.memory.sweep()

    def facts(one):
        return sorted(
            (fact["statement"]["text"], str(fact["belief"]["valid"]), str(fact["belief"]["retirement"]))
            for fact in snapshot(one.memory)["facts"].values()
        )

    assert facts(twin) == facts(story)
    assert [card.conflict.status for card in twin.conflicts(None)] == [
        card.conflict.status for card in story.conflicts(None)
    ]
    assert twin.memory.check_invariants() == []


def test_E3_a_sweep_that_was_cut_short_goes_on_in_a_copy_of_another_number(slow):
    for city in ("Oslo", "Rome", "Bonn", "Pisa"):
        slow.say(f"Ada works in {city}.", wait=False)
    slow.memory.drain()
    with slow.memory.engine.store.read() as reader:
        places = reader.stored_order(slow.memory.space, 0, 10)
    twin = Story.open(WordEmbedder(), space="first")
    twin.home("Wien")
    other = twin.memory.in_space("second")
    import_space(other, as_file(exported(slow.memory)))
    with other.engine.store.read() as reader:
        assert reader.stored_order("second", 0, 10) == places
        assert reader.stored_order("second", places[1][0], 10) == places[2:]
    assert other.check_invariants() == []


def test_D10_what_was_erased_is_not_in_the_export(slow):
    story = lived(slow)
    told = "".join(exported(story.memory))
    assert SECRET not in told
    assert "Oslo" in told


def test_D9_a_group_keeps_its_members_and_strangers_take_nothing_out(slow):
    slow.home("Oslo")
    slow.memory.set_members(["ana"])
    with pytest.raises(AccessError):
        export_space(slow.memory, print)
    group = Memory(slow.memory.engine, slow.memory.space, "ana")
    twin = Story.open(WordEmbedder(), space="team")
    import_space(twin.memory, as_file(exported(group)))
    with pytest.raises(AccessError):
        twin.memory.search("Oslo")
    assert Memory(twin.memory.engine, "team", "ana").members() == ("ana",)


def test_a_space_that_holds_something_is_left_alone(slow):
    slow.home("Oslo")
    lines = exported(slow.memory)
    other = slow.memory.in_space("other")
    other.remember("I like tea.")
    before = everything(other)
    with pytest.raises(StateError, match="--space"):
        import_space(other, as_file(lines))
    assert everything(other) == before


def test_nothing_is_made_of_a_space_that_was_never_written(slow):
    with pytest.raises(StateError, match="nothing to export"):
        export_space(slow.memory, print)


# Files that are not as they should be

LIFE: list[str] = []


def life():
    if not LIFE:
        story = lived(Story.open(WordEmbedder()))
        LIFE.extend(exported(story.memory))
        story.memory.close()
    return list(LIFE)


def refused(lines):
    """The complaint, after looking that nothing was written."""
    twin = Story.open(WordEmbedder())
    with pytest.raises(InvalidInputError) as raised:
        import_space(twin.memory, as_file(lines), "lost.jsonl")
    with twin.memory.engine.store.read() as reader:
        assert reader.spaces() == []
    assert twin.memory.check_invariants() == []
    twin.memory.close()
    assert str(raised.value).startswith("lost.jsonl, line ")
    return str(raised.value)


def some(lines):
    """The first line of each kind of record, and every seventh."""
    kinds = [json.loads(line).get("is") for line in lines[1:-1]]
    return sorted({kinds.index(kind) + 1 for kind in kinds} | set(range(1, len(lines) - 1, 7)))


def test_every_line_matters():
    lines = life()
    for number in (*some(lines), len(lines) - 1):
        refused([*lines[:number], *lines[number + 1 :]])


def test_a_file_cut_anywhere_is_refused():
    whole = "".join(f"{line}\n" for line in life())
    for cut in range(1, len(whole) - 2, max(1, len(whole) // 60)):
        refused(whole[:cut].split("\n"))


def test_a_line_twice_is_refused():
    lines = life()
    counts = json.loads(lines[-1])[END]
    for number in some(lines):
        kind = json.loads(lines[number])["is"]
        end = json.dumps({END: {**counts, kind: counts[kind] + 1}})
        refused([*lines[: number + 1], lines[number], *lines[number + 1 : -1], end])


DAMAGES = {
    "no JSON": (lambda line: line[:-1], "line 3"),
    "not an object": (lambda line: "[]", "line 3: a JSON object is expected"),
    "an unknown record": (lambda line: line.replace("KeptEpisode", "KeptDragon", 1), "no record 'KeptDragon'"),
    "an unknown field": (lambda line: line.replace('"erased"', '"razed"', 1), "line 3"),
    "a number for a text": (lambda line: line.replace('"text":"', '"text":7,"role":"', 1), "line 3"),
    "no date": (lambda line: line.replace('"said_at":"2', '"said_at":"x', 1), "line 3"),
    "NaN": (lambda line: line.replace('"author":null', '"author":NaN', 1), "line 3"),
    "half a character": (lambda line: line.replace('"text":"', '"text":"\\ud800', 1), "line 3"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_line_is_named_and_nothing_is_kept(damage):
    lines = life()
    break_it, complaint = DAMAGES[damage]
    lines[2] = break_it(lines[2])
    assert complaint in refused(lines)
    assert "nothing was" in refused(lines)


def test_D9_a_file_cannot_write_into_another_space():
    lines = life()
    for number, line in enumerate(lines):
        for noun in ("Episode", "Fact", "Decision", "HistoryRow", "Conflict", "Job"):
            mark = f'"is":"{noun}",'
            at = line.find(mark)
            if 0 <= at <= len('{"is":"KeptHistory","row":'):
                worse = f'{line[:at]}{mark}"space_id":"victim",{line[at + len(mark) :]}'
                assert "a space of its own" in refused([*lines[:number], worse, *lines[number + 1 :]])


def test_a_newer_version_is_refused():
    assert "upgrade" in refused([life()[0].replace(":1", ":2", 1), *life()[1:]])


def test_what_is_no_export_is_refused():
    assert "no export" in refused(['{"text": "I live in Oslo."}'])


def test_a_fact_that_a_record_names_must_be_there():
    lines = life()
    fact_id = json.loads(next(line for line in lines if '"is":"Link"' in line))["to_id"]
    other = "0" * 8 + fact_id[8:]
    lines = [line.replace(fact_id, other) if '"is":"Link"' in line else line for line in lines]
    assert "do not fit together" in refused(lines)


def test_a_file_that_changes_while_it_is_read_is_refused():
    class Changing(io.BytesIO):
        rewound = 0

        def seek(self, *where):
            self.rewound += 1
            if self.rewound == 3:  # counted, checked, and now to be written
                self.getbuffer()[:] = self.getvalue().replace(b"Oslo", b"Rome")
            return super().seek(*where)

    twin = Story.open(WordEmbedder())
    with pytest.raises(InvalidInputError, match="changed while it was read"):
        import_space(twin.memory, Changing(as_file(life()).getvalue()))
    with twin.memory.engine.store.read() as reader:
        assert reader.spaces() == []


# Lives that nobody thought of

TEXTS = (
    "I like tea.", "I don't like tea.", "I moved from Oslo to Rome.", "Our rate limit is 100 requests per minute.",
    "The rate limit is 600 requests per minute now.", "Actually, I never worked at Acme.", "I work at Acme.",
    "From March on I work at Globex.", "I broke up with Amari.", "I have a cat and two dogs. I live in Bonn.",
)  # fmt: skip


class Life(RuleBasedStateMachine):
    @initialize()
    def begin(self):
        self.story = Story.open(WordEmbedder())
        self.done = []
        self.hours = count(1)

    def later(self):
        self.story.clock.advance(next(self.hours) * 3_600)

    @rule(text=st.sampled_from(TEXTS), author=st.sampled_from([None, "mara", "ines"]), wait=st.booleans())
    def told(self, text, author, wait):
        self.later()
        self.done += self.story.says(text, author=author, wait=wait)

    @rule(city=st.sampled_from(("Oslo", "Rome", "Bonn")), day=st.integers(-300, 300))
    def home(self, city, day):
        self.later()
        at = START.fromtimestamp(START.timestamp() + day * 86_400, START.tzinfo)
        self.done += self.story.says(f"User lives in {city}.", said_at=at, **HOME, value=city)

    @rule(which=st.integers(0, 50), verb=st.sampled_from(["undo", "forget", "never", "erase"]))
    def taken_back(self, which, verb):
        if not self.done:
            return
        self.later()
        one, memory = self.done[which % len(self.done)], self.story.memory
        verbs = {
            "undo": lambda: memory.undo(one.id),
            "forget": lambda: memory.forget(one.fact_id or ""),
            "never": lambda: memory.forget(one.fact_id or "", never_true=True),
            "erase": lambda: memory.erase(one.fact_id or ""),
        }
        try:
            verbs[verb]()
        except (InvalidInputError, StateError):
            return  # there is nothing left to take back

    @rule(verb=st.sampled_from(["drain", "sweep", "maintain", "detect"]))
    def looked_after(self, verb):
        self.later()
        getattr(self.story.memory, verb)()

    @rule(answer=st.sampled_from(["dismiss", "both"]))
    def settled(self, answer):
        self.later()
        for card in self.story.conflicts()[:1]:
            condition = {"condition": "place=work", "keep": card.conflict.fact_ids[0]} if answer == "both" else {}
            self.story.memory.resolve(card.conflict.id, answer, **condition)

    def teardown(self):
        if hasattr(self, "story") and self.done:
            twin = copied(self.story)
            assert_same(self.story, twin)
            twin.memory.close()
        if hasattr(self, "story"):
            self.story.memory.close()


TestLife = Life.TestCase
TestLife.settings = settings(
    max_examples=60, stateful_step_count=12, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)


@needs_sessions
def test_real_conversations_come_back_and_are_found_as_before(stories, embedder, tmp_path):
    story = stories(path=tmp_path / "one.db")
    import_file(story.memory, SESSIONS, format="sessions")
    twin = copied(story, path=tmp_path / "two.db")
    assert_same(story, twin)
    for query in ("Which database do we use?", "rate limit", "Who owns the auth service?", "deploy"):
        assert twin.served(query) == story.served(query)
    twin.memory.close()
