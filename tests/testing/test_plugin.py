"""Do truth tests run in a stranger's project, beside the tests that stand there already?"""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

PLUGIN = "stilltrue.testing.plugin"
pytest_plugins = ["pytester"]

HOME = """\
remember:
  - {at: 2025-01-10, say: Mara lives in Lisbon.}
  - {at: 2025-03-02, say: Mara moved to Porto.}
checks:
  - {query: "Where does Mara live?", must_be_current: Porto}
  - {name: she never left, query: "Where does Mara live?", must_be_current: Lisbon}
"""
OWN = "def test_mine(): assert 1 + 1 == 2\n"


@pytest.fixture(autouse=True)
def _alone(monkeypatch):
    """Child processes load no other plugin that happens to be installed: that takes longer than the tests."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


def files(pytester, **texts):
    for name, text in texts.items():
        (pytester.path / f"{name}.truth.yaml").write_text(text, "utf-8")


def ran(pytester, *words):
    return pytester.runpytest_subprocess("-p", PLUGIN, "-p", "no:cacheprovider", *words)


def test_F5_each_check_is_a_test_with_a_message_to_act_upon(pytester):
    files(pytester, home=HOME, gone="store: gone.db\nchecks:\n  - {query: Who, must_be_current: Mara}\n")
    pytester.makepyfile(OWN)
    done = ran(pytester, "--strict-markers")
    done.assert_outcomes(passed=2, failed=2)
    done.stdout.fnmatch_lines(
        [
            "gone.truth.yaml: there is no store at *gone.db; *",
            "*she never left*",
            "home.truth.yaml:6: she never left",
            '  asked:    "Where does Mara live?"',
            '  expected: a fact that says "Lisbon" is current',
            '  served:   "Mara moved to Porto."',
            '  because:  "Mara lives in Lisbon." is superseded since 2025-03-02: SUPERSEDE when*',
            "FAILED home.truth.yaml::she never left*",
        ]
    )
    assert "Traceback" not in done.stdout.str()
    assert "plugin.py" not in done.stdout.str()


def test_F5_a_malformed_file_is_one_error_and_the_marker_chooses(pytester):
    files(pytester, bad="remember:\n  - {at: soon, say: a}\nchecks: []\n")
    pytester.makepyfile(OWN)
    done = ran(pytester)
    done.assert_outcomes(errors=1)
    done.stdout.fnmatch_lines(["bad.truth.yaml:2: event 1: 'at' is no time: 'soon'; give one like *"])
    assert "Traceback" not in done.stdout.str()
    (pytester.path / "bad.truth.yaml").write_text(HOME, "utf-8")
    ran(pytester, "-m", "truth", "--collect-only", "-q").stdout.fnmatch_lines(
        ["bad.truth.yaml::must_be_current Porto", "bad.truth.yaml::she never left", "*2/3 tests collected*"]
    )


def test_a_project_without_truth_tests_loads_nothing_of_the_engine():
    code = f"import {PLUGIN}, sys; print([name for name in sys.modules if name.startswith('stilltrue.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert eval(done.stdout) == ["stilltrue.version", "stilltrue.testing", "stilltrue.errors", PLUGIN]


def test_the_entry_point_bears_the_name_of_its_module():
    """Else `-p` and the entry point would register it twice, and pytest would not start."""
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["entry-points"]["pytest11"] == {PLUGIN: PLUGIN}


def test_the_doubles_are_where_they_were():
    import stilltrue.testing as public

    assert {getattr(public, name).__module__ for name in public.__all__ if name != "Told"} == {
        "stilltrue.testing.doubles"
    }
