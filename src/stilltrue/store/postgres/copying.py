"""How does all that a server keeps come to lie in a file? Space by space, as records, with the vectors as they are.

Answer: `copy_into`. What another store can make again is not carried along: hashes, indexes, what a language model
answered.

Left to others: records (`store.archive`), opening either store.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stilltrue.model.archive import KeptFact

if TYPE_CHECKING:
    from stilltrue.ports import Store
    from stilltrue.store.postgres.reader import ServerReader


def copy_into(target: Store, reader: ServerReader) -> None:
    """Write every space of the snapshot into an empty store."""
    for space in reader.spaces():
        with target.write(space) as transaction:
            for record in reader.archived(space):
                vector = reader.vector(space, record.fact.id) if isinstance(record, KeptFact) else None
                transaction.restore(space, record, vector)
