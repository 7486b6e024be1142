"""What does the command line say of a reading of the story? B8: without an LLM, that there was none."""

import json
from datetime import UTC, datetime

from stilltrue.faces import reports, wire
from stilltrue.model.story import StoryRun

RUN = StoryRun(
    id="run", space_id="default", at=datetime(2025, 1, 1, tzinfo=UTC), seed="", facts=9, told=7, chapters=2, found=5,
    opened=2, known=1, dropped=2, failure="llm: \x1b[31mdown",
)  # fmt: skip


def test_B8_without_an_llm_the_verb_says_so(run, ok):
    ok("remember", "The lid is blue.")
    ran = run("detect", "--story")
    assert (ran.status, ran.err) == (1, "")
    assert "not all could be read: llm: none is configured" in ran.out
    assert run("detect", "--story", "--json").json["story"]["failure"].startswith("llm: none")
    assert run("detect", "--story", "--sample", "a").status == 1


def test_B7_a_reading_is_told_in_sentences_and_in_json():
    assert list(reports.story_run(RUN)) == [
        "7 of 9 facts were read as one story, in 2 parts",
        "5 places are confused: 2 questions were opened, 1 were asked about before, 2 were no question for a person",
        "not all could be read: llm: \\x1b[31mdown",
    ]
    assert json.loads(json.dumps(wire.story_run(RUN)))["story"]["opened"] == 2
