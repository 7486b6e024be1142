"""Are stories counted as they come out, and is it said what was not counted?"""

import json

from bench import stories
from stilltrue.connect.replay import StoryResult


def test_a_story_with_one_failure_does_not_hold_and_its_other_checks_do():
    counts = stories.of_stories([StoryResult("a", 3, 3, ()), StoryResult("b", 1, 2, ("wrong",))])
    assert {name: (one["hold"], one["of"]) for name, one in counts.items()} == {"stories": (1, 2), "checks": (4, 5)}


def test_the_command_writes_counts_and_the_report_reads_them(tmp_path, capsys):
    nowhere = tmp_path / "none.json"
    assert stories.main(["--most", "2", "--sessions", str(nowhere), "--results", str(tmp_path)]) == 0

    told = json.loads((tmp_path / "stories.json").read_text("utf-8"))
    assert told["counts"]["stories"] == {"what": "stories", "hold": 2, "of": 2}
    assert told["counts"]["checks"]["hold"] == told["counts"]["checks"]["of"] > 2
    assert told["failing"] == []
    assert set(told["about"]) == {"machine", "load", "date", "commit", "pair model"}
    assert f"the coding sessions are not at {nowhere}" in capsys.readouterr().out
