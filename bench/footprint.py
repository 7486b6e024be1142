"""How heavy is it? The time an import takes, the memory a large space needs, the room an installation takes."""

from __future__ import annotations

import subprocess
import sys
from importlib import metadata
from pathlib import Path

from bench.machine import MEGABYTE, resident_megabytes
from bench.timing import Figure, in_turns, percentile
from stilltrue.memory import Memory

LIMIT_SECONDS = 0.150
_TIMED = """
import sys, time
begun = time.perf_counter()
import stilltrue
taken = time.perf_counter() - begun
stilltrue.Memory
print(taken, time.perf_counter() - begun, "onnxruntime" in sys.modules)
"""


def imported(rounds: int) -> list[Figure]:
    """`import stilltrue` in a fresh interpreter, without and with its `Memory`, against one that does nothing."""
    told: list[list[str]] = []
    (floor, _) = in_turns(rounds, lambda _: _run("pass"), lambda _: told.append(_run(_TIMED).split()))
    assert all(loaded == "False" for _, _, loaded in told), "the model's runtime was loaded before it was needed"
    package = [float(first) for first, _, _ in told]
    memory = [float(second) for _, second, _ in told]
    empty = "an interpreter that does nothing, p50"

    def figure(what: str, against: str, number: float, demanded: float | None = None) -> Figure:
        return Figure(bench="import", what=what, against=against, number=number, n=rounds, demanded=demanded)

    return [
        figure("import stilltrue, p50", "the limit of 150 ms", percentile(package, 50) / LIMIT_SECONDS, 1),
        figure("import stilltrue, p50", empty, percentile(package, 50) / percentile(floor, 50)),
        figure("stilltrue.Memory too, p50", "the limit of 150 ms", percentile(memory, 50) / LIMIT_SECONDS),
        figure("stilltrue.Memory too, p50", empty, percentile(memory, 50) / percentile(floor, 50)),
    ]


def _run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout


def resident(path: Path, questions: list[str]) -> list[Figure]:
    """The most memory a process holds that opens a filled database, searches it and remembers something."""
    done = subprocess.run(
        [sys.executable, "-m", "bench.footprint", str(path), *questions], capture_output=True, text=True, check=True
    )
    facts, megabytes = done.stdout.split()
    return [
        Figure(
            bench="memory",
            what=f"resident with {int(facts):,} facts in use",
            against="the limit",
            number=float(megabytes),
            n=len(questions),
            demanded=500,
            unit=" MB",
        )
    ]


def use(path: str, questions: list[str]) -> str:
    """In a process of its own: facts in the space, and the most memory held."""
    with Memory.open(path) as memory:
        facts = memory.stats().counts["facts"]
        for question in questions:
            memory.search(question)
        memory.remember("Ada Abbott lives in Lisbon.")
        return f"{facts} {resident_megabytes()}"


def installed() -> list[Figure]:
    """The files of the package and of everything it needs, extras aside."""
    names = _needed("stilltrue")
    size = sum(_size(name) for name in names)
    package = Path(sys.modules["stilltrue"].__file__ or "").parent
    own = sum(file.stat().st_size for file in package.rglob("*") if file.is_file() and file.suffix != ".pyc")
    return [
        Figure(
            bench="size",
            what="installed without extras",
            against="the limit",
            number=(size + own) / MEGABYTE,
            n=len(names),
            demanded=260,
            unit=" MB",
        )
    ]


def _needed(root: str) -> list[str]:
    """The distributions that `root` needs, extras aside, itself left out."""
    from packaging.requirements import Requirement  # noqa: PLC0415 - only this figure needs it

    found: dict[str, None] = {}
    waiting = [root]
    while waiting:
        for line in metadata.requires(waiting.pop()) or ():
            requirement = Requirement(line)
            wanted = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
            if wanted and requirement.name not in found:
                found[requirement.name] = None
                waiting.append(requirement.name)
    return list(found)


def _size(name: str) -> int:
    files = (Path(str(file.locate())) for file in metadata.files(name) or ())
    return sum(file.stat().st_size for file in files if file.suffix != ".pyc" and file.exists())


if __name__ == "__main__":
    print(use(sys.argv[1], sys.argv[2:]))
