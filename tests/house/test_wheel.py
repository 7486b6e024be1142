"""Does what we ship work where nothing else is? The source archive and the wheel are looked through, and the wheel is
installed in a bare environment and used there: no checkout, no tool of a developer, no network."""

from __future__ import annotations

import json
import re
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.house import built
from tests.house.built import ROOT

pytestmark = pytest.mark.timeout(600)

SOURCE = ROOT / "src" / "stilltrue"
BESIDE = {"PKG-INFO", "pyproject.toml", "README.md", "CHANGELOG.md", "LICENSE", "NOTICE", ".gitignore"}
"""What an archive holds beside the sources."""
OPENED = """
import json, stilltrue
from importlib.resources import files
from pathlib import Path
root = files("stilltrue")
with stilltrue.Memory.open("memory.db") as memory:
    memory.remember("User lives in Oslo.")
    (moved,) = memory.remember("User moved to Rome.")
    found = memory.search("Where does the user live?")
    told = {
        "from": stilltrue.__file__,
        "version": stilltrue.__version__,
        "action": moved.action,
        "served": [one.text for one in found.results],
        "problems": memory.check_invariants(),
        "judges": dict(memory.stats().judges),
        "weights": sorted(one.name for one in root.joinpath("weights").iterdir()),
        "lexicon": len([one for one in root.joinpath("rules", "lexicon").iterdir() if one.name.endswith(".toml")]),
    }
print(json.dumps(told))
"""
TOOLS = (
    "pip",
    "pytest",
    "mypy",
    "ruff",
    "hypothesis",
    "hatchling",
    "fastapi",
    "openai",
    "mcp",
    "psycopg",
    "tests",
    "bench",
)


def sources():
    """The files of the package as they stand in the checkout, by their path below it."""
    found = (path for path in SOURCE.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(SOURCE).as_posix(): path for path in found}


def content(wheel):
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_the_source_archive_holds_the_package_and_no_tests_data_or_what_was_lent(archive):
    with tarfile.open(archive) as told:
        names = {name.partition("/")[2] for name in told.getnames()}
    assert {name for name in names if not name.startswith("src/stilltrue/")} == BESIDE
    assert {name.removeprefix("src/stilltrue/") for name in names} - BESIDE == set(sources())


def test_the_wheel_is_the_same_from_the_archive_and_from_the_checkout(wheel, tmp_path):
    assert content(built.wheel_of(ROOT, tmp_path)) == content(wheel)


def test_the_wheel_holds_every_file_of_the_package_and_says_what_it_is(wheel):
    held = content(wheel)
    package = {name.removeprefix("stilltrue/"): text for name, text in held.items() if name.startswith("stilltrue/")}
    assert package == {name: path.read_bytes() for name, path in sources().items()}
    assert {"py.typed", "weights/pair_model.onnx", "weights/embedder.onnx", "weights/vocab.txt"} <= package.keys()
    info = {name.partition(".dist-info/")[2]: text.decode() for name, text in held.items() if ".dist-info/" in name}
    assert len(package) + len(info) == len(held)
    assert set(info) == {"METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE", "licenses/NOTICE"}
    assert "stilltrue = stilltrue.faces.cli:main" in info["entry_points.txt"]
    assert "Root-Is-Purelib: true" in info["WHEEL"]


def test_what_an_installation_brings_is_what_is_locked_and_fits_together(bare):
    told = built.pip("--python", bare, "list", "--format", "json", cwd=bare.parent)
    installed = {re.sub(r"[-_.]+", "-", one["name"]).lower() for one in json.loads(told)}
    locked = set(re.findall(r"^([a-z0-9-]+)==", (ROOT / "locks" / "run.txt").read_text("utf-8"), re.MULTILINE))
    assert {"stilltrue", "numpy", "onnxruntime", "typer"} <= installed
    assert installed - {"stilltrue"} <= locked
    assert "No broken requirements" in built.pip("--python", bare, "check", cwd=bare.parent)


def test_nothing_of_a_developers_is_there(bare, tmp_path):
    code = f"import importlib.util as u; print([n for n in {TOOLS!r} if u.find_spec(n)])"
    assert built.run(bare, "-c", code, cwd=tmp_path).strip() == "[]"
    assert built.run(bare, "-c", "import sys; print(sys.path)", cwd=tmp_path).count(str(ROOT)) == 0


def test_the_library_remembers_judges_and_finds_with_the_weights_that_came_along(bare, tmp_path):
    told = json.loads(built.run(bare, "-c", OPENED, cwd=tmp_path))
    assert Path(told["from"]).is_relative_to(bare.parents[1])
    assert (told["action"], told["served"][0], told["problems"]) == ("SUPERSEDE", "User moved to Rome.", [])
    assert "User lives in Oslo." not in told["served"]
    assert told["judges"]["pair model"].startswith("on")
    assert told["weights"] == sorted(path.name for path in (SOURCE / "weights").iterdir())
    assert told["lexicon"] == len(list((SOURCE / "rules" / "lexicon").glob("*.toml"))) > 0


def test_the_command_tells_its_story_and_keeps_a_memory(bare, tmp_path):
    home = {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "data"), "NO_COLOR": "1", "COLUMNS": "120"}
    command = bare.parent / "stilltrue"
    story = built.run(command, "demo", cwd=tmp_path, **home)
    assert "I moved to Lisbon." in story
    assert "SUPERSEDE" in story
    built.run(command, "remember", "User lives in Oslo.", cwd=tmp_path, **home)
    built.run(command, "remember", "User moved to Rome.", cwd=tmp_path, **home)
    found = built.run(command, "search", "Where does the user live?", cwd=tmp_path, **home)
    assert "Rome" in found
    assert "Oslo" not in found
    built.run(bare, "-m", "stilltrue", "doctor", cwd=tmp_path, **home)
