"""How do everybody's memories move from Mem0 to where its calls find them? Each into the owner's space, with metadata.

What a record says is read by `importers.mem0`; here it is only dealt out. Loading a file again adds what is new.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from stilltrue.connect import attached
from stilltrue.connect.importers import import_data
from stilltrue.connect.importers.mem0 import origin_of
from stilltrue.connect.mem0_calls import owner_of
from stilltrue.connect.mem0_shelf import FAMILY, Shelf
from stilltrue.errors import InvalidInputError
from stilltrue.formats.lines import decode, json_records
from stilltrue.formats.mem0 import flat

if TYPE_CHECKING:
    from pathlib import Path

    from stilltrue.connect.importers import ImportReport
    from stilltrue.connect.mem0_shelf import Owner
    from stilltrue.memory import Memory


def load(memory: Memory, path: Path, user_id: str | None) -> dict[str, ImportReport]:
    """Import a file; a report for each space. Raises InvalidInputError for what cannot be read or belongs to nobody."""
    try:
        text = decode(path.read_bytes())
    except OSError as error:
        raise InvalidInputError(f"cannot read {path}: {error.strerror or error}; check its name") from None
    reports = {}
    for owner, items in _dealt_out(text, user_id).items():
        own = memory.in_space(owner.space, memory.member)
        lines = "\n".join(json.dumps(item) for item in items)
        reports[owner.space] = import_data(own, lines.encode(), name=path.name, format="mem0")
        for item in items:
            _keep_metadata(own, owner, item)
    return reports


def _dealt_out(text: str, user_id: str | None) -> dict[Owner, list[dict[str, Any]]]:
    """Records by owner. A row of a history belongs to the owner of its memory, where the file has that."""
    found: dict[Owner, list[dict[str, Any]]] = {}
    owners: dict[str, Owner] = {}
    rows = []
    for line, item in json_records(text, "results", "memories", "history"):
        if not isinstance(item, dict):
            raise InvalidInputError(f"line {line} of the export holds no object; nothing was loaded")
        item = flat(item)  # noqa: PLW2901 - the same record, its fields side by side
        if "memory_id" in item and "event" in item:
            rows.append(item)
            continue
        ids = [item.get(name) for name in ("user_id", "agent_id", "run_id")]
        owner = owner_of(*ids) if any(ids) else owner_of(user_id, None, None)
        owners[str(item.get("id"))] = owner
        found.setdefault(owner, []).append(item)
    for row in rows:
        owner = owners.get(str(row["memory_id"])) or owner_of(user_id, None, None)
        found.setdefault(owner, []).append(row)
    return found


def _keep_metadata(own: Memory, owner: Owner, item: dict[str, Any]) -> None:
    about = {name: item[name] for name in ("metadata", "actor_id", "role") if item.get(name)}
    if not about or not isinstance(item.get("memory"), str):
        return
    with own.engine.store.read() as reader:
        said = reader.episode_of_origin(own.space, origin_of(item.get("id"), item["memory"]))
        facts = [] if said is None else attached.facts_of(reader, own, said.id)
        shelf = Shelf(reader, own, owner)
        names = {shelf.first(fact).id for one in facts if (fact := shelf.fact(one)) is not None}
        new = [name for name in names if not shelf.about(name)]
    for name in new:
        attached.keep(own, FAMILY, name, attached.new_tag(own), about)
