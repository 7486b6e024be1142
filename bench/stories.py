"""How many of the stories and of the coding sessions come out as a careful person demands? `python -m bench.stories`.

Answer: the stories of tests/flow/scenarios are replayed with default settings and no LLM, each in a memory of its own,
and their checks counted. The coding sessions are imported once and held against what a reader found in them
(tests/flow/sessions.json): changes whose old side must be gone, facts that must stay, every retirement. Writes
results/stories.json, with the ids of the stories that fail. Tests hold the same; here it is counted.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from bench import llm_cost, machine
from bench.audit_stores import model_version
from stilltrue.connect.importers import import_file
from stilltrue.connect.replay import StoryResult, default_memory, replay_story
from stilltrue.connect.stories import read_story
from stilltrue.formats.lines import json_lines
from stilltrue.memory import Memory

RESULTS: Final = Path(__file__).parent / "results"
STORIES: Final = llm_cost.ROOT / "tests" / "flow" / "scenarios"
Count = dict[str, Any]


def counted(what: str, held: Iterable[bool]) -> Count:
    """How many of how many hold."""
    told = list(held)
    return {"what": what, "hold": sum(told), "of": len(told)}


def replayed(folder: Path, most: int | None = None) -> list[StoryResult]:
    """Every story of the files in the folder, in order; `most`: no more than so many."""
    opened = default_memory()
    found = []
    for file in sorted(folder.glob("*.jsonl")):
        with file.open("rb") as stream:
            found += [line for _, line in json_lines(stream) if isinstance(line, dict)]
    return [replay_story(read_story(line), opened) for line in found[:most]]


def of_stories(results: Sequence[StoryResult]) -> dict[str, Count]:
    """Stories of which every check holds, and checks."""
    checks = counted("checks of stories", ())
    checks["hold"], checks["of"] = sum(one.passed for one in results), sum(one.total for one in results)
    return {"stories": counted("stories", (one.ok for one in results)), "checks": checks}


def of_sessions(path: Path, table: Mapping[str, Any]) -> dict[str, Count]:
    """Changes, facts that stay and retirements of the sessions, beside what a reader found."""
    with Memory.open(":memory:") as memory:
        import_file(memory, path, format="sessions")
        wrong = memory.check_invariants()
        assert not wrong, wrong
        right = {(one["old"], one["new"]) for one in table["retirements"] if one["right"]}
        retired = set(_retirements(memory))
        return {
            "changes": counted("changes in coding sessions", (_served(memory, case) for case in table["changes"])),
            "kept": counted("facts of coding sessions that stay", (_served(memory, case) for case in table["kept"])),
            "retired": counted("retirements in coding sessions, read one by one", (one in right for one in retired)),
            "expected": counted("retirements that a reader of the sessions demands", (one in retired for one in right)),
        }


def _served(memory: Memory, case: Mapping[str, Any]) -> bool:
    found = memory.search(case["query"])
    texts = [" | ".join([one.text, *(cited.quote for cited in one.sources)]) for one in found.results]
    included = all(any(part in text for text in texts) for part in case["must_include"])
    return included and not any(part in text for part in case.get("must_exclude", ()) for text in texts)


def _retirements(memory: Memory) -> Iterator[tuple[str, str]]:
    with memory.engine.store.read() as reader:
        decisions = reader.decisions(memory.space)
    for decision in decisions:
        if decision.action.value in {"SUPERSEDE", "RETRACT"}:
            for target in decision.targets:
                yield memory.history(target).fact.text, decision.text


def main(arguments: Sequence[str] | None = None) -> int:
    """Tell, count, write; 0 whatever failed, for a figure is a finding and no failure."""
    parser = argparse.ArgumentParser(prog="python -m bench.stories", description=__doc__)
    parser.add_argument("--sessions", type=Path, default=llm_cost.SESSIONS, help="the coding sessions, as JSON")
    parser.add_argument("--most", type=int, metavar="N", help="only N stories, to try it out")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder to write to")
    asked = parser.parse_args(arguments)
    results = replayed(STORIES, asked.most)
    counts = of_stories(results)
    if asked.sessions.exists():
        counts |= of_sessions(asked.sessions, json.loads(llm_cost.READ.read_text(encoding="utf-8")))
    else:
        print(f"the coding sessions are not at {asked.sessions}, so they are not counted; --sessions names a file")
    told = {
        "about": machine.described() | {"pair model": model_version()},
        "counts": counts,
        "failing": [one.id for one in results if not one.ok],
    }
    asked.results.mkdir(parents=True, exist_ok=True)
    (asked.results / "stories.json").write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(counts, indent=1))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
