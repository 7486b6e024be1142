"""Does a pair model reach everything that judges, and is it told which one does?"""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from stilltrue.connect import pairs as connect_pairs
from stilltrue.connect.pairs import judge_file
from stilltrue.errors import ModelError
from stilltrue.faces.doctor import Level, examine
from stilltrue.inference import pair_model as trained_model
from stilltrue.inference.nli import NliPairModel
from stilltrue.inference.pair_model import OnnxPairModel
from stilltrue.memory import Memory
from stilltrue.model.verdict import EvidenceSource, Relation, Undecided, Verdict
from stilltrue.settings import Settings
from stilltrue.testing import FrozenClock, ScriptedPairModel, memory
from stilltrue.wiring import pair_model_of
from stilltrue.write.ask_model import with_model
from tests.inference.tiny_models import nli, said, trained

START = datetime(2025, 1, 1, tzinfo=UTC)
UNSETTLED = ("User enjoys long hikes.", "User hikes mostly alone, with poles.")
SETTLED = ("User likes coffee.", "User likes coffee.")


@pytest.fixture
def shipped(tmp_path, monkeypatch):
    """An installation with a trained model."""
    folder = trained(tmp_path / "weights")
    monkeypatch.setattr(trained_model, "_packaged", lambda: folder)
    trained_model.bundled.cache_clear()
    yield folder
    trained_model.bundled.cache_clear()


@pytest.fixture
def unshipped(tmp_path, monkeypatch):
    """An installation without one."""
    monkeypatch.setattr(trained_model, "_packaged", lambda: tmp_path)


class Counting(ScriptedPairModel):
    """Remembers what it was asked, call by call."""

    def __init__(self, answer=lambda *_: Relation.UPDATE, confidence=0.9):
        super().__init__(answer, confidence)
        self.calls = []

    def relations(self, pairs):
        self.calls.append([(old.text, new.text) for old, new in pairs])
        return super().relations(pairs)


class Failing(ScriptedPairModel):
    def relations(self, pairs):
        raise ModelError("the model file is damaged; put it back")


# Which model


def test_without_a_shipped_model_there_is_none(unshipped):
    assert pair_model_of(None, Settings()) is None
    assert pair_model_of("bundled", Settings()) is None


def test_a_shipped_model_is_the_default_and_shared_by_all_memories(shipped):
    assert pair_model_of(None, Settings()).model_version == "tiny-1"
    with Memory.open(":memory:") as one, Memory.open(":memory:") as two:
        assert one.engine.pair_model is two.engine.pair_model is pair_model_of("bundled", Settings())


def test_off_is_off(shipped, monkeypatch):
    assert pair_model_of("off", Settings()) is None
    assert pair_model_of(None, Settings(pair_model="off")) is None
    assert pair_model_of("bundled", Settings(pair_model="off")) is not None, "what the caller says wins"
    monkeypatch.setenv("STILLTRUE_PAIR_MODEL", "off")
    with Memory.open(":memory:") as opened:
        assert opened.engine.pair_model is None


def test_a_test_memory_has_rules_only_unless_asked(shipped):
    with memory(FrozenClock(START)) as plain, memory(FrozenClock(START), pair_model="bundled") as asked:
        assert plain.engine.pair_model is None
        assert asked.engine.pair_model is not None


@pytest.mark.parametrize("kind", [str, Path])
def test_a_folder_is_read_as_what_it_holds(tmp_path, kind, monkeypatch):
    ours, theirs = trained(tmp_path / "ours"), nli(tmp_path / "theirs")
    assert isinstance(pair_model_of(kind(ours), Settings()), OnnxPairModel)
    assert isinstance(pair_model_of(kind(theirs), Settings()), NliPairModel)
    monkeypatch.setenv("STILLTRUE_PAIR_MODEL", str(theirs))
    with Memory.open(":memory:") as opened:
        assert opened.stats().models["pair model"].startswith("theirs-")


def test_an_object_is_taken_as_it_is():
    mine = Counting()
    assert pair_model_of(mine, Settings(pair_model="off")) is mine


@pytest.mark.parametrize("name", ["nowhere", "."])
def test_what_is_no_pair_model_is_named(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ModelError, match=r"no pair model in .*pair_model\.json.*'off'"):
        Memory.open(":memory:", pair_model=name)


# Where it judges


def test_a_memory_asks_the_model_what_rules_leave_open():
    model = Counting()
    told = ("User enjoys long hikes.", "User enjoys hikes with poles.")
    with memory(FrozenClock(START), pair_model=model) as opened:
        (decision,) = [opened.remember(text) for text in told][-1]
        (considered,) = decision.receipt.considered
        assert model.calls == [[told]]
        assert considered.judgement.evidence[-1].source is EvidenceSource.PAIR_MODEL
        with opened.engine.store.read() as reader:
            (pair,) = reader.judged(opened.space)
        assert pair.judge_version.endswith("+scripted-1")


