"""How do readers learn how often the judge is right? As a page, a diagram and a section of the model card.

Answer: ``python -m training card`` turns the files of ``training.evaluate`` into ``docs/how-often-is-it-right.md``,
``docs/reliability.svg`` and the part of ``MODEL_CARD.md`` between two markers. Every figure comes from those files:
the same files give the same bytes, and a test holds the committed page against them.

Left to others: words (``training/pages``), tables (``training.page_tables``), drawing (``training.diagram``), numbers
(``training.markdown``).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Any, Final

from training import page_tables as tables
from training.diagram import reliability
from training.figures import Json
from training.markdown import percent, quoted, share

ROOT: Final = Path(__file__).resolve().parent.parent
RESULTS: Final = ROOT / "bench" / "results"
PAGES: Final = Path(__file__).resolve().parent / "pages"
PAGE: Final = "how-often-is-it-right.md"
DIAGRAM: Final = "reliability.svg"
CARD: Final = ROOT / "src" / "stilltrue" / "weights" / "MODEL_CARD.md"
BEGIN: Final = "<!-- pair model: begin; written by `python -m training card` -->"
END: Final = "<!-- pair model: end -->"


@dataclass(frozen=True, slots=True)
class Results:
    """The JSON files that a page is made of."""

    test: Json
    dev: Json
    peers: Json
    learning: tuple[Json, ...] = ()

    @classmethod
    def of(cls, folder: Path) -> Results:
        """The files of a folder. Raises FileNotFoundError where one has not been made yet."""

        def read(name: str) -> Any:  # noqa: ANN401 (parsed JSON)
            return json.loads((folder / name).read_text(encoding="utf-8"))

        curve = "judge_learning.json"
        rows = tuple(read(curve)) if (folder / curve).is_file() else ()
        return cls(read("judge_test.json"), read("judge_dev.json"), read("judge_peers.json"), rows)


def page(results: Results) -> str:
    """The whole page."""
    return _filled("how_often_is_it_right.md", _shared(results) | _tables(results) | _numbers(results))


def card_section(results: Results) -> str:
    """The pair model's part of the model card, markers included."""
    alone = results.test["kinds"]["corpus"]["model"]
    words = {"model_precision": share(alone["precision"]), "model_recall": share(alone["recall"])}
    return "\n".join((BEGIN, _filled("pair_model_card.md", _shared(results) | words) + END, ""))


def diagram(results: Results) -> str:
    """The reliability diagram of the test part, as the product judges."""
    kinds = tables.kinds_in(results.test)
    return reliability([(kind, results.test["kinds"][kind]["both"]["bins"]) for kind in kinds])


def _filled(name: str, words: dict[str, str]) -> str:
    """A page with every placeholder filled. Raises KeyError where there is nothing for one."""
    return Template((PAGES / name).read_text(encoding="utf-8")).substitute(words)


def _shared(results: Results) -> dict[str, str]:
    test = results.test
    return {
        "model": quoted(test["model"]),
        "main_test": _lines(tables.main_table(test)),
        "retired": _lines(tables.retired(test)),
    }


def _tables(results: Results) -> dict[str, str]:
    test, dev = results.test, results.dev
    quiet = ", ".join(tables.silent(test))
    return {
        "opening": _lines(_opening(test)).rstrip(),
        "sizes": _lines(tables.sizes([test, dev])),
        "main_dev": _lines(tables.main_table(dev)),
        "fresh": _lines(tables.fresh(test)),
        "peers": _lines(tables.beside_peers(test, results.peers)),
        "confusion": _by_kind(test, lambda kind: tables.confusion(test["kinds"][kind]["both"])),
        "knobs": _lines(tables.knobs(test)),
        "thresholds": _by_kind(test, lambda kind: tables.thresholds(test["thresholds"][kind])),
        "traps": _lines(tables.groups("trap", test["traps"])),
        "languages": _lines(tables.groups("language", test["languages"])),
        "sources": _lines(tables.groups("source", test["sources"])),
        "ablation": _lines(tables.ablation(test)),
        "silent": f"Without any effect on these pairs: {quiet}.\n" if quiet else "",
        "learning": _lines(["## Would more pairs help?", "", *LEARNING, "", *tables.learning(results.learning), ""])
        if results.learning
        else "",
        "errors": _lines(tables.errors(dev["errors"])),
    }


def _numbers(results: Results) -> dict[str, str]:
    test, peers = results.test, results.peers
    corpus, policy = test["kinds"]["corpus"]["both"], test["policy"]
    return {
        "corpus_pairs": f"{corpus['pairs']:,}",
        "corpus_conflicts": f"{corpus['conflicts']:,}",
        "trap_pairs": f"{sum(row['pairs'] for row in test['traps']):,}",
        "error_count": f"{len(results.dev['errors']):,}",
        "peers_measured": quoted(peers["measured"]),
        "peers_hard": f"{peers['hard_pairs']:,}",
        "peers_plain": f"{peers['plain_pairs']:,}",
        "ask": f"{policy['ask_threshold']}",
        "act": f"{policy['contradiction_threshold']}",
        "sure": f"{policy['supersession_min_confidence']}",
        "again": f"{policy['reinforce_threshold']}",
    }


def _opening(test: Json) -> Iterator[str]:
    for kind in tables.kinds_in(test):
        both = test["kinds"][kind]["both"]
        retire = both["retire"]
        yield (
            f"- **{kind}** ({both['pairs']:,} pairs): {percent(both['precision']['share'])} of the conflicts it reports"
            f" are conflicts, and it reports {percent(both['recall']['share'])} of those there are. Without asking it"
            f" retires {retire['precision']['of']:,} statements, {retire['wrong']['hits']:,} of them wrongly."
        )


def _by_kind(test: Json, lines: Callable[[str], list[str]]) -> str:
    return _lines(line for kind in tables.kinds_in(test) for line in (f"*{kind}*:", "", *lines(kind)))


def _lines(lines: Iterable[str]) -> str:
    return "\n".join(lines)


def with_section(card: str, section: str) -> str:
    """The model card with its section about the pair model put in place, or added at the end."""
    before, found, rest = card.partition(BEGIN)
    if not found:
        return f"{card.rstrip()}\n\n{section}"
    _, _, after = rest.partition(END)
    return before + section.rstrip("\n") + after


LEARNING: Final = (
    "Judged on dev: one pass over a share of the training sets, as they were written, from the base weights",
    "(`python -m training train --curve --share S`; the rows are what it notes in `passes.jsonl`). Fewer sets are also",
    "fewer steps. The shipped model sees more: the matrix, what follows from the sets, programmatic and public pairs.",
)


def main(argv: Sequence[str] | None = None) -> int:
    """Write the page, the diagram and the section of the model card."""
    parser = argparse.ArgumentParser(prog="python -m training card", description=__doc__)
    parser.add_argument("--results", type=Path, default=RESULTS, metavar="FOLDER", help="default: bench/results")
    parser.add_argument("--docs", type=Path, default=ROOT / "docs", metavar="FOLDER", help="default: docs")
    parser.add_argument("--card", type=Path, default=CARD, metavar="FILE.md", help="default: the packaged model card")
    given = parser.parse_args(argv)
    results = Results.of(given.results)
    before = given.card.read_text(encoding="utf-8") if given.card.is_file() else ""
    texts = {
        given.docs / PAGE: page(results),
        given.docs / DIAGRAM: diagram(results),
        given.card: with_section(before, card_section(results)),
    }
    for file, text in texts.items():
        file.write_text(text, encoding="utf-8")
        print(file)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
