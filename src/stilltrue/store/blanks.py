"""How does stored JSON lose the words in it? Four ways, for receipts, jobs, history and whatever repeats a text.

Ids, times and the words of our own stay, so that what is left can still be read back as what it was. Which rows are
emptied is `store.erase`'s business.
"""

from __future__ import annotations

import json
from typing import Any, Final

from stilltrue.rules.patterns import late
from stilltrue.store.receipts import to_json

# Keys of our own JSON whose strings are words of ours: they hold nothing that anybody said. Ids and times are known by
# their form. What is neither is emptied, so that a key nobody thought of here loses its words rather than keeps them.
_KEPT_KEYS: Final = frozenset(
    {"is", "action", "answer", "bound", "cardinality", "category", "kind", "modality", "relation", "retirement",
     "status", "tier", "type"}
)  # fmt: skip
_ID_OR_TIME: Final = late(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:.]+Z")


def emptied(judgement: dict[str, Any]) -> dict[str, Any]:
    """The judgement without the notes of its evidence."""
    evidence = [[*item[:-1], ""] for item in judgement["evidence"]]
    emptied = {**judgement, "evidence": evidence}
    if "undecided" in emptied:
        emptied["undecided"] = ""
    return emptied


def without_grounds(judgement: dict[str, Any]) -> dict[str, Any]:
    """The judgement without its evidence, and without the reason why it was left open."""
    return {name: [] if name == "evidence" else "" if name == "undecided" else item for name, item in judgement.items()}


def bare(value: Any) -> Any:  # noqa: ANN401 - JSON
    """What was given, without its words: None for each text, and lists that held any without what held it."""
    if isinstance(value, dict):
        return {name: item if name in _KEPT_KEYS else bare(item) for name, item in value.items()}
    if isinstance(value, list):
        return [item for item in value if bare(item) == item]
    return None if isinstance(value, str) and not _ID_OR_TIME.fullmatch(value) else value


def without_words(value: Any, key: str = "") -> Any:  # noqa: ANN401 - JSON
    """A payload with every string emptied that could hold what somebody said."""
    if isinstance(value, dict):
        return {name: without_words(item, name) for name, item in value.items()}
    if isinstance(value, list):
        return [without_words(item, key) for item in value]
    if not isinstance(value, str) or key in _KEPT_KEYS or _ID_OR_TIME.fullmatch(value):
        return value
    return ""


def cleaned(text: str, needles: list[str]) -> str:
    """A text, or the strings of JSON, without the erased words; as it was where it holds none."""
    if not any(needle in text or to_json(needle)[1:-1] in text for needle in needles):
        return text
    if text.startswith(("{", "[")):
        return to_json(_strings_cleaned(json.loads(text), needles))
    return ""


def _strings_cleaned(value: Any, needles: list[str]) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, dict):
        return {name: _strings_cleaned(item, needles) for name, item in value.items()}
    if isinstance(value, list):
        return [_strings_cleaned(item, needles) for item in value]
    return "" if isinstance(value, str) and any(needle in value for needle in needles) else value
