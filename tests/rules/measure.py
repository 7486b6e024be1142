"""Count what each rule of the cascade is worth: `python -m tests.rules.measure CORPUS` (a folder of labelled pairs).

Reads the plain files (pn, pm, pq) whole, every second anchor of the natural ones (pl, tm, sw, cv, hd), a seeded sample
of `matrix.jsonl.gz` and the pair table, but nothing that the pair judge is chosen or tested on, and writes
`lexicon/measured.toml`. Prints precision and recall per set.
"""

import gzip
import json
import random
import sys
from collections import Counter, defaultdict
from datetime import timedelta
from functools import cache
from pathlib import Path

from stilltrue.model.verdict import CONFLICTS, Relation, Verdict
from stilltrue.rules import cascade, measured
from stilltrue.rules.pair import Common, pair_of
from tests.rules.pair_table import cases, instants
from training.pairs import part, parts

TABLE = Path(measured.__file__).parent / "lexicon" / "measured.toml"
PLAIN, NATURAL, EVERY = ("pn", "pm", "pq"), ("pl", "tm", "sw", "cv", "hd"), 2
ANCHORS, PAIRS_OF_ANCHOR, SEED = 440, 14, 7
LATER = timedelta(hours=25)
HEAD = """# What was counted of each rule: conflicts and pairs that it settled, by what the two statements have
# in common (rules.pair.Common). Written by `python -m tests.rules.measure`; not edited by hand.
"""


def pairs(corpus):
    """(set, old, new, label, instants) of every pair that is counted."""
    for name in (*PLAIN, *NATURAL):
        for number, line in enumerate((corpus / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()):
            anchor = json.loads(line)
            if part(anchor) == "train" and (name in PLAIN or number % EVERY == 0):
                for new in anchor["new"]:
                    group = "plain" if name in PLAIN else "natural"
                    yield group, anchor["existing"], new["text"], new["label"], (None, None)
    yield from (("topic", pair["old"], pair["new"], pair["label"], (None, None)) for pair in topic_pairs(corpus))
    for case in cases():
        if not case.get("needs"):
            yield "table", case["old"], case["new"], case["label"], instants(case)


def topic_pairs(corpus):
    """A seeded sample of the pairs among the statements of one anchor: few conflicts, many shared words."""
    chance, by_anchor = random.Random(SEED), defaultdict(list)
    with gzip.open(corpus / "matrix.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            pair = json.loads(line)
            if pair.get("label") and parts()[pair["anchor"]] == "train":
                by_anchor[pair["anchor"]].append(pair)
    for anchor in chance.sample(sorted(by_anchor), ANCHORS):
        found = by_anchor[anchor]
        yield from chance.sample(found, min(PAIRS_OF_ANCHOR, len(found)))


@cache
def statements(text, said_at):
    """The claims of a text, read once."""
    return cascade._statements(text, said_at)


def judge(old, new, old_at, new_at):
    """The verdict that counts, and what its two statements have in common."""
    old_at = old_at or (new_at - LATER if new_at else cascade.DEFAULT_INSTANT)
    found = [
        (cascade.judge(one, other), one, other)
        for one in statements(old, old_at)
        for other in statements(new, new_at or old_at + LATER)
    ]
    best, one, other = max(found, key=lambda entry: cascade._rank(entry[0]))
    return best, pair_of(one, other).common


def count(corpus):
    """Conflicts and pairs by rule and context, with every rule free to settle."""
    table, usual = defaultdict(lambda: defaultdict(lambda: [0, 0])), cascade.EVEN
    cascade.EVEN = 0.0
    for _, old, new, label, said in pairs(corpus):
        found, common = judge(old, new, *said)
        if isinstance(found, Verdict):
            cell = table[found.settled_by][common]
            cell[0] += Relation(label) in CONFLICTS
            cell[1] += 1
    cascade.EVEN = usual
    return table


def write(table):
    """The counts as a lexicon, each rule with the contexts it was seen in."""
    parts = [HEAD]
    for signal in sorted(table):
        rows = "".join(f"{common.value} = {table[signal][common]}\n" for common in Common if common in table[signal])
        parts.append(f'\n["{signal}"]\n{rows}')
    TABLE.write_text("".join(parts), encoding="utf-8")
    measured.lexicon.cache_clear()
    measured.worth.cache_clear()


def report(corpus):
    """Precision and recall of conflict or not, where policy retires and where it asks."""
    seen = Counter()
    for group, old, new, label, said in pairs(corpus):
        found, _ = judge(old, new, *said)
        claims = found.conflict if isinstance(found, Verdict) and found.relation in CONFLICTS else 0.0
        for level in (measured.RETIRES, measured.ASKS):
            seen[group, level, Relation(label) in CONFLICTS, claims >= level] += 1
    for group, level in sorted({key[:2] for key in seen}):
        right, wrong, missed = (seen[group, level, *key] for key in ((True, True), (False, True), (True, False)))
        share = right / max(1, right + wrong), right / max(1, right + missed)
        sys.stdout.write(f"{group:8} at {level}: precision {share[0]:.3f}, recall {share[1]:.3f}, wrong {wrong}\n")


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    write(count(folder))
    report(folder)
