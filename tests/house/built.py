"""What does a user get? The source archive and the wheel, built as for a release, and environments to use them in.

Nothing is fetched. The build tool is the one of the tests; the packages that a wheel depends on are put back into
wheels out of the environment that the tests run in, so that pip has to resolve and install what the wheel asks for, and
can find nothing else.
"""

from __future__ import annotations

import email
import os
import re
import subprocess
import sys
import venv
import zipfile
from importlib.metadata import distribution
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
LEFT_OUT = {"INSTALLER", "REQUESTED", "RECORD", "direct_url.json"}
"""What an installer has written beside the files of a wheel."""


def run(*command, cwd, **more):
    """The output of a program, which has to succeed."""
    done = _done(command, cwd, more)
    assert done.returncode == 0, f"{command} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}"
    return done.stdout


def output(*command, cwd, **more):
    """The output of a program, however it ends."""
    done = _done(command, cwd, more)
    assert done.stdout, f"{command} ended with {done.returncode}, and said:\n{done.stderr}"
    return done.stdout


def _done(command, cwd, more):
    """A program has run; no setting of Python's tools reached it from outside."""
    ours = ("PYTHON", "PYTEST", "PIP_", "MYPY", "STILLTRUE_")
    given = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    environment = {**given, "PIP_CONFIG_FILE": os.devnull, "PIP_DISABLE_PIP_VERSION_CHECK": "1", **more}
    whole = [str(part) for part in command]
    return subprocess.run(whole, cwd=cwd, env=environment, text=True, capture_output=True, check=False)


def pip(*arguments, cwd):
    return run(sys.executable, "-m", "pip", *arguments, cwd=cwd)


def source_archive(folder):
    """The sdist of this checkout."""
    run(sys.executable, "-m", "hatchling", "build", "--target", "sdist", "--directory", folder, cwd=ROOT)
    (made,) = Path(folder).glob("*.tar.gz")
    return made


def wheel_of(source, folder):
    """The wheel that pip builds of a folder or a source archive."""
    offline = ("--no-deps", "--no-build-isolation", "--no-index", "--quiet")
    pip("wheel", *offline, "--wheel-dir", folder, source, cwd=folder)
    (made,) = Path(folder).glob("stilltrue-*.whl")
    return made


def environment(folder):
    """The interpreter of a new virtual environment in which nothing is installed, not even pip."""
    venv.create(folder, with_pip=False, symlinks=os.name != "nt")
    return Path(folder) / ("Scripts" if os.name == "nt" else "bin") / "python"


def needed(wheel):
    """The names of all distributions that a wheel asks for on this machine, with what they ask for in turn."""
    with zipfile.ZipFile(wheel) as archive:
        (metadata,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        asked = email.message_from_bytes(archive.read(metadata)).get_all("Requires-Dist", [])
    found, waiting = set(), [(line, ()) for line in asked]
    while waiting:
        line, extras = waiting.pop()
        wanted = Requirement(line)
        if wanted.marker and not any(wanted.marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            continue
        entry = (re.sub(r"[-_.]+", "-", wanted.name).lower(), tuple(sorted(wanted.extras)))
        if entry not in found:
            found.add(entry)
            waiting += [(line, entry[1]) for line in distribution(entry[0]).requires or ()]
    return {name for name, _ in found}


def wheel_again(name, folder):
    """An installed distribution as a wheel, without what its installation added. LookupError where no list is kept."""
    kept = distribution(name)
    if kept.files is None:
        message = f"{name} was installed without a list of its files, so that no wheel can be made of it"
        raise LookupError(message)
    base = Path(kept.locate_file("")).resolve()
    info = next(file.parts[0] for file in kept.files if file.parts[0].endswith(".dist-info"))
    tags = re.findall(r"^Tag: (.+)$", kept.read_text("WHEEL"), re.MULTILINE)
    python, abi, platform = (
        ".".join(dict.fromkeys(part)) for part in zip(*(tag.split("-") for tag in tags), strict=True)
    )
    made = Path(folder) / f"{info.removesuffix('.dist-info')}-{python}-{abi}-{platform}.whl"
    record = []
    with zipfile.ZipFile(made, "w") as archive:
        for file in kept.files:
            path = Path(kept.locate_file(file)).resolve()
            written = file.parts[0] == info and file.name in LEFT_OUT
            if base in path.parents and path.is_file() and path.suffix != ".pyc" and not written:
                archive.write(path, file.as_posix())
                record.append(f"{file.as_posix()},,\n")
        archive.writestr(f"{info}/RECORD", "".join([*record, f"{info}/RECORD,,\n"]))
    return made
