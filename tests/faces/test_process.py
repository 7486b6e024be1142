"""Does the command behave as a process among others: started twice over, cut off by a pipe, on a narrow terminal?"""

import os
import subprocess
import sys
import time

import pytest

PYTHON = [sys.executable, "-m", "stilltrue"]

WATCHED = """
import sys
from stilltrue.faces.cli import main
try:
    main([{!r}])
except SystemExit:
    print(*sys.modules, file=sys.stderr)
"""


def start(*words, env=None, **keywords):
    return subprocess.run(
        [*PYTHON, *words], env={**os.environ, **(env or {})}, capture_output=True, timeout=60, check=False, **keywords
    )


@pytest.mark.parametrize("word", ["--version", "--help"])
def test_it_answers_at_once_without_loading_any_model(word):
    code = WATCHED.format(word)
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    loaded = set(ran.stderr.split())
    assert not loaded & {"numpy", "onnxruntime", "sqlite3", "stilltrue.memory", "rich.console"}


def test_two_processes_share_a_memory(tmp_path):
    db = ["--db", str(tmp_path / "memory.db")]
    assert start(*db, "remember", "Mara lives in Porto.").returncode == 0
    ran = start(*db, "search", "where does Mara live")
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert "“Mara lives in Porto.”".encode() in ran.stdout


def test_a_reader_that_leaves_early_is_no_error(tmp_path):
    command = f"{sys.executable} -m stilltrue settings --json | head -c 1"
    ran = subprocess.run(["bash", "-c", command], capture_output=True, timeout=60, check=False)
    assert ran.stderr == b""


def test_a_narrow_encoding_shows_escapes_instead_of_failing(tmp_path):
    db = ["--db", str(tmp_path / "memory.db")]
    env = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    ran = start(*db, "remember", "Mara lives in Zürich.", env=env)
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert b"Z\\xfcrich" in ran.stdout


def test_output_to_a_pipe_has_no_colour(tmp_path):
    ran = start("demo", env={"TERM": "xterm-256color", "FORCE_COLOR": "1"})
    assert ran.returncode == 0
    assert b"\x1b" not in ran.stdout


@pytest.mark.alone
def test_the_demo_is_quick_and_the_same_each_time():
    began = time.perf_counter()
    first = start("demo")
    assert time.perf_counter() - began < 10
    assert first.stdout == start("demo").stdout
