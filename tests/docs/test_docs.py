"""Do the documents say what is so? Their examples run, their links lead somewhere, the files they name exist."""

import doctest
import os
import re
import subprocess
import sys
import tomllib
from contextlib import nullcontext
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.docs.at_hand import command_at_hand
from tests.docs.stand_in import with_http_server, with_llm_server, with_nli_folder, with_postgres

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
CHANGELOG = ROOT / "CHANGELOG.md"
DOCUMENTS = sorted({README, CHANGELOG, ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")})

FENCE = re.compile(
    r"^(?P<indent> *)(?P<marks>```+)(?P<info>[^\n`]*)\n(?P<body>.*?)^(?P=indent)(?P=marks)[ ]*$",
    re.MULTILINE | re.DOTALL,
)
LINK = re.compile(
    r"\[[^\]]*\]\(<?(?P<target>[^)\s>]+)>?(?:\s+\"[^\"]*\")?\)|^\[[^\]]+\]:\s*(?P<reference>\S+)",
    re.MULTILINE,
)
HEADING = re.compile(r"^#+\s+(?P<title>.+?)\s*#*$", re.MULTILINE)
CODE_SPAN = re.compile(r"`([^`\n]+)`")
PATH_HERE = re.compile(r"(?:src|docs|tests|bench|training|locks|\.ci)/[\w./*-]*")
OUTSIDE = re.compile(r"[a-z][a-z+.-]*:", re.IGNORECASE)
CALLS_STILLTRUE = re.compile(r"(?:^|\||&&)\s*(?:[A-Z_]+=\S*\s+)*stilltrue\b")

PLUGIN = "stilltrue.testing.plugin"
GIVEN = {
    "docs/how-to/judge-with-your-own-model.md": with_nli_folder,
    "docs/how-to/connect-an-llm.md": with_llm_server,
    "docs/how-to/serve-over-http.md": with_http_server,
    "docs/how-to/run-on-postgresql.md": with_postgres,
}
"""What a document's reader has before the first example, in the folder and in the environment."""


class Block(NamedTuple):
    """A fenced block. `file`: the name behind its language, that of a file which a reader would make of it."""

    language: str
    body: str
    line: int
    file: str = ""


def name_of(document):
    return document.relative_to(ROOT).as_posix()


def blocks_of(text):
    for fence in FENCE.finditer(text):
        indent = len(fence["indent"])
        body = "".join(line[indent:] for line in fence["body"].splitlines(keepends=True))
        language, _, file = fence["info"].strip().partition(" ")
        yield Block(language, body, text.count("\n", 0, fence.start("body")) + 1, file.strip())


def prose_of(text):
    return FENCE.sub("", text)


def anchors_of(text):
    """The anchors that the usual renderers give to headings."""
    titles = (re.sub(r"[^\w\- ]", "", heading["title"].lower()) for heading in HEADING.finditer(prose_of(text)))
    return {title.replace(" ", "-") for title in titles}


def steps_of(body):
    """A console block as (command, the output shown under it)."""
    steps = []
    for line in body.splitlines():
        if line.startswith("$ "):
            steps.append((line[2:], []))
        elif steps and not steps[-1][1] and steps[-1][0].endswith("\\"):
            steps[-1] = (steps[-1][0][:-1] + line.strip(), [])
        elif steps:
            steps[-1][1].append(line)
    return [(command, "\n".join(shown).strip()) for command, shown in steps]


def matches(shown, printed):
    """Whether what was printed is what is shown, where `...` stands for anything."""

    def tidy(text):
        return "\n".join(line.rstrip() for line in text.strip().splitlines()) + "\n"

    return doctest.OutputChecker().check_output(tidy(shown), tidy(printed), doctest.ELLIPSIS)


def run_python(block, document, namespace):
    if ">>>" in block.body:
        name = name_of(document)
        example = doctest.DocTestParser().get_doctest(block.body, namespace, name, name, block.line)
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
        runner.run(example, clear_globs=False)
        assert runner.summarize(verbose=False).failed == 0
        namespace.update(example.globs)
        return
    # Blank lines in front, so that a traceback names the document's own line.
    exec(compile("\n" * (block.line - 1) + block.body, str(document), "exec"), namespace)


def surroundings(*programs):
    """A plain terminal, and these folders in front of all others that programs are looked for in."""
    path = os.pathsep.join([*map(str, programs), os.environ.get("PATH", "")])
    plain = {"NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "120", "PYTHONUTF8": "1"}
    # A reader's own plugins are not what is shown.
    return dict(os.environ, PATH=path, PYTEST_DISABLE_PLUGIN_AUTOLOAD="1", **plain)


@pytest.fixture(scope="session")
def at_hand(tmp_path_factory):
    """The folder of a `stilltrue` that need not start anew."""
    with command_at_hand(tmp_path_factory.mktemp("hand"), surroundings()) as folder:
        yield folder


def run_console(block, document, folder, *programs):
    environment = surroundings(*programs)
    for command, shown in steps_of(block.body):
        line = "stilltrue demo" if command == "make demo" else command
        if line.startswith("pytest "):  # as where stilltrue is installed: its plugin is there
            line = line.replace("pytest", f"{sys.executable} -m pytest -p no:cacheprovider -p {PLUGIN}", 1)
        elif not CALLS_STILLTRUE.search(line):
            continue
        done = subprocess.run(
            ["bash", "-c", line],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            check=False,
        )
        where = f"{name_of(document)}:{block.line}: $ {command}"
        assert done.returncode == 0, f"{where} ended with {done.returncode}:\n{done.stdout}"
        assert not shown or matches(shown, done.stdout), f"{where}\nshown:\n{shown}\n\nprinted:\n{done.stdout}"


def test_the_readme_is_there_and_names_both_commands():
    text = README.read_text("utf-8")
    assert "make demo" in text
    assert "make test" in text
    assert any(block.language == "python" for block in blocks_of(text))
    assert tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"].get("readme") == README.name


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_examples_do_what_the_document_shows(document, tmp_path, monkeypatch, at_hand):
    """All examples of a document run in order, in one folder and one namespace, as a reader would try them.

    Those of the README start the installed command each time, the others call the one at hand.
    """
    monkeypatch.chdir(tmp_path)
    installed = Path(sys.executable).parent
    programs = [installed] if document == README else [at_hand, installed]
    namespace = {"__name__": "__example__"}
    given = GIVEN.get(name_of(document))
    with given(tmp_path, monkeypatch) if given else nullcontext():
        for block in blocks_of(document.read_text("utf-8")):
            if block.file:
                (tmp_path / block.file).parent.mkdir(parents=True, exist_ok=True)
                (tmp_path / block.file).write_text(block.body, encoding="utf-8")
            elif block.language == "python":
                run_python(block, document, namespace)
            elif block.language == "console":
                run_console(block, document, tmp_path, *programs)


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_links_inside_the_project_lead_somewhere(document):
    text = document.read_text("utf-8")
    broken = []
    for link in LINK.finditer(prose_of(text)):
        target = link["target"] or link["reference"]
        if OUTSIDE.match(target):
            continue
        path, _, anchor = target.partition("#")
        goal = (document.parent / path).resolve() if path else document
        inside = goal.is_relative_to(ROOT) and goal.exists()
        if not inside or (anchor and goal.suffix == ".md" and anchor not in anchors_of(goal.read_text("utf-8"))):
            broken.append(target)
    assert broken == []


@pytest.mark.parametrize("document", [d for d in DOCUMENTS if d != CHANGELOG], ids=name_of)
def test_files_that_a_document_names_exist(document):
    spans = CODE_SPAN.findall(prose_of(document.read_text("utf-8")))
    named = [span for span in spans if PATH_HERE.fullmatch(span)]
    assert [path for path in named if not any(ROOT.glob(path.rstrip("/")))] == []


@pytest.mark.parametrize("pattern", ["locks/*.txt", "pyproject.toml", "Makefile", ".ci/run", ".pre-commit-config.yaml"])
def test_set_up_names_no_host_and_no_index(pattern):
    """Where packages come from is the business of the machine that installs them."""
    for path in ROOT.glob(pattern):
        assert not re.findall(r"\w+://\S+|--(?:extra-)?index-url|--find-links", path.read_text("utf-8")), name_of(path)


def test_every_decision_record_is_in_the_index():
    records = ROOT / "docs" / "decisions"
    index = (records / "README.md").read_text("utf-8")
    assert [path.name for path in sorted(records.glob("0*.md")) if f"({path.name})" not in index] == []


class TestTheReader:
    """The reader of examples itself: one that fires and one that holds still."""

    def test_console_steps_join_continued_lines_and_keep_their_output(self):
        body = "$ stilltrue remember \\\n    'a b'\nkept ...\n\n$ make test\n"
        assert steps_of(body) == [("stilltrue remember 'a b'", "kept ..."), ("make test", "")]

    def test_a_name_behind_the_language_is_a_file_to_be_made(self):
        assert list(blocks_of("```jsonl pairs.jsonl\n{}\n```\n")) == [Block("jsonl", "{}\n", 2, "pairs.jsonl")]
        assert [block.file for block in blocks_of("```python\n1\n```\n")] == [""]

    @pytest.mark.parametrize(
        "line", ["stilltrue stats", "cat a | stilltrue judge -", "STILLTRUE_DB=a.db stilltrue stats"]
    )
    def test_a_line_that_calls_stilltrue_is_run(self, line):
        assert CALLS_STILLTRUE.search(line)
        assert not CALLS_STILLTRUE.search(f"echo {line}".replace("|", "or"))

    def test_an_ellipsis_stands_for_anything_and_nothing_else_does(self):
        assert matches("ACCEPT ... tea", "ACCEPT 0198fe12  tea  \n")
        assert not matches("ACCEPT tea", "REJECT tea")

    def test_anchors_follow_the_headings_and_not_the_comments_in_code(self):
        assert anchors_of("# Two clocks: `as_of`\n\n```python\n# no heading\n```\n") == {"two-clocks-as_of"}
