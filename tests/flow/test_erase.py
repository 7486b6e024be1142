"""Is what was erased gone? Row D10: forgetting keeps the history, erasing leaves no byte of the text in any file or
answer and a mark without content; what was marked never true does not come back from a re-import."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from stilltrue.errors import NotFoundError, StateError
from stilltrue.model.codec import encode
from stilltrue.model.conflict import ConflictKind
from stilltrue.model.expert import Unheard
from stilltrue.model.verdict import Relation, Undecided
from stilltrue.rules.narrative import Confusion
from stilltrue.testing import ScriptedExpert
from stilltrue.upkeep.opening import open_conflict
from stilltrue.write import remember
from stilltrue.write.ask_expert import JOB_KIND as PAIRS
from stilltrue.write.remember import JOB_KIND as EPISODES
from stilltrue.write.wake import STORY
from tests.flow.canon import tombstones
from tests.flow.teller import HOME

SECRET = "Zanzibar Quintessence Road"
CODINGS = ("utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")


def traces(path: Path, secret: str) -> list[str]:
    """Files of a database that hold the secret, or a word of it, in any coding."""
    whole = {secret, secret.lower(), secret.upper()}
    words = {word for text in whole for word in (text, *text.split())}
    found = []
    for file in sorted(path.parent.glob(f"{path.name}*")):
        data = file.read_bytes()
        found += [f"{file.name}: {word}" for word in words for code in CODINGS if word.encode(code) in data]
    return found


def answers(memory) -> str:
    """All that reading verbs say of the space, as text."""
    with memory.engine.store.read() as reader:
        rows = reader.history(memory.space)
        facts = dict.fromkeys(row.fact_id for row in rows if row.fact_id)
        said = [
            [encode(row) for row in rows],
            [encode(item) for item in reader.decisions(memory.space)],
            [encode(item) for item in reader.judged(memory.space)],
            [encode(item) for item in reader.facts(memory.space, list(facts))],
        ]
    for fact_id in facts:
        said += [repr(memory.history(fact_id)), repr(memory.explain(fact_id))]
    said += [repr(memory.stats()), repr(memory.conflicts(None)), repr(memory.proposals())]
    said += [repr(memory.search(SECRET, include_superseded=True)), repr(memory.lookup("user", include_superseded=True))]
    return json.dumps([item if isinstance(item, (str, list)) else repr(item) for item in said])


def furnish(story):
    """A secret that was restated, superseded, judged, asked about and weighed for others."""
    street = {"subject": "user", "attribute": "street_address"}
    story.home("Oslo", "2025-01-01")
    old = story.say(f"User lives at {SECRET} 5.", "2025-01-02", value=f"{SECRET} 5", topic=SECRET, **street)
    story.say(f"The user's address is {SECRET} 5.", "2025-01-20", value=f"{SECRET} 5", author="ann", **street)
    story.memory.configure(supersession_enabled=False)
    story.say("User's address is Elm Street 7.", "2025-02-01", value="Elm Street 7", **street)
    story.memory.configure(supersession_enabled=None)
    story.says(f"I have a cat. My office is also on {SECRET}, by the way.", "2025-02-02")
    story.say("User's address changed to Oak Lane 9.", "2025-03-01", value="Oak Lane 9", **street)
    return old


@pytest.mark.parametrize("closed", [False, True])
def test_D10_erased_text_is_in_no_file_and_no_answer(stories, tmp_path, closed):
    path = tmp_path / "memory.db"
    story = stories(path)
    furnish(story)
    assert traces(path, SECRET)
    assert SECRET in answers(story.memory)
    with story.memory.engine.store.read() as reader:
        ids = [row.fact_id for row in reader.history(story.memory.space) if row.kind == "fact_added"]
        secret = [fact for fact in reader.facts(story.memory.space, ids) if SECRET in fact.statement.text]
        episodes = [source.episode_id for fact in secret for source in reader.sources(story.memory.space, fact.id)]
    for episode in dict.fromkeys(episodes):
        story.memory.erase(episode, reason="asked to")
    assert story.memory.check_invariants() == []
    assert SECRET not in answers(story.memory)
    assert "Zanzibar" not in answers(story.memory)
    if closed:
        story.memory.close()
    assert traces(path, SECRET) == []


def test_D10_erasing_a_fact_blanks_its_words_and_leaves_the_rest(stories, tmp_path):
    path = tmp_path / "memory.db"
    story = stories(path)
    decisions = story.says(f"I have a cat called Mia. My house is on {SECRET}. I speak French.", "2025-01-01")
    doomed = next(item for item in decisions if SECRET in item.text)
    kept = [item for item in decisions if item is not doomed]
    spans = [(cited.start, cited.end) for item in kept for cited in story.fact(item.fact_id).sources]
    story.memory.erase(doomed.fact_id)
    assert traces(path, SECRET) == []
    assert [story.fact(item.fact_id).text for item in kept] == [item.text for item in kept]
    assert [(cited.start, cited.end) for item in kept for cited in story.fact(item.fact_id).sources] == spans
    for item in kept:
        for cited in story.fact(item.fact_id).sources:
            assert cited.quote.strip(" .") == item.text.strip(" .")
    assert story.fact(doomed.fact_id).text == ""
    assert story.served("Which languages? cat French")


def test_D10_a_mark_without_content_remains_and_the_deed_is_recorded(story):
    told = story.home("Oslo", "2025-01-01")
    erased = story.on("2025-02-01").memory.erase(told.fact_id, reason="the law")
    assert (erased.action, erased.text, erased.targets) == ("ERASE", "", (told.fact_id,))
    assert [row.kind for row in story.life(told.fact_id).rows][-1] == "erased"
    assert story.memory.explain(erased.id).decisions[0].reason == "the law"
    with story.memory.engine.store.read() as reader:
        counts = reader.counts(story.memory.space)
    assert (counts["facts"], counts["current"]) == (1, 0)
    assert story.values(include_superseded=True) == []
    assert story.values(known_at="2025-01-15") == []
    assert "Oslo" not in repr(tombstones(story.memory, []))


def test_D10_erasing_cannot_be_undone_and_what_it_removed_neither(story):
    told = story.home("Oslo", "2025-01-01")
    erased = story.memory.erase(told.fact_id)
    for identifier in (erased.id, told.id):
        with pytest.raises(StateError):
            story.memory.undo(identifier)
    with pytest.raises(NotFoundError):
        story.memory.erase("00000000-0000-7000-8000-000000000000")


def test_D10_erasing_the_new_does_not_bring_the_old_back(story):
    old = story.home("Oslo", "2025-01-01")
    new = story.home("Rome", "2025-02-01", "User moved to Rome.")
    story.on("2025-03-01").memory.erase(new.fact_id)
    assert story.values() == []
    assert story.fact(old.fact_id).status == "superseded"


def test_D10_forgetting_keeps_the_text_and_erasing_spares_other_spaces(story):
    told = story.home("Oslo", "2025-01-01")
    other = story.memory.in_space("other")
    other.remember("User lives in Oslo.", value="Oslo", **HOME)
    story.memory.forget(told.fact_id)
    assert story.fact(told.fact_id).text == "User lives in Oslo."
    story.memory.erase(told.fact_id)
    assert [result.text for result in other.search("Where does the user live?").results] == ["User lives in Oslo."]


@pytest.mark.parametrize("how", ["forget", "correction"])
def test_D10_what_was_never_true_does_not_come_back_from_a_re_import(story, how):
    wrong = story.home("Oslo", "2025-01-01", origin="chat:1")
    if how == "forget":
        story.on("2025-02-01").memory.forget(wrong.fact_id, never_true=True)
    else:
        story.home("Bonn", "2025-02-01", "Actually, the user never lived in Oslo; it was always Bonn.")
    left = story.values()
    again = story.home("Oslo", "2025-03-01", said_at="2025-01-01", origin="copy:1")
    assert again.action == "REJECT"
    reworded = story.home("Oslo", "2025-03-02", "The user is living in Oslo.", said_at="2025-01-03")
    assert reworded.action == "REJECT"
    assert story.values() == left
    assert story.values(as_of="2025-01-10") == [name for name in left if how == "correction"]
    fresh = story.home("Oslo", "2025-04-01", "User moved to Oslo.")
    assert fresh.fact_id is not None
    assert story.values() == ["Oslo"]


def test_D10_what_was_forgotten_does_not_come_back_from_a_re_import(story):
    told = story.home("Oslo", "2025-01-01")
    story.on("2025-02-01").memory.forget(told.fact_id)
    story.home("Oslo", "2025-03-01", "The user is living in Oslo.", said_at="2025-01-10")
    assert story.values() == []
    assert story.values(as_of="2025-01-20") == ["Oslo"]
    story.home("Oslo", "2025-04-01", "User lives in Oslo again.")
    assert story.values() == ["Oslo"]


@pytest.mark.parametrize("which", [0, 1])
def test_D10_what_waits_to_be_judged_may_be_erased(stories, tmp_path, which):
    """The rest of the text is judged as if nothing had been there, once."""
    path = tmp_path / "memory.db"
    story = stories(path)
    texts = [f"My house is on {SECRET}.", "I have a cat called Mia."]
    texts = texts if which == 0 else texts[::-1]
    story.says(" ".join(texts), "2025-01-01", wait=False)
    (doomed,) = [one for one in story.memory.search(SECRET).results if SECRET in one.text]
    story.memory.erase(doomed.id)
    assert traces(path, SECRET) == []
    story.memory.drain()
    assert story.served("What is the name of my cat?") == ["I have a cat called Mia."]
    assert story.memory.stats().counts["current"] == 1
    assert traces(path, SECRET) == []


def test_D10_the_same_words_said_by_another_go_too(stories, tmp_path):
    path = tmp_path / "memory.db"
    story = stories(path)
    story.memory.configure(supersession_enabled=False, fuzzy_dedupe=False)
    text = f"My house is on {SECRET}."
    story.memory.undo(story.say(text, "2025-01-01", author="ann").id)
    told = story.say(text, "2025-02-01", author="ben")
    story.say(f"{text} I have a cat.".removesuffix(" I have a cat."), "2025-02-02", author="eve", topic="homes")
    story.memory.erase(told.fact_id)
    assert traces(path, SECRET) == []


def test_D10_what_was_heard_as_a_mention_goes_too_where_it_is_a_fact_of_its_own(stories, tmp_path):
    """One way to say it was taken up by the other, and later became a fact itself: either is the erased text."""
    path = tmp_path / "memory.db"
    story = stories(path)
    street = {"subject": "user", "attribute": "street_address"}
    first, second = f"User lives at {SECRET} 5.", f"The user's address is {SECRET} 5."
    told = story.say(first, "2025-01-01", value=f"{SECRET} 5", **street)
    assert story.say(second, "2025-01-20", value=f"{SECRET} 5", author="ann", **street).fact_id == told.fact_id
    moved = story.say("User's address changed to Oak Lane 9.", "2025-02-01", value="Oak Lane 9", **street)
    story.memory.forget(moved.fact_id)
    again = story.say(second, "2025-03-01", value=f"{SECRET} 5", author="ann", **street)
    assert again.fact_id not in (None, told.fact_id)
    story.memory.erase(told.fact_id)
    assert traces(path, SECRET) == []


def test_D10_the_receipt_of_a_repeat_that_was_turned_down_is_emptied(stories, tmp_path):
    path = tmp_path / "memory.db"
    story = stories(path)
    street = {"subject": "key", "attribute": "place", "cardinality": "one"}
    story.say("The key was moved to the office.", "2025-01-03", value="the office", **street)
    told = story.say(f"At {SECRET} lies the key.", "2025-01-05", value=SECRET, **street)
    assert story.say(f"At {SECRET} lies the key.", "2025-01-05T00:01", value=SECRET, **street).action == "REJECT"
    story.memory.erase(told.fact_id)
    assert traces(path, SECRET) == []


def test_D10_the_topic_of_what_only_repeated_it_goes_too(stories, tmp_path):
    path = tmp_path / "memory.db"
    story = stories(path)
    text = f"My house is on {SECRET}."
    told = story.say(text, "2025-01-01", topic="homes")
    assert story.say(text, "2025-01-01T09:01", topic=SECRET).action == "REJECT"
    story.memory.erase(told.fact_id)
    assert traces(path, SECRET) == []


# A whole life


def asks(story, kind, *fact_ids, proposed=False):
    """A question of a kind about these facts, with the secret in it."""
    found = Confusion(
        kind=kind,
        fact_ids=tuple(sorted(fact_ids)),
        core=frozenset(fact_ids),
        question=f"Is the key of the {kind.value} still at {SECRET}?",
        rule=f"it rests on {SECRET}, which is gone since",
    )
    engine, space = story.memory.engine, story.memory.space
    made = open_conflict(engine, space, found, engine.new_id(story.clock.now()))
    assert made is not None
    assert made.proposal is proposed
    return made.conflict_id


ANSWERS = {
    ConflictKind.CONTRADICTION: {"answer": "keep", "keep": "plain"},
    ConflictKind.REVERSAL: {"answer": "both", "keep": "secret", "condition": f"while {SECRET} is open"},
    ConflictKind.AMBIGUITY: {"answer": "never_true", "keep": "secret"},
    ConflictKind.STALE: {"answer": "rewrite", "text": f"The stale key lies at {SECRET} 9."},
    ConflictKind.CONSTRAINT: {"answer": "dismiss"},
    ConflictKind.SURGE: {"answer": "dismiss"},
}


def quarrels(story):
    """A conflict of every kind, each answered in another way; one answer is taken back, one question too."""
    assert set(ANSWERS) == set(ConflictKind)
    for kind, reply in ANSWERS.items():
        sides = {
            "secret": story.say(f"The {kind.value} key lies at {SECRET}.", subject=f"{kind.value} key", value=SECRET),
            "plain": story.say(f"The office keeps a {kind.value} file.", subject=f"{kind.value} file"),
        }
        asked = asks(story, kind, *(side.fact_id for side in sides.values()))
        keep = {"keep": sides[reply["keep"]].fact_id} if "keep" in reply else {}
        done = story.memory.resolve(asked, reason=f"I have seen {SECRET}", **{**reply, **keep})
        if kind is ConflictKind.SURGE:
            story.memory.undo(done.id)


def proposes(story):
    """Shadow mode: a change and a question are written down, graded, and one is carried out."""
    story.memory.configure(shadow_mode=True)
    gate = {"subject": "gate", "attribute": "place"}
    story.say(f"The gate is at {SECRET}.", value=SECRET, **gate)
    proposed = story.say("The gate was moved to Elm Street.", value="Elm Street", **gate)
    assert proposed.proposal
    one, other = (story.say(f"The {word} fence runs along {SECRET}.", subject=word) for word in ("tall", "old"))
    asks(story, ConflictKind.AMBIGUITY, one.fact_id, other.fact_id, proposed=True)
    story.memory.configure(shadow_mode=None)
    review = story.memory.review()
    for each in review.open():
        review.grade(each.id, right=True)
    assert review.apply().decisions


def ages(story):
    """What is restated, rests on something, fades to a stub, is withdrawn and is said again."""
    lamp = {"subject": "lamp", "attribute": "place", "value": SECRET}
    lamp_id = story.say(f"The lamp hangs at {SECRET}.", topic=SECRET, **lamp).fact_id
    story.say(f"At {SECRET} hangs the lamp.", author="ann", **lamp)
    story.say("The lamplighter comes at six.", depends_on=lamp_id)
    story.say(f"Tea is served because the lamp hangs at {SECRET}.", subject="tea")
    story.memory.forget(lamp_id, reason=f"{SECRET} burned down")
    story.memory.undo(story.say(f"The bench stands at {SECRET}.").id)
    story.say(f"The bench stands at {SECRET}.")
    story.say(f"The vase from {SECRET} broke.", category="episodic", importance=0.0)
    for _ in range(9):
        story.clock.advance(200 * 86_400)
        story.memory.maintain()
    assert story.memory.stats().counts["tier_stub"]


def waits(story):
    """Jobs that are not done: an episode not judged, pairs nobody answered for, a story that failed."""
    story.say(f"User hikes around {SECRET} mostly alone.", subject="hikes")
    story.say(f"User enjoys hikes around {SECRET}.", subject="hikes")
    given = {"subject": SECRET, "attribute": SECRET, "value": SECRET, "qualifiers": {"place": SECRET}, "topic": SECRET}
    story.says(f"The well is behind {SECRET}.", wait=False, **given)
    story.memory.read_story()
    with story.memory.engine.store.read() as reader:
        jobs = {kind: reader.jobs_of_kind(story.memory.space, kind) for kind in (EPISODES, PAIRS, STORY)}
        assert all(jobs.values()), jobs
        assert SECRET in repr(jobs[EPISODES])
        assert SECRET in repr(reader.story_runs(story.memory.space, 9))


@pytest.fixture
def life(stories, words, tmp_path):
    """A file that has seen everything, and the secret in all of it."""
    expert = ScriptedExpert(
        lambda old, _: Unheard(f"nobody knows {SECRET}") if "hikes" in old else Relation.NONE,
        reason=f"both are at {SECRET}",
        tells=lambda texts: Undecided(f"llm: no clean answer about {SECRET}") if SECRET in repr(texts) else (),
    )
    story = stories(tmp_path / "memory.db", embedder=words, pair_model="off", expert=expert)
    story.memory.configure(similarity_gate=0.3, classify_before_write=False)
    story.on("2025-01-02")
    for part in (furnish, quarrels, proposes, ages, waits):
        part(story)
        story.clock.advance(86_400)
    return story


def rows(story, sql):
    return story.memory.engine.store._writer.rows(sql, ())


def where(story, secret):
    """Tables, columns and rows that hold a word of the secret: what a failure should tell."""
    found = []
    for (table,) in rows(story, "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'facts_fts%'"):
        for row in rows(story, f"SELECT * FROM {table}"):
            held = {name: row[name] for name in row.keys()}  # noqa: SIM118 - a sqlite3.Row is no mapping
            found += [
                (table, name, str(value)[:300])
                for name, value in held.items()
                if any(word.lower() in str(value).lower() for word in secret.split())
            ]
    return found


@pytest.mark.parametrize("erased", ["facts", "episodes"])
def test_D10_nothing_of_a_whole_life_is_left_in_any_file(life, tmp_path, erased):
    """Every byte of the database and its log, in five encodings, after every kind of thing that memory does."""
    path = tmp_path / "memory.db"
    assert traces(path, SECRET)
    table, column = ("facts", "fact_id") if erased == "facts" else ("episodes", "episode_id")
    while doomed := rows(life, f"SELECT {column} FROM {table} WHERE text LIKE '%{SECRET}%' LIMIT 1"):
        life.memory.erase(doomed[0][0])
    assert where(life, SECRET) == []
    assert not life.memory.engine.store.erasure_pending
    assert traces(path, SECRET) == []
    assert life.memory.check_invariants() == []
    assert "Zanzibar" not in answers(life.memory)
    life.memory.configure(llm_calls_per_day=0)  # whose votes would bring the secret along
    life.memory.drain()
    life.memory.sweep()
    life.memory.maintain()
    assert life.memory.check_invariants() == []
    assert traces(path, SECRET) == []
    life.memory.close()
    assert traces(path, SECRET) == []


def test_F4_a_batch_is_undone_without_what_was_erased_of_it(story):
    story.says("I live in Oslo.", "2025-01-01")
    with story.memory.batch() as batch:
        texts = ("My dog is called Rex.", "I moved to Seattle.", "My favourite colour is blue.")
        ids = [story.say(text, "2025-02-01").fact_id for text in texts]
    story.memory.erase(ids[0])
    undone = story.memory.undo(batch)
    assert story.fact(ids[0]).text == ""
    assert [story.fact(one).status for one in ids[1:]] == ["withdrawn", "withdrawn"]
    assert story.values() == ["Oslo"]
    story.memory.undo(undone.id)
    assert story.values() == ["Seattle"]
    assert (story.fact(ids[0]).text, story.fact(ids[0]).status) == ("", "withdrawn")


def test_F4_of_a_decision_whose_fact_was_erased_nothing_is_left_to_undo(story):
    said = story.say("My dog is called Rex.", "2025-02-01")
    story.memory.erase(said.fact_id)
    with pytest.raises(StateError, match="erased since"):
        story.memory.undo(said.id)


def test_F4_a_batch_is_undone_after_one_side_of_its_question_was_erased(story):
    limit = "The API rate limit is {} requests per second."
    with story.memory.batch() as batch:
        first = story.say(limit.format(100), "2025-01-01", author="ann", trust=0.9)
        second = story.say(limit.format(200), "2025-02-01", author="bob", trust=0.1)
        answer = story.memory.resolve(story.conflicts()[0].conflict.id, "dismiss")
    story.memory.erase(second.fact_id)
    with pytest.raises(StateError, match="erased since"):
        story.memory.undo(answer.id)
    story.memory.undo(batch)
    assert story.conflicts(None) == ()
    assert story.fact(first.fact_id).status == "withdrawn"


@pytest.mark.parametrize("gone", [0, 1, 2])
def test_D10_what_is_left_of_a_text_is_judged_though_a_fact_of_it_was_erased(story, gone):
    story.says("I live in Portland.", "2025-01-01")
    text = "My dog is called Rex. I live in Seattle. I work at Bosch."
    kept = story.says(text, "2025-06-01", wait=False)
    assert len(kept) == 3
    story.memory.erase(kept[gone].fact_id)
    decided = [item for item in story.memory.drain() if item.action != "RESOLVE"]
    assert [item.text for item in decided] == [item.text for item in kept if item is not kept[gone]]
    assert "REJECT" not in [item.action for item in decided]
    assert story.values() == (["Portland"] if gone == 1 else ["Seattle"])
    assert story.memory.drain() == []


def test_D10_what_is_left_of_a_text_that_was_cut_short_is_judged(story, monkeypatch):
    story.says("I live in Portland.", "2025-01-01")
    real, calls = remember.apply, []

    def fails_second(*args):
        calls.append(args)
        if len(calls) == 2:
            raise RuntimeError("the power went")
        return real(*args)

    monkeypatch.setattr(remember, "apply", fails_second)
    with pytest.raises(RuntimeError):
        story.says("My dog is called Rex. I live in Seattle.", "2025-06-01")
    (rex,) = [item for item in story.memory.changes(story.clock.now()) if "Rex" in item.text]
    story.memory.erase(rex.fact_id)
    story.clock.advance(7200)
    story.memory.drain()
    assert story.values() == ["Seattle"]
