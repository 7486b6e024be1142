"""How do files fail under a real store? A layer between SQLite and its files that fails calls, and notes the others.

SQLite reaches files through a table of functions (a VFS). `Disk` puts its own table in front of the platform's, by
ctypes, in the very library that Python's sqlite3 uses, and makes it the default while it is entered: the store opens
its files as it always does, and no line of it knows.

Left to others: what to fail and what has to hold then (the tests), what power loss leaves of a file (`power`).
"""

from __future__ import annotations

import _sqlite3
import ctypes
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_int, c_int64, c_void_p
from typing import NamedTuple

_FILE = c_void_p
# Names are addresses: SQLite keeps them, and what it reads lies behind their end.
_OPEN = CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_int, POINTER(c_int))
_DELETE = CFUNCTYPE(c_int, c_void_p, c_char_p, c_int)
_TRANSFER = CFUNCTYPE(c_int, _FILE, c_void_p, c_int, c_int64)
_TRUNCATE = CFUNCTYPE(c_int, _FILE, c_int64)
_INTEGER = CFUNCTYPE(c_int, _FILE, c_int)
_SIZE = CFUNCTYPE(c_int, _FILE, POINTER(c_int64))
_MAP = CFUNCTYPE(c_int, _FILE, c_int, c_int, c_int, c_void_p)
_SHARED_LOCK = CFUNCTYPE(c_int, _FILE, c_int, c_int, c_int)


class _Methods(Structure):
    """sqlite3_io_methods."""

    _fields_ = (
        ("version", c_int), ("close", c_void_p), ("read", _TRANSFER), ("write", _TRANSFER), ("truncate", _TRUNCATE),
        ("sync", _INTEGER), ("size", _SIZE), ("lock", _INTEGER), ("unlock", c_void_p), ("reserved", c_void_p),
        ("control", c_void_p), ("sector", c_void_p), ("device", c_void_p), ("map", _MAP), ("shared", _SHARED_LOCK),
        ("barrier", c_void_p), ("unmap", c_void_p), ("fetch", c_void_p), ("unfetch", c_void_p),
    )  # fmt: skip


class _Vfs(Structure):
    """sqlite3_vfs."""

    _fields_ = (
        ("version", c_int), ("file_size", c_int), ("longest", c_int), ("next", c_void_p), ("name", c_char_p),
        ("data", c_void_p), ("open", _OPEN), ("delete", _DELETE), ("access", c_void_p), ("full", c_void_p),
        ("loads", c_void_p * 4), ("random", c_void_p), ("sleep", c_void_p), ("time", c_void_p), ("error", c_void_p),
        ("time64", c_void_p), ("calls", c_void_p * 3),
    )  # fmt: skip


CODES = {
    "read": 266, "write": 778, "truncate": 1546, "sync": 1034, "size": 1802, "lock": 3850, "map": 5386, "shared": 5130,
    "open": 14, "delete": 2570,
}  # fmt: skip
"""What SQLite is told of each call that fails: an I/O error of its kind; an open that fails, cannot open."""
FULL = 13
_UNLOCK = 1


class Event(NamedTuple):
    """A call that changed a file, or a note of the test's own (`kind` "note")."""

    kind: str
    path: str
    offset: int = 0
    data: bytes = b""


