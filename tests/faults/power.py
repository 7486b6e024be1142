"""What does a power cut leave of files? All that was synced, and of what was written since any part, in any order.

From what `vfs.Disk` wrote down, `left` builds the files as they may lie there after a cut: each write that no sync
came after is there, is not, or is there up to a sector's end. Order counts for nothing, as in a disk's own cache.
"""

from __future__ import annotations

SECTOR = 512


def left(events, chance):
    """The files after the last of these events, by path; None: deleted."""
    solid: dict[str, bytearray] = {}
    loose: dict[str, list] = {}
    for event in events:
        if event.kind == "sync":
            for one in loose.pop(event.path, ()):
                _apply(solid.setdefault(event.path, bytearray()), one, None)
        elif event.kind == "delete":
            loose.pop(event.path, None)
            solid.pop(event.path, None)
        elif event.kind != "note":
            loose.setdefault(event.path, []).append(event)
    for path, waiting in loose.items():
        kept = [one for one in waiting if chance.random() < 0.5]
        chance.shuffle(kept)
        for one in kept:
            _apply(solid.setdefault(path, bytearray()), one, chance)
    return solid


def _apply(content, event, chance):
    if event.kind == "truncate":
        del content[event.offset :]
        return
    data = event.data
    if chance is not None and chance.random() < 0.2:
        data = data[: chance.randrange(len(data) // SECTOR + 1) * SECTOR]
    content.extend(bytes(max(0, event.offset + len(data) - len(content))))
    content[event.offset : event.offset + len(data)] = data
