"""Do worker, sweep and proposals say what they did? Rows E3, E9, E15 through the command line."""

import signal
import subprocess
import sys

import pytest

OLD, NEW = "Mara lives in Oslo.", "Mara moved to Rome."


@pytest.fixture
def shadowed(ok):
    """A memory in which one retirement is proposed; the proposal's id."""
    ok("settings", "shadow_mode=yes")
    ok("remember", OLD, "--author", "mara")
    ok("remember", NEW, "--author", "mara")
    ok("settings", "shadow_mode=no")
    return ok("proposals", "--json").json["proposals"][0]["decision_id"]


def test_E15_review_grades_from_the_terminal_and_prints_an_interval(run, shadowed):
    told = run("proposals", "--review", stdin=b"perhaps\nright\n")
    assert told.status == 0
    assert told.out.startswith("precision 1.00 (1 of 1 right; 95% Wilson interval 0.21 to 1.00), wrong 0.00")
    assert OLD in told.err
    assert told.err.count("quit?") == 2  # what is no grade is asked again
    again = run("proposals", "--review", "--json", stdin=b"")
    assert (again.json["right"], again.json["ungraded"], again.json["false_positive_rate"]) == (1, 0, 0.0)


def test_E15_apply_carries_out_once_and_refuses_the_second_time(run, shadowed):
    assert run("search", "where does Mara live", "--json").json["results"][1:]
    done = run("proposals", "--apply")
    assert done.status == 0
    assert "  - " in done.out
    assert OLD in done.out
    again = run("proposals", shadowed, "--apply")
    assert again.status == 1
    assert "carried out already" in again.out


def test_E15_review_and_apply_are_two_steps(run):
    assert run("proposals", "--review", "--apply").status == 2
    assert run("sweep", "--plan", "--shadow").status == 2


def test_E3_a_plan_prints_the_diff_and_the_sweep_does_it(ok, run, shadowed):
    """What shadow mode judged and did not do, a sweep does."""
    plan = ok("sweep", "--plan")
    assert "[plan]" in plan.out
    assert OLD in plan.out
    assert len(ok("lookup", "mara", "--json").json["results"]) == 2
    done = ok("sweep")
    assert "take it back with: stilltrue undo" in done.out
    assert [one["text"] for one in ok("lookup", "mara", "--json").json["results"]] == [NEW]
    assert ok("sweep").lines == ["2 facts looked at, 0 pairs judged, 0 changed"]


def test_B8_worker_once_does_what_is_due(ok):
    ok("remember", OLD, "--no-wait")
    assert ok("worker", "--once").lines == ["space default: 1 jobs, 1 decisions"]
    assert ok("worker", "--once").lines == ["there is nothing due"]


def test_B8_a_worker_that_is_asked_to_end_does(ok, db):
    """As a container's first process it is asked by a signal that would otherwise be lost on it."""
    ok("remember", OLD, "--no-wait")
    command = [sys.executable, "-m", "stilltrue", "--db", str(db), "worker", "--poll", "600"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        try:
            assert child.stdout.readline() == "space default: 1 jobs, 1 decisions\n"
            child.send_signal(signal.SIGTERM)
            assert child.wait(30) == 130
        finally:
            child.kill()
        assert child.stderr.read() == "error: interrupted; what was finished is kept\n"
