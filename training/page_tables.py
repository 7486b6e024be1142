"""Which tables show the figures of an evaluation? Each function turns a part of the JSON into lines of Markdown.

Left to others: where the figures come from (``training.evaluate``), the page around the tables (``training.report``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from training.figures import Json
from training.markdown import NOTHING, counted, number, percent, quoted, share, signed, table

WAY_NAMES: Final = {"rules": "rules alone", "model": "pair model alone", "both": "**both, as it ships**"}
KINDS: Final = ("hard", "plain", "families")


def kinds_in(result: Json) -> list[str]:
    """The kinds of pairs that were measured, in the usual order."""
    return [kind for kind in KINDS if kind in result["kinds"]]


def sizes(results: Sequence[Json]) -> list[str]:
    """How many pairs there are of what."""
    rows = [
        [f"{result['part']}, {kind}", f"{both['pairs']:,}", f"{both['conflicts']:,}", f"{result['anchors'][kind]:,}"]
        for result in results
        for kind in kinds_in(result)
        for both in [result["kinds"][kind]["both"]]
    ]
    return table(["part", "pairs", "of them conflicts", "existing statements"], rows)


def main_table(result: Json) -> list[str]:
    """Every way of judging on every kind of pairs."""
    rows = [
        [
            f"{kind}: {words}",
            *(share(found[name]) for name in ("precision", "recall", "f1")),
            percent(found["false_alarms"]["share"]),
            *(number(found[name]) for name in ("macro_f1", "auc")),
            number(found["ece"], 3),
        ]
        for kind in kinds_in(result)
        for way, words in WAY_NAMES.items()
        for found in [result["kinds"][kind][way]]
    ]
    headings = ["pairs: judged by", "precision", "recall", "F1", "false alarms", "macro-F1", "AUC", "ECE"]
    return table(headings, rows)


def fresh(result: Json) -> list[str]:
    """The written pairs that no earlier judge was measured on."""
    rows = [
        [f"{kind}: {words}", f"{found['pairs']:,}", *(share(found[name]) for name in ("precision", "recall", "f1"))]
        for kind, ways in result["fresh"].items()
        for way, words in WAY_NAMES.items()
        for found in [ways[way]]
    ]
    return table(["pairs: judged by", "pairs", "precision", "recall", "F1"], rows)


def beside_peers(result: Json, peers: Json) -> list[str]:
    """Our rows over the ones of others, which are from other pairs."""

    def triple(found: Json | None, read: Any) -> str:  # noqa: ANN401 (a way to look a number up)
        return NOTHING if found is None else " / ".join(number(read(found, n)) for n in ("precision", "recall", "f1"))

    rows = [
        [
            f"stilltrue, {WAY_NAMES[way]}",
            *(triple(result["kinds"][k][way], lambda f, n: f[n]["share"]) for k in KINDS[:2]),
        ]
        for way in ("rules", "both")
    ]
    rows += [[quoted(row["who"]), *(triple(row[k], lambda f, n: f[n]) for k in KINDS[:2])] for row in peers["rows"]]
    return table(["precision / recall / F1 of conflicts", "hard", "plain"], rows)


def confusion(found: Json) -> list[str]:
    """What was said of each label."""
    said = list(next(iter(found["confusion"].values())))
    rows = [
        [label, *(f"**{count:,}**" if word == label else f"{count:,}" for word, count in counts.items())]
        for label, counts in found["confusion"].items()
    ]
    return table(["label \\ said", *said], rows)


def retired(result: Json) -> list[str]:
    """What is retired without asking, and how often wrongly."""
    rows = [
        [
            kind,
            f"{found['precision']['of']:,}",
            share(found["precision"]),
            f"{found['wrong']['hits']:,}",
            percent(found["wrong_at_most"]),
            share(found["recall"]),
            counted(result["kinds"][kind]["both"]["asked"]),
        ]
        for kind in kinds_in(result)
        for found in [result["kinds"][kind]["both"]["retire"]]
    ]
    headings = ["pairs", "retired", "rightly", "wrongly", "wrong at most", "of all conflicts", "questions"]
    return table(headings, rows)


def thresholds(rows: Sequence[Json]) -> list[str]:
    """What another threshold would do."""
    return table(
        ["threshold", "precision", "recall", "F1", "wrong", "missed", "questions per 100 pairs"],
        (
            [
                number(row["threshold"]),
                *(number(row[name]["share"], 3) for name in ("precision", "recall", "f1")),
                f"{row['precision']['of'] - row['precision']['hits']:,}",
                f"{row['recall']['of'] - row['recall']['hits']:,}",
                number(100 * (row["asked"]["share"] or 0), 1),
            ]
            for row in rows
        ),
    )


def knobs(result: Json) -> list[str]:
    """What the product's settings come to, in wrong and missed retirements."""
    policy, rows = result["policy"], []
    for kind in kinds_in(result):
        both = result["kinds"][kind]["both"]
        retire, again = both["retire"], both["reinforce"]
        missed = retire["recall"]["of"] - retire["recall"]["hits"]
        never = both["recall"]["of"] - both["recall"]["hits"]
        rows.append([
            kind, f"{retire['wrong']['hits']:,}", f"{missed:,}", f"{missed - never:,}", f"{both['asked']['hits']:,}",
            f"{again['precision']['of'] - again['precision']['hits']:,} of {again['precision']['of']:,}",
            f"{again['lost']['hits']:,}",
        ])  # fmt: skip
    headings = [
        f"pairs, at {policy['contradiction_threshold']} and {policy['supersession_min_confidence']}",
        "wrongly retired",
        "not retired",
        f"of these asked, at {policy['ask_threshold']}",
        "questions in all",
        f"wrongly taken for restatements, at {policy['reinforce_threshold']}",
        "of these conflicts, lost",
    ]
    return table(headings, rows)


