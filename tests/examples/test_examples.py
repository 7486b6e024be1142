"""Do the example scripts run as they are, and show what they promise?"""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"

SHOWN = {
    "langgraph_agent.py": ["Mara has left Initech and works at Globex now.", "Mara works at Initech. (over)"],
    "mem0_style.py": [
        "UPDATE - I live in Porto. -> I moved to Lisbon.",
        "found: I moved to Lisbon.",
        "another user: {'results': []}",
    ],
    "async_memory.py": ["mara: Lisbon", "zoe: Oslo"],
}


def test_issue6_every_example_is_tried_here():
    assert {path.name for path in EXAMPLES.glob("*.py")} == SHOWN.keys()


@pytest.mark.parametrize("name", SHOWN)
def test_issue6_examples_run(name, tmp_path):
    done = subprocess.run(
        [sys.executable, "-W", "error::ResourceWarning", str(EXAMPLES / name)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert [line for line in SHOWN[name] if line not in done.stdout] == [], done.stdout
