"""Does `backtest` show what would flip, leave the store alone, and keep what it found when it is interrupted?"""

import hashlib

import pytest

from stilltrue.upkeep import backtest as engine

CAUTIOUS = ("--set", "contradiction_threshold=0.999")


def test_F5_backtest_lists_flips_with_their_reasons(ok, db, moved):
    before = hashlib.sha256(db.read_bytes()).hexdigest()
    lines = ok("backtest", *CAUTIOUS).lines
    assert lines[0].endswith("  Mara moved to Lisbon.")
    assert lines[1].startswith("    then SUPERSEDE: ")
    assert lines[2] == "    now  ASK: below contradiction_threshold"
    assert lines[3] == f'    {moved[0]["fact_id"][-8:]} "Mara lives in Porto."'
    assert lines[4].startswith("        UPDATE by ")
    assert lines[5:] == ["1 SUPERSEDE -> ASK", "2 of 2 decisions made once more: 1 would flip"]
    assert ok("backtest").lines == ["2 of 2 decisions made once more: 0 would flip"]
    assert hashlib.sha256(db.read_bytes()).hexdigest() == before
    assert ok("check-store").lines == ["sound"]


def test_F5_backtest_as_json(ok, moved):
    told = ok("backtest", *CAUTIOUS, "--json").json
    assert told["counts"] == {"flips": 1, "by_change": 1, "turned": {"SUPERSEDE -> ASK": 1}}
    assert (told["complete"], told["decisions"], told["replayed"], told["left_out"]) == (True, 2, 2, {})
    assert told["changes"] == {"contradiction_threshold": 0.999}
    (flip,) = told["flips"]
    assert (flip["decision_id"], flip["by_change"]) == (moved[1]["id"], True)
    assert (flip["old"]["action"], flip["old"]["changed"]) == ("SUPERSEDE", [moved[0]["fact_id"]])
    assert (flip["new"]["action"], flip["new"]["asked"]) == ("ASK", [moved[0]["fact_id"]])
    assert ok("backtest", "--pair-model", "off", "--json").json["judge"] == "rules-3"


def test_F5_an_interrupted_backtest_tells_what_it_found_and_how_to_go_on(run, ok, moved, lives, monkeypatch):
    lives("Faro", "2024-06-01", "Mara moved to {}.")
    tell, told = engine.Retelling.tell, []

    def stop(self, decision, changes):
        told.append(decision)
        if len(told) == 3:
            raise KeyboardInterrupt
        return tell(self, decision, changes)

    monkeypatch.setattr(engine.Retelling, "tell", stop)
    ran = run("backtest", *CAUTIOUS)
    assert ran.status == 130
    last = ran.lines[-1]
    assert last.startswith("interrupted after 2 of 3; go on with --since ")
    assert "1 SUPERSEDE -> ASK" in ran.lines or "2 SUPERSEDE -> ASK" in ran.lines
    monkeypatch.undo()
    rest = ok("backtest", *CAUTIOUS, "--since", last.rpartition(" ")[2], "--json").json
    assert [flip["text"] for flip in rest["flips"]] == ["Mara moved to Lisbon.", "Mara moved to Faro."]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--set", "thresold=1"), "there is no setting 'thresold'"),
        (("--set", "contradiction_threshold"), "'contradiction_threshold' is not KEY=VALUE"),
        (("--set", "contradiction_threshold=7"), "outside 0"),
        (("--pair-model", "nowhere"), "no pair model in 'nowhere'"),
        (("--since", "someday"), "since"),
    ],
)
def test_F5_what_cannot_be_tried_is_a_usage_error(run, moved, words, message):
    ran = run("backtest", *words)
    assert (ran.status, ran.out) == (2, "")
    assert message in ran.err
    assert ran.err.count("\n") == 1


def test_F5_a_memory_that_is_not_there(run):
    assert run("backtest").status == 2
