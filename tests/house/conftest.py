"""What do the tests of this folder share? One source archive, one wheel and one bare installation of it a process."""

from __future__ import annotations

import pytest

from tests.house import built


@pytest.fixture(scope="session")
def archive(tmp_path_factory):
    """The source archive of this checkout."""
    return built.source_archive(tmp_path_factory.mktemp("archive"))


@pytest.fixture(scope="session")
def wheel(archive, tmp_path_factory):
    """The wheel, built out of the source archive as whoever packages it does."""
    return built.wheel_of(archive, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="session")
def bare(wheel, tmp_path_factory):
    """The interpreter of an environment with the wheel and what it depends on, by pip's own resolution, and no more."""
    wheels, folder = tmp_path_factory.mktemp("wheels"), tmp_path_factory.mktemp("bare") / "env"
    for name in built.needed(wheel):
        try:
            built.wheel_again(name, wheels)
        except LookupError as error:
            pytest.skip(f"the wheel is not installed here: {error}")
    python = built.environment(folder)
    built.pip("--python", python, "install", "--quiet", "--no-index", "--find-links", wheels, wheel, cwd=wheels)
    return python