def test_what_a_rule_settled_is_not_put_to_the_model():
    model = Counting()
    sure = Verdict(Relation.NONE, 0.9, 0.1, (), "other subject")
    judged = with_model(model, [sure, Undecided("open"), sure, Undecided("open")], lambda place: (said("a"), said("b")))
    assert [len(call) for call in model.calls] == [2]
    assert judged[0] is judged[2] is sure
    assert judged[1].settled_by == judged[3].settled_by == "scripted-1"


def test_a_model_that_fails_leaves_the_pair_open_with_the_rules_estimate_and_the_reason():
    (judged,) = with_model(Failing(None), [Undecided("open", (), 0.25)], lambda _: (said("a"), said("b")))
    assert judged == Undecided("the pair model failed: the model file is damaged; put it back", (), 0.25)


def run(lines, **how):
    data = "\n".join(lines).encode()
    written, heard = [], []
    report = judge_file(io.BytesIO(data), written.append, complain=heard.append, **how)
    return [json.loads(line) for line in written], heard, report


def line(number, old, new, **more):
    return json.dumps({"id": str(number), "old": old, "new": new, **more})


def test_judge_asks_once_for_a_chunk_and_keeps_the_order(monkeypatch):
    monkeypatch.setattr(connect_pairs, "CHUNK", 4)
    model = Counting()
    lines = [line(number, *(SETTLED if number % 3 == 0 else UNSETTLED), label="UPDATE") for number in range(9)]
    lines.insert(5, "nonsense")
    verdicts, heard, report = run(lines, pair_model=model)
    assert [verdict["id"] for verdict in verdicts] == [str(number) for number in range(9)]
    assert [verdict["relation"] for verdict in verdicts] == ["DUPLICATE", "UPDATE", "UPDATE"] * 3
    assert [len(call) for call in model.calls] == [2, 3, 1]
    assert [error.line for error in heard] == [6]
    assert report.judged == 9
    assert verdicts[1]["evidence"][-1]["source"] == "pair_model"
    assert verdicts[1]["evidence"][0]["source"] == "typed", "what the rules had seen stays"
    assert report.summary.confusion[("UPDATE", "UPDATE")] == 6
    assert all(verdict["ms"] > 0 for verdict in verdicts)


def test_judge_without_a_model_answers_each_line_before_it_reads_the_next():
    written = []

    class Stream(io.BytesIO):
        def readline(self, size=-1):
            seen.append(len(written))
            return super().readline(size)

    seen = []
    judge_file(Stream("\n".join(line(number, *SETTLED) for number in range(3)).encode()), written.append)
    assert seen == [0, 1, 2, 3]


def test_the_command_line_judges_with_the_model_of_the_environment(tmp_path, monkeypatch, capsys):
    from stilltrue.faces.cli import main

    file = tmp_path / "pairs.jsonl"
    file.write_text(line(1, *UNSETTLED), encoding="utf-8")
    told = []
    for name in ("off", str(trained(tmp_path / "model"))):
        monkeypatch.setenv("STILLTRUE_PAIR_MODEL", name)
        with pytest.raises(SystemExit) as left:
            main(["judge", str(file)])
        assert left.value.code == 0
        told.append(json.loads(capsys.readouterr().out)["evidence"][-1]["source"])
    assert told[0] != "pair_model"
    assert told[1] == "pair_model"


# Who is told


def finding(name="pair model"):
    return next(it for it in examine("nowhere.db", None) if it.about == name)


def test_the_doctor_names_the_model_or_says_off(shipped, monkeypatch):
    assert (finding().level, finding().said) == (Level.OK, "tiny-1, it judges")
    monkeypatch.setenv("STILLTRUE_PAIR_MODEL", "off")
    assert (finding().level, finding().said) == (Level.NOTE, "off (setting pair_model: off)")


def test_the_doctor_says_off_where_none_ships(unshipped):
    assert finding().said == "off (setting pair_model: bundled)"


def test_the_doctor_finds_a_damaged_model(shipped):
    (shipped / "pair_model.onnx").write_bytes(b"no model")
    assert finding().level is Level.WRONG
    assert "pair_model.onnx is damaged" in finding().said


def test_the_doctor_finds_a_model_that_is_not_there(monkeypatch):
    monkeypatch.setenv("STILLTRUE_PAIR_MODEL", "nowhere")
    assert finding().level is Level.WRONG


def test_the_doctor_names_the_judge_of_a_memory(tmp_path, shipped):
    place = tmp_path / "memory.db"
    findings = examine(str(place), lambda: Memory.open(place))
    assert next(it for it in findings if it.about == "judge pair model").said == "on: tiny-1"


def test_stats_name_the_model_or_say_off(shipped):
    with memory(FrozenClock(START), pair_model="bundled") as opened:
        stats = opened.stats()
        assert (stats.judges["pair model"], stats.models["pair model"]) == ("on", "tiny-1")
    with memory(FrozenClock(START)) as opened:
        stats = opened.stats()
        assert stats.judges["pair model"].startswith("off: ")
        assert stats.models["pair model"] is None
