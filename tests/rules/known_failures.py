"""Write down which pairs of the table the rules get wrong: `python -m tests.rules.known_failures`."""

import json
import sys

from stilltrue.model.verdict import Verdict
from tests.rules.pair_table import KNOWN_FILE, cases, judged, right_on_conflict, right_on_relation, wrongly_retires


def why(found):
    """One line for the list."""
    if isinstance(found, Verdict):
        return f"{found.settled_by}: says {found.relation.value}, conflict {found.conflict}"
    return "no rule sees it: left undecided"


def main():
    """Judge the whole table and write the list anew."""
    known = {"conflict": {}, "relation": {}, "wrong_retirements": {}}
    for case in cases():
        found = judged(case)
        checks = {"conflict": right_on_conflict, "relation": right_on_relation} if not case.get("needs") else {}
        for kind, right in checks.items():
            if not right(case, found):
                known[kind][case["id"]] = why(found)
        if wrongly_retires(case, found):
            known["wrong_retirements"][case["id"]] = why(found)
    KNOWN_FILE.write_text(json.dumps(known, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    sys.stdout.write(f"{ {kind: len(found) for kind, found in known.items()} }\n")


if __name__ == "__main__":
    main()
