"""Which numbers are in what a single bench has written? One reader a bench, from the text of its file to entries.

A reader takes what the report shows and leaves the rest where it is: each file stays the place for all of it. A file of
another form than expected is an error here, so that no number is quietly left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from bench.whole import tables
from bench.whole.entries import EXACT, MEDIANS, TAILS, Better, Entry

WAYS: Final = {"rules": "rules alone", "both": "rules and pair model, as it ships"}
SHARES: Final = {
    "precision": ("of the conflicts reported, right (precision)", Better.HIGHER),
    "recall": ("of the conflicts there are, reported (recall)", Better.HIGHER),
    "false_alarms": ("of the other pairs, called a conflict", Better.LOWER),
}


def judge(text: str) -> Iterator[Entry]:
    """`training evaluate`: the share of pairs, by kind and way of judging; what would be retired without asking."""
    told = json.loads(text)
    for kind in ("hard", "plain", "families"):
        for way, words in WAYS.items():
            found = told["kinds"][kind][way]
            for name, (what, better) in SHARES.items():
                yield _share(f"judge.{kind}.{way}.{name}", "judge", f"{kind}, {words}: {what}", found[name], better)
        retired = told["kinds"][kind]["both"]["retire"]["precision"]
        what = f"{kind}: of what is retired without asking, rightly"
        yield _share(f"judge.{kind}.both.retired", "judge", what, retired, Better.HIGHER)


def _share(key: str, source: str, what: str, found: dict[str, Any], better: Better) -> Entry:
    share, low, high = found["share"], found["low"], found["high"]
    return Entry(key=key, source=source, what=what, number=share, n=found["of"], low=low, high=high, better=better)


def stories(text: str) -> Iterator[Entry]:
    """`bench.stories`: how many of what was demanded holds."""
    for name, what in json.loads(text)["counts"].items():
        wrong = what["of"] - what["hold"]
        told = f"{what['what']}: {what['hold']:,} of {what['of']:,} hold; that do not"
        yield Entry(key=f"stories.{name}", source="stories", what=told, number=wrong, n=what["of"])


def false_alarms(text: str) -> Iterator[Entry]:
    """`bench.false_alarms`: questions that nobody needed."""
    for row in tables.rows(text):
        told, count = row["told"], int(row["statements told"])
        for column in ("needless", "unread"):
            yield Entry(
                key=f"false_alarms.{told}.{column}",
                source="false_alarms",
                what=f"{told}: questions, {column}",
                number=int(row[column]),
                n=count,
            )


def audit_stores(text: str) -> Iterator[Entry]:
    """`bench.audit_stores`: precision and recall of the findings in exports, over all of them."""
    for row in tables.rows(text):
        if row["statements"]:
            continue
        for column in ("precision", "recall"):
            found = tables.share(row[column])
            if found is None:
                continue
            hits, of, low, high = found
            yield Entry(
                key=f"audit_stores.{row['export']}.{column}",
                source="audit_stores",
                what=f"exports, {row['export']}: {column} of findings",
                number=hits / of,
                n=of,
                low=low,
                high=high,
                better=Better.HIGHER,
            )


_REAL: Final = re.compile(
    r"(?P<files>[\d,]+) files, (?P<statements>[\d,]+) statements, [\d,]+ pairs, (?P<findings>[\d,]+) findings; "
    r"precision (?P<share>[\d.]+) \((?P<low>[\d.]+) to (?P<high>[\d.]+)\)"
)


def audit_real_files(text: str) -> Iterator[Entry]:
    """`bench.audit_real_files`: precision of the findings in files of strangers."""
    found = _REAL.search(text)
    if found is None:
        return
    yield Entry(
        key="audit_real_files.precision",
        source="audit_real_files",
        what=f"{found['files']} memory files of strangers, {found['statements']} statements: precision of findings",
        number=float(found["share"]),
        n=int(tables.number(found["findings"])),
        low=float(found["low"]),
        high=float(found["high"]),
        better=Better.HIGHER,
    )


def audits(text: str) -> Iterator[Entry]:
    """`bench.audits`: seconds for files of several sizes."""
    for row in tables.rows(text):
        lines = int(tables.number(row["lines"]))
        yield Entry(
            key=f"audits.{lines}.seconds",
            source="audits",
            what=f"audit of a file of {lines:,} lines",
            number=tables.number(row["seconds"]),
            unit=" s",
            n=int(tables.number(row["pairs"])),
            noise=TAILS,
            demanded=60.0 if lines == 1_000 else None,
        )


_NO_BETTER: Final = ("of its time", "pairs asked about", "pairs")
_HIGHER_UNITS: Final = (" pairs/s",)
_NOISY: Final = ("p95", "p99", "first search", "the limit of", "wait=False")
_COUNTED: Final = ("llm_cost",)
_SAME: Final = ("MB",)


def figures(source: str, text: str) -> Iterator[Entry]:
    """The pages of `python -m bench`: each figure as it stands."""
    for told in json.loads(text)["figures"]:
        words = f"{told['bench']}: {told['what']}"
        against = "" if told["against"] == "as it is" else f", against {told['against']}"
        whole = words + against
        yield Entry(
            key=f"{source}.{told['bench']}.{told['what']}.{told['against']}",
            source=source,
            what=whole,
            number=told["number"],
            unit=told["unit"],
            n=told["n"],
            noise=_noise(source, whole, told["unit"]),
            better=_better(told),
            demanded=told["demanded"],
        )


def _better(told: dict[str, Any]) -> Better:
    if told["what"] in _NO_BETTER or told["what"].startswith("of its time"):
        return Better.OPEN
    higher = told["least"] or told["unit"].endswith(_HIGHER_UNITS) or told["what"].endswith("throughput")
    return Better.HIGHER if higher else Better.LOWER


def _noise(source: str, words: str, unit: str) -> float:
    if source in _COUNTED or unit.strip() in _SAME or not unit:
        return EXACT
    return TAILS if any(word in words for word in _NOISY) else MEDIANS


def main_path(text: str) -> Iterator[Entry]:
    """Searches, writes, memory, import and size."""
    return figures("main_path", text)


def judging(text: str) -> Iterator[Entry]:
    """What judging takes."""
    return figures("judging", text)


def llm_cost(text: str) -> Iterator[Entry]:
    """How often an LLM is asked."""
    return figures("llm_cost", text)


_SWEPT: Final = (
    ("ratio", "pairs/s of the bare network, in processor time", "%", Better.HIGHER, MEDIANS),
    ("two_cores", "pairs/s of the bare network, estimated for two free cores", "%", Better.HIGHER, MEDIANS),
    ("by_the_clock", "pairs/s of the bare network, by the clock", "%", Better.HIGHER, TAILS),
    ("seconds", "processor time", " s", Better.LOWER, MEDIANS),
    ("second_sweep_ms_a_fact", "second sweep, a fact", " ms", Better.LOWER, MEDIANS),
)


def sweeps(text: str) -> Iterator[Entry]:
    """`bench.sweeps`: how near the bare network, and how it grows. Columns that an older run lacks are left out."""
    for row in json.loads(text)["rows"]:
        for column, what, unit, better, noise in _SWEPT:
            if column not in row:
                continue
            yield Entry(
                key=f"sweeps.{row['facts']}.{column}",
                source="sweeps",
                what=f"sweep of {row['facts']:,} facts: {what}",
                number=row[column] * (100 if unit == "%" else 1),
                unit=unit,
                n=row["heard"],
                noise=noise,
                better=better,
                demanded=70.0 if column == "by_the_clock" else None,
            )


def sweep_beside(text: str) -> Iterator[Entry]:
    """`bench.sweep_beside`: what a fact costs a sweep in a large memory."""
    for row in json.loads(text)["rows"]:
        for column, what, many in (
            ("decided_ms", "deciding about a fact", "fresh"),
            ("passed_over_ms", "passing over a judged one", "beside"),
        ):
            yield Entry(
                key=f"sweep_beside.{row['beside']}.{column}",
                source="sweep_beside",
                what=f"sweep beside {row['beside']:,} judged facts: {what}, processor time",
                number=row[column],
                unit=" ms",
                n=row[many],
                noise=MEDIANS,
                better=Better.LOWER,
            )


def postgres(text: str) -> Iterator[Entry]:
    """`bench.postgres`: what a server costs beside a file."""
    told = json.loads(text)
    for row in told["rows"]:
        yield Entry(
            key=f"postgres.{row['verb']}.{row['facts']}.{row['spaces']}",
            source="postgres",
            what=f"{row['verb']}, {row['facts']:,} facts in {row['spaces']:,} spaces: server against file, medians",
            number=row["ratio"],
            unit="×",
            n=row["n"],
            noise=MEDIANS if row["n"] > 1 else TAILS,
        )
    for one in told["layouts"]:
        layout = f"{one['facts']:,} facts, {one['spaces']:,} spaces"
        yield Entry(
            key=f"postgres.bytes.{layout}",
            source="postgres",
            what=f"{layout}: bytes a fact on a server",
            number=one["server"],
            unit=" bytes",
            n=one["facts"],
        )
        if one["index_seconds"] is not None:
            yield Entry(
                key=f"postgres.index.{layout}",
                source="postgres",
                what=f"{layout}: the server's index of vectors built, a fact",
                number=1000 * one["index_seconds"] / one["facts"],
                unit=" ms",
                n=one["facts"],
                noise=TAILS,
            )


def workers(text: str) -> Iterator[Entry]:
    """`bench.workers`: what more workers bring."""
    for row in json.loads(text)["rows"]:
        where = f"{row['facts']:,} facts in {row['spaces']:,} spaces"
        for column, what, unit, better in _WORKED:
            yield Entry(
                key=f"workers.{row['spaces']}.{row['workers']}.{column}",
                source="workers",
                what=f"{where}, {row['workers']} workers: {what}",
                number=row[column],
                unit=unit,
                n=row["facts"],
                noise=MEDIANS,
                better=better,
            )


_WORKED: Final = (
    ("ratio", "facts a second, to those of one", "×", Better.HIGHER),
    ("processor", "processor time of the workers", " s", Better.LOWER),
)


def soak(text: str) -> Iterator[Entry]:
    """`make soak`: how often something was tried, and failed."""
    for row in tables.rows(text):
        tried, _, unit = row["N"].partition(" ")
        yield Entry(
            key=f"soak.{row['what']}",
            source="soak",
            what=f"{row['what']}: failed, of so many {unit}",
            number=tables.number(row["failed"]),
            n=int(tables.number(tried)),
        )
