"""Does the command behave as a process among others: started twice over, cut off by a pipe, on a narrow terminal?"""

import os
import pty
import re
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
    command = f"set -o pipefail; {sys.executable} -m stilltrue {{}} | head -c 1"
    for words in ("settings --json", "demo"):
        ran = subprocess.run(["bash", "-c", command.format(words)], capture_output=True, timeout=60, check=False)
        assert (ran.returncode, ran.stderr) == (0, b"")


@pytest.mark.parametrize(
    ("after", "status", "said"),
    [
        ("search lisbon >&-", 0, b""),
        ("search lisbon --json >&-", 0, b""),
        ("remember - <&-", 2, b"error: there is nothing to remember: the text is empty\n"),
        ("remember 'Mara likes tea.' 2>&-", 0, b""),
        ("search porto >/dev/full", 2, b"error: No space left on device; free some disk space\n"),
    ],
)
def test_a_stream_that_is_closed_or_full_is_no_fault(tmp_path, after, status, said):
    db = ["--db", str(tmp_path / "memory.db")]
    start(*db, "remember", "Mara lives in Porto.")
    command = " ".join([*PYTHON, *db, after])
    ran = subprocess.run(["bash", "-c", command], capture_output=True, timeout=60, check=False)
    assert (ran.returncode, ran.stderr) == (status, said)


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


def test_C11_a_long_import_shows_how_far_it_is_at_a_terminal_and_nowhere_else(tmp_path):
    """On a real terminal, which is standard error alone: what is piped on stays clean."""
    notes = tmp_path / "notes.jsonl"
    notes.write_text("".join(f'{{"text": "Box {n} weighs {n} kg."}}\n' for n in range(24)), encoding="utf-8")
    words = [*PYTHON, "--db", str(tmp_path / "memory.db"), "import", str(notes)]
    env = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "100", "STILLTRUE_PAIR_MODEL": "off"}
    leader, follower = pty.openpty()
    with subprocess.Popen([*words, "--plan"], stdout=subprocess.PIPE, stderr=follower, env=env) as running:
        os.close(follower)
        shown = b"".join(iter(lambda: read_from(leader), b""))
        said = running.stdout.read()
    os.close(leader)
    done = {int(told) for told in re.findall(rb"planning.*?(\d+)/24", shown)}
    assert running.returncode == 0
    assert len(done) > 2
    assert max(done) > min(done)
    assert b"planning" not in said
    assert said.endswith(b"decided: 24 ACCEPT\n")
    piped = start(*words[len(PYTHON) :], env=env)
    assert (piped.returncode, piped.stderr) == (0, b"")


def read_from(leader):
    """What the terminal has been told; nothing once the last writer has left, which Linux calls an error."""
    try:
        return os.read(leader, 65536)
    except OSError:
        return b""
