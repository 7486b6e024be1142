"""How does a test ask for an audit? Through the real entrance, in a folder of its own; the real models, loaded once."""

import io
import subprocess
import sys

import pytest

from stilltrue.faces.cli import main
from stilltrue.inference.embed import MiniLMEmbedder
from stilltrue.wiring import pair_model_of
from tests.faces import conftest as faces


class Ran(faces.Ran):
    """What a run of the command gave, and the lines of it that are findings."""

    @property
    def findings(self):
        return [one for one in self.lines if " with " in one]


@pytest.fixture(scope="session")
def embedder():
    return MiniLMEmbedder()


@pytest.fixture
def project(tmp_path, monkeypatch):
    """An empty folder to stand in; `project / name` are its files."""
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def audit(project, embedder, capsys, monkeypatch):
    """Run `stilltrue audit` with these words."""
    loaded = {}
    monkeypatch.setattr("stilltrue.inference.embed.MiniLMEmbedder", lambda **_: embedder)
    monkeypatch.setattr(
        "stilltrue.wiring.pair_model_of", lambda named, settings: loaded.setdefault(0, pair_model_of(named, settings))
    )

    def audit(*words, stdin=""):
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            main(["audit", *map(str, words)])
        return Ran(left.value.code, *capsys.readouterr())

    return audit


@pytest.fixture
def git(project):
    """The project as a git repository; runs git in it."""

    def git(*words, **keywords):
        who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false"]
        ran = subprocess.run(
            ["git", *who, *words], cwd=project, capture_output=True, text=True, check=False, **keywords
        )
        assert ran.returncode == 0 or not keywords.get("check", True), ran.stderr
        return ran.stdout

    git("init", "-q", "-b", "main")
    return git


PORTS = "# Ports\n\n- The API listens on port 8080.\n\n## Second part\n\n- The API listens on port 9090.\n"
TWICE = (
    "# Rules\n\n- Always use pnpm to install packages.\n- Tests run before each commit.\n\n"
    "## More\n\n- Always use pnpm to install packages.\n"
)
CLEAN = "# Rules\n\n- Always use pnpm to install packages.\n- The office plants are watered on Mondays.\n"
