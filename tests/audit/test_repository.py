"""Row F8: does the repository prove the claims of its memory files wrong, and only where it does?"""

import os
from pathlib import Path

import pytest

from stilltrue.audit.findings import Kind
from stilltrue.audit.reading import read_claims
from stilltrue.audit.repository import examine, mismatches
from stilltrue.audit.repository.tree import MOST_BYTES
from stilltrue.settings import Settings
from tests.audit.repository_cases import CASES, NODE, PYTHON


def made(root, files):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def claims_of(text, name="CLAUDE.md"):
    return read_claims(name, text, saved_at=None, settings=Settings())


def told(finding):
    return " ".join((finding.there.file, finding.there.text, *finding.evidence))


def test_there_are_enough_cases():
    silent = [line for _, line, words in CASES if not words]
    assert len(CASES) >= 80
    assert len(silent) >= 40


@pytest.mark.parametrize(("files", "line", "words"), CASES, ids=[f"{n}-{case[1]}" for n, case in enumerate(CASES)])
def test_F8_a_repository_proves_wrong_only_what_it_can_prove(tmp_path, files, line, words):
    found = mismatches(claims_of(f"# Notes\n\n- {line}\n"), made(tmp_path, files))
    if not words:
        assert [told(one) for one in found] == []
        return
    assert len(found) == 1, [told(one) for one in found]
    assert found[0].kind is Kind.MISMATCH
    assert (found[0].here.file, found[0].here.line) == ("CLAUDE.md", 3)
    assert any(word in told(found[0]) for word in words.split("|")), told(found[0])
    assert (tmp_path / found[0].there.file).exists()


def test_F8_what_a_file_proves_right_is_counted_and_no_finding(tmp_path):
    made(tmp_path, NODE)
    text = "- We use pnpm.\n- Node 20 runs it.\n- Run `npm run build`.\n- See `docs/setup.md`.\n- The sky is blue.\n"
    told_of = examine(claims_of(text), tmp_path)
    assert (told_of.findings, told_of.confirmed, told_of.skipped) == ((), 4, ())


def test_F8_paths_are_found_beside_the_file_that_names_them(tmp_path):
    made(tmp_path, {"apps/web/src/main.ts": "", "src/api.ts": ""})
    text = "- The entry point is `src/main.ts`.\n- The API is defined in `src/gone.ts`.\n"
    inner = mismatches(claims_of(text, "apps/web/CLAUDE.md"), tmp_path)
    assert [(one.here.file, one.here.line) for one in inner] == [("apps/web/CLAUDE.md", 2)]
    absolute = mismatches(claims_of(text, str(tmp_path / "apps/web/CLAUDE.md")), tmp_path)
    assert [one.here.line for one in absolute] == [2]


def test_F8_a_table_of_commands_is_read_row_by_row(tmp_path):
    made(tmp_path, PYTHON)
    text = "| Command | What it does |\n| --- | --- |\n"
    text += "| `make test` | runs the tests |\n| `make docs` | builds the docs |\n"
    (found,) = mismatches(claims_of(text), tmp_path)
    assert (found.here.line, found.there.file) == (4, "Makefile")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("package.json", "{" * 2000),
        ("package.json", "[" * 200_000),
        ("package.json", '{"scripts": 3, "engines": [], "dependencies": {"react": {}}, "packageManager": 1}'),
        ("pyproject.toml", "[project\nrequires-python = 3"),
        (
            "pyproject.toml",
            "[project]\nrequires-python = 3\ndependencies = [1, {}]\n[tool.poetry.dependencies]\npython = 1\n",
        ),
        ("docker-compose.yml", "services:\n\t- : :\n  - {]\nports:\n  - :::\n"),
        (".github/workflows/x.yml", "node-version: [" + "1, " * 20_000),
        (".nvmrc", ""),
        ("go.mod", "go go go"),
        ("Makefile", "::::\n" * 50_000),
        (".gitignore", "[\n!\n**\n*(*\n"),
        (".tool-versions", "nodejs\npython latest\n"),
    ],
    ids=lambda given: given[:24],
)
def test_F8_a_malformed_file_proves_nothing_and_raises_nothing(tmp_path, name, text):
    made(tmp_path, {name: text})
    told_of = examine(claims_of("- Node 18 runs it on port 80.\n- Run `npm run x`.\n- Python 3.9 is used.\n"), tmp_path)
    assert told_of.findings == ()
    assert all(file == name for file, _ in told_of.skipped)


def test_F8_what_cannot_be_parsed_is_named_with_the_reason(tmp_path):
    made(tmp_path, {"package.json": "{oops", "pyproject.toml": "= 1", ".nvmrc": "x" * (MOST_BYTES + 1)})
    (tmp_path / "go.mod").write_bytes(b"\xff\xfe\x00")
    skipped = dict(examine(claims_of("- Node 18 is used.\n"), tmp_path).skipped)
    assert sorted(skipped) == [".nvmrc", "go.mod", "package.json", "pyproject.toml"]
    assert "larger" in skipped[".nvmrc"]
    assert "malformed" in skipped["package.json"]


def test_F8_links_lead_nowhere_and_what_lies_behind_them_is_not_judged(tmp_path):
    outside = made(tmp_path / "outside", {"Makefile": "secret:\n", "docs/x.md": ""})
    root = made(tmp_path / "root", {"src/a.py": ""})
    (root / "Makefile").symlink_to(outside / "Makefile")
    (root / "docs").symlink_to(outside / "docs")
    (root / "loop").symlink_to(root)
    text = "- Run `make secret`.\n- Run `make other`.\n- See `docs/gone.md`.\n- It is in `src/gone.py`.\n"
    told_of = examine(claims_of(text), root)
    assert [one.here.line for one in told_of.findings] == [4]
    assert told_of.confirmed == 0


def test_F8_a_pipe_in_the_place_of_a_manifest_blocks_nothing(tmp_path):
    os.mkfifo(tmp_path / "package.json")
    assert mismatches(claims_of("- Run `npm run x`.\n"), tmp_path) == []


def test_F8_nothing_of_the_repository_is_run_or_written(tmp_path):
    trap = "$(shell touch ran)\nall:\n\ttouch ran\n"
    made(
        tmp_path,
        {"Makefile": trap, "package.json": '{"scripts": {"preinstall": "touch ran"}}', "setup.py": "open('ran','w')"},
    )
    before = sorted(path.name for path in tmp_path.rglob("*"))
    examine(claims_of("- Run `make all`.\n- Run `npm run preinstall`.\n- Run `make none`.\n"), tmp_path)
    assert sorted(path.name for path in tmp_path.rglob("*")) == before


def test_F8_a_root_that_is_not_there_proves_nothing(tmp_path):
    assert mismatches(claims_of("- See `src/a.py`.\n- Run `make x`.\n"), Path(tmp_path / "none")) == []
