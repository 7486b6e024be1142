"""Can an input keep a process busy, or end it with a fault? Brackets without end, texts made for expressions."""

import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from stilltrue.errors import ModelError
from stilltrue.faces import hooks
from stilltrue.inference import onnx_files
from tests.security import slow_patterns
from tests.security.patterns import Expression

ROOT = Path(__file__).parents[2]
UNSEEN = {
    "rules/patterns.py:24",  # made from what `late` was given, which is watched instead
    "audit/weighing.py:386",  # one identifier, escaped, between two borders of words
}


@pytest.mark.parametrize("data", [b'{"a":' * 100_000 + b"}", b"[" * 100_000 + b"}", b"{}" * 500_000, b"x" * 20_000_000])
def test_a_hook_bears_brackets_without_end_in_silence(data, monkeypatch, capfd, tmp_path):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert hooks.run(hooks.Hook(hooks.PROMPT, db=str(tmp_path / "none.db"))) == 0
    told = capfd.readouterr()
    assert told.out == ""
    assert told.err.count("\n") == 1


def test_a_hook_reads_no_more_than_an_event_can_be():
    assert hooks.MOST_BYTES <= 16 * 1024 * 1024


def test_a_card_of_brackets_without_end_is_damaged(tmp_path):
    card = tmp_path / "card.json"
    card.write_text("[" * 200_000)
    with pytest.raises(ModelError, match="is damaged"):
        onnx_files.read_card(card, dict, "get another")


@pytest.mark.timeout(1200)
@pytest.mark.skipif(os.name == "nt", reason="an expression is ended by a signal")
def test_no_expression_is_kept_busy():
    """Each against forty texts and those made of its own parts, in a process of its own that can be ended."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    done = subprocess.run(
        [sys.executable, "-m", "tests.security.slow_patterns"],
        cwd=ROOT, env=environment, capture_output=True, check=False, timeout=1200,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    told = json.loads(done.stdout)
    sys.stdout.write(f"{told['tried']} texts, {told['expressions']} expressions, the slowest {told['worst']}\n")
    assert told["expressions"] > 400
    assert set(told["unseen"]) <= UNSEEN
    assert told["slow"] == []
    assert told["grown"] == []


@pytest.mark.skipif(os.name == "nt", reason="an expression is ended by a signal")
@pytest.mark.parametrize(
    ("source", "found"),
    [
        (r"(?:a+)+b", "slow"),
        (r"[ab]++c", "grown"),  # every sign is a new start
        (r"(?<!a)a++\d*b", ""),
        (r"\s[a-z]{1,30}b", ""),
    ],
)
def test_what_grows_faster_than_its_text_is_found_and_what_does_not_is_left_alone(source, found):
    before = signal.signal(signal.SIGVTALRM, slow_patterns._give_up)
    try:
        expression = Expression(source, 0, {("rules/nobody.py", 1)}, ("search",))
        _, slow, grown, tried = slow_patterns.examined(expression)
    finally:
        signal.signal(signal.SIGVTALRM, before)
    assert tried
    assert {"slow": bool(slow), "grown": bool(grown)} == {name: name == found for name in ("slow", "grown")}