def groups(what: str, rows: Sequence[Json]) -> list[str]:
    """Recall, false alarms and wrong retirements of each trap, language or source."""
    return table(
        [what, "pairs", "recall", "false alarms", "retired wrongly"],
        (
            [
                quoted(row["name"]).replace("&#95;", " "),
                f"{row['pairs']:,}",
                counted(row["recall"]),
                counted(row["false_alarms"]),
                counted(row["wrong_retirements"]),
            ]
            for row in rows
        ),
    )


def ablation(result: Json) -> list[str]:
    """How F1 and wrong retirements move when a part is switched off."""
    kinds = kinds_in(result)
    base = {kind: result["kinds"][kind]["both"] for kind in kinds}
    headings = ["switched off", *(f"{kind}: F1" for kind in kinds), *(f"{kind}: wrongly retired" for kind in kinds)]
    rows = [_moved("all rules", {kind: _alone(result["kinds"][kind]["model"]) for kind in kinds}, base)]
    rows.append(_moved("the pair model", {kind: _alone(result["kinds"][kind]["rules"]) for kind in kinds}, base))
    for row in result["ablation"]:
        if any(row[kind]["changed"] for kind in kinds):
            name = row["off"] if row["whole_step"] else f"– {row['off'].partition(': ')[2]}"
            rows.append(_moved(name, {kind: row[kind] for kind in kinds}, base))
    return table(headings, rows)


def _alone(found: Json) -> Json:
    return {"f1": found["f1"], "wrong_retirements": found["retire"]["false_alarms"]}


def _moved(name: str, kinds: dict[str, Json], base: dict[str, Json]) -> list[str]:
    shares = [signed((found["f1"]["share"] or 0) - (base[kind]["f1"]["share"] or 0)) for kind, found in kinds.items()]
    wrong = [found["wrong_retirements"]["hits"] - base[k]["retire"]["wrong"]["hits"] for k, found in kinds.items()]
    return [name, *shares, *(signed(count, 0) for count in wrong)]


def silent(result: Json) -> list[str]:
    """What can be switched off without any change to a judgement; of a step of which that is so, not each rule too."""
    kinds = kinds_in(result)
    quiet = [row["off"] for row in result["ablation"] if not any(row[kind]["changed"] for kind in kinds)]
    return [name for name in quiet if ":" not in name or name.partition(":")[0] not in quiet]


def learning(rows: Sequence[Json]) -> list[str]:
    """The learning curve, whatever columns its file has."""
    columns = list(dict.fromkeys(name for row in rows for name in row))

    def cell(value: object) -> str:
        if isinstance(value, bool) or value is None:
            return NOTHING if value is None else str(value)
        if isinstance(value, float):
            return number(value, 3)
        return f"{value:,}" if isinstance(value, int) else quoted(str(value))

    return table([quoted(c).replace("&#95;", " ") for c in columns], ([cell(r.get(c)) for c in columns] for r in rows))


def errors(rows: Sequence[Json]) -> Iterator[str]:
    """The surest errors, word for word."""
    for row in rows:
        trap = f", {row['trap'].replace('_', ' ')}" if row["trap"] else ""
        yield (
            f"- “{quoted(row['old'])}” → “{quoted(row['new'])}”: is {row['label']}, said {row['said']} "
            f"(conflict {number(row['conflict'])}, by {quoted(row['by'] or 'nobody')}{trap})"
        )
    yield ""