class Disk:
    """While entered, every file that SQLite opens goes through here. One at a time.

    `fail(at)` makes the at-th call from now on fail (counted from 0), and with `stays` all calls after it; `room` is
    how many bytes may still be written before the disk is full; `events` are what was written, while `records`.
    """

    def __init__(self, *, records: bool = False) -> None:
        self.calls = 0
        self.failed: list[str] = []
        self.events: list[Event] = []
        self.room: int | None = None
        self._records = records
        self._at: int | None = None
        self._stays = False
        self._torn = False
        self._paths: dict[int, str] = {}
        self._tables: dict[int, _Methods] = {}
        self._library = ctypes.CDLL(_sqlite3.__file__)
        self._library.sqlite3_vfs_find.restype = c_void_p
        self._library.sqlite3_vfs_find.argtypes = [c_char_p]
        self._library.sqlite3_vfs_register.argtypes = [c_void_p, c_int]
        self._library.sqlite3_vfs_unregister.argtypes = [c_void_p]

    def __enter__(self):
        self._original = self._library.sqlite3_vfs_find(None)
        self._real = _Vfs.from_address(self._original)
        self._vfs = _Vfs.from_buffer_copy(self._real)
        self._name = self._vfs.name = b"stilltrue-faults"
        self._vfs.open = _OPEN(self._open)
        self._vfs.delete = _DELETE(self._delete)
        self._library.sqlite3_vfs_register(ctypes.addressof(self._vfs), 1)
        return self

    def __exit__(self, *_):
        """Files must be closed by now: what is open would call functions that are gone."""
        self._library.sqlite3_vfs_register(self._original, 1)
        self._library.sqlite3_vfs_unregister(ctypes.addressof(self._vfs))

    def fail(self, at, *, stays=False, torn=False):
        """`torn`: a write that fails has written half of it."""
        self.calls, self.failed = 0, []
        self._at, self._stays, self._torn = at, stays, torn

    def mend(self):
        self.calls, self._at, self.room = 0, None, None

    def note(self, text):
        self.events.append(Event("note", text))

    def _fails(self, kind):
        number = self.calls
        self.calls += 1
        if self._at is None or number < self._at or (number > self._at and not self._stays):
            return False
        self.failed.append(kind)
        return True

    def _record(self, *event):
        if self._records:
            self.events.append(Event(*event))

    # What SQLite calls

    def _open(self, _vfs, name, file, flags, out):
        if self._fails("open"):
            ctypes.c_void_p.from_address(file).value = None
            return CODES["open"]
        done = self._real.open(self._original, name, file, flags, out)
        methods = ctypes.c_void_p.from_address(file)
        if done == 0 and methods.value:
            self._paths[file] = ctypes.string_at(name).decode() if name else ""
            methods.value = ctypes.addressof(self._table(methods.value))
        return done

    def _delete(self, _vfs, name, folder):
        if self._fails("delete"):
            return CODES["delete"]
        self._record("delete", name.decode())
        return self._real.delete(self._original, name, folder)

    def _table(self, address):
        """Our functions over those at `address`; kept for good, for closing a file uses it once more."""
        if address not in self._tables:
            real = _Methods.from_address(address)
            ours = _Methods.from_buffer_copy(real)
            ours.write = _TRANSFER(lambda *given: self._write(real, *given))
            ours.truncate = _TRUNCATE(lambda *given: self._truncate(real, *given))
            ours.sync = _INTEGER(lambda *given: self._sync(real, *given))
            ours.shared = _SHARED_LOCK(lambda *given: self._shared(real, *given))
            for kind in ("read", "size", "lock", "map"):
                shape = dict(_Methods._fields_)[kind]
                setattr(ours, kind, shape(self._passing(kind, getattr(real, kind))))
            self._tables[address] = ours
        return self._tables[address]

    def _passing(self, kind, real):
        return lambda *given: CODES[kind] if self._fails(kind) else real(*given)

    def _shared(self, real, file, offset, count, flags):
        """Letting go of a lock does not fail: SQLite does not even look."""
        if not flags & _UNLOCK and self._fails("shared"):
            return CODES["shared"]
        return real.shared(file, offset, count, flags)

    def _write(self, real, file, data, length, offset):
        if self._fails("write"):
            if self._torn:
                real.write(file, data, length // 2, offset)
            return CODES["write"]
        if self.room is not None:
            if length > self.room:
                self.failed.append("full")
                real.write(file, data, self.room, offset)
                self.room = 0
                return FULL
            self.room -= length
        if self._records:
            self._record("write", self._paths[file], offset, ctypes.string_at(data, length))
        return real.write(file, data, length, offset)

    def _truncate(self, real, file, size):
        if self._fails("truncate"):
            return CODES["truncate"]
        self._record("truncate", self._paths[file], size)
        return real.truncate(file, size)

    def _sync(self, real, file, flags):
        if self._fails("sync"):
            return CODES["sync"]
        done = real.sync(file, flags)
        self._record("sync", self._paths[file])
        return done
