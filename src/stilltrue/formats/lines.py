"""How is a file that anybody may have written read without stumbling over it?

Answers: `decode`, `byte_lines`, `json_lines`, `json_records` and `json_lists`. A bad line or item becomes a `LineError`
with its number and what to do; what stands beside it is still read. What the objects mean is left to the formats.
"""

from __future__ import annotations

import io
import json
import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NoReturn

from stilltrue.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST_LINE: Final = 8 * 1024 * 1024
"""Bytes of one line; a longer one is no statement but a file without line breaks, and is passed over."""

_SURROGATE: Final = re.compile(r"[\ud800-\udfff]")
_SPACE: Final = re.compile(r"[ \t\r\n]*")
_WIDE_MARKS: Final = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class LineError:
    """What is wrong at `line` (from 1), and the remedy."""

    line: int
    message: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.message}"


def decode(data: bytes) -> str:
    """The text of a file: BOM dropped; bytes that are no UTF-8 kept as lone surrogates, for `is_clean` to find.

    Raises InvalidInputError for UTF-16 and for binary data.
    """
    if data.startswith(_WIDE_MARKS):
        raise InvalidInputError("the file is UTF-16; save it as UTF-8")
    if b"\x00" in data:
        raise InvalidInputError("the file is binary, not text; give a text, Markdown or JSON file")
    return data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", errors="surrogateescape")


def is_clean(text: str) -> bool:
    r"""Whether the text can be stored: no half of a surrogate pair, which is also how broken UTF-8 shows.

    >>> is_clean("Zürich"), is_clean("Z\udcfcrich")
    (True, False)
    """
    return _SURROGATE.search(text) is None


def byte_lines(stream: BinaryIO, longest: int = LONGEST_LINE) -> Iterator[tuple[int, bytes | LineError]]:
    """The lines of a stream with their numbers, one in memory at a time."""
    number = 0
    while line := stream.readline(longest + 1):
        number += 1
        if len(line) <= longest:
            yield number, line
            continue
        while line and not line.endswith(b"\n"):
            line = stream.readline(longest)
        yield number, LineError(number, f"longer than {longest} bytes; is a line break missing?")


def json_lines(stream: BinaryIO) -> Iterator[tuple[int, dict[str, Any] | LineError]]:
    """The objects of a JSONL stream with their line numbers; blank lines are passed over."""
    for number, line in byte_lines(stream):
        if isinstance(line, LineError):
            yield number, line
            continue
        try:
            text = decode(line if number == 1 else line.removeprefix(b"\xef\xbb\xbf")).strip()
            if text:
                yield number, as_object(parse(text))
        except InvalidInputError as error:
            yield number, LineError(number, str(error))


def parse(text: str) -> object:
    """The JSON value of a text. Raises InvalidInputError for anything outside the standard (NaN among it)."""
    try:
        value = _DECODER.decode(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInputError(_reason(error)) from None
    _check_clean(value, text)
    return value


def as_object(value: object) -> dict[str, Any]:
    """The value, if it is a JSON object. Raises InvalidInputError, for a LineError with its own words."""
    if isinstance(value, LineError):
        raise InvalidInputError(value.message)
    if not isinstance(value, dict):
        raise InvalidInputError(f"a JSON object is expected, not {_name(value)}")
    return value


def json_records(text: str, *keys: str) -> Iterator[tuple[int, object]]:
    """The items of a JSON list, of the list under one of `keys` in a JSON object, or of JSONL: with line numbers.

    One object over several lines is one item.
    """
    cursor = _Cursor(text)
    try:
        held = cursor.peek() == "[" or (cursor.peek() == "{" and cursor.enter(keys))
    except InvalidInputError:
        held = False
    if held:
        return _items(_Cursor(text), keys)
    alone = one_object(text)
    if alone is not None:
        return iter([(1, alone)])
    return json_lines(io.BytesIO(text.encode("utf-8", errors="surrogatepass")))


def one_object(text: str) -> dict[str, Any] | None:
    """The JSON object that a text is, and nothing else; None for any other text."""
    if not text.lstrip().startswith("{"):
        return None
    try:
        value = parse(text)
    except InvalidInputError:
        return None
    return value if isinstance(value, dict) else None


def _items(cursor: _Cursor, keys: tuple[str, ...]) -> Iterator[tuple[int, object]]:
    """Where the list breaks off, the last item is a LineError; everything before it has been yielded."""
    inside = cursor.peek() == "{"
    try:
        if inside:
            cursor.enter(keys)
        yield from cursor.items()
        if inside:
            cursor.leave()
        cursor.expect("")
    except InvalidInputError as error:
        yield cursor.line, LineError(cursor.line, f"{error}; nothing from here on was read")


def json_lists(text: str, *keys: str) -> Iterator[tuple[int, object]]:
    """As `json_records`, but for all lists under `keys` of a JSON object, also those that stand in an object there."""
    cursor = _Cursor(text)
    if not _holds_lists(text, keys):
        yield from json_records(text, *keys)
        return
    try:
        for key in cursor.members():
            if key in keys and cursor.peek() == "{":
                for _ in cursor.members():
                    yield from cursor.items()
            elif key in keys:
                yield from cursor.items()
            else:
                cursor.value()
        cursor.expect("")
    except InvalidInputError as error:
        yield cursor.line, LineError(cursor.line, f"{error}; nothing from here on was read")


def _holds_lists(text: str, keys: tuple[str, ...]) -> bool:
    """Whether a text begins as an object that has a list, or an object, under one of `keys`."""
    cursor = _Cursor(text)
    if cursor.peek() != "{":
        return False
    try:
        for key in cursor.members():
            if key in keys and cursor.peek() in ("[", "{"):
                return True
            cursor.value()
    except InvalidInputError:
        pass
    return False


class _Cursor:
    """A place in a JSON text. Reads forward only; `line` is where it stands."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.line = 1

    def _advance(self, end: int) -> None:
        self.line += self.text.count("\n", self.at, end)
        self.at = end

    def peek(self) -> str:
        """The next sign that is no space; empty at the end."""
        space = _SPACE.match(self.text, self.at)
        self._advance(space.end() if space else self.at)
        return self.text[self.at : self.at + 1]

    def expect(self, sign: str) -> None:
        """Pass over `sign` (empty: the end of the text). Raises InvalidInputError where something else stands."""
        found = self.peek()
        if found != sign:
            raise InvalidInputError(f"{_sign(sign)} is expected here, not {_sign(found)}")
        self._advance(self.at + len(sign))

    def value(self) -> object:
        """The value that starts here. An item that cannot be stored is given back as a LineError."""
        self.peek()
        try:
            found, end = _DECODER.raw_decode(self.text, self.at)
        except (ValueError, RecursionError) as error:
            if isinstance(error, json.JSONDecodeError):
                self._advance(error.pos)
            raise InvalidInputError(_reason(error)) from None
        line, raw = self.line, self.text[self.at : end]
        self._advance(end)
        try:
            _check_clean(found, raw)
        except InvalidInputError as error:
            return LineError(line, str(error))
        return found

    def members(self) -> Iterator[object]:
        """The keys of the object that starts here; who asks for the next one has passed over the value of the last."""
        self.expect("{")
        while self.peek() != "}":
            key = self.value()
            self.expect(":")
            yield key
            if self.peek() != "}":
                self.expect(",")
        self.expect("}")

    def items(self) -> Iterator[tuple[int, object]]:
        """The items of the list that starts here, with their lines; a value that is no list is one item."""
        if self.peek() != "[":
            yield self.line, self.value()
            return
        self.expect("[")
        while self.peek() != "]":
            line, value = self.line, self.value()
            yield line, value
            if self.peek() != "]":
                self.expect(",")
        self.expect("]")

    def enter(self, keys: tuple[str, ...]) -> bool:
        """Walk into an object, up to the list under one of `keys`; whether there is one."""
        self.expect("{")
        while self.peek() == '"':
            key = self.value()
            self.expect(":")
            if key in keys and self.peek() == "[":
                return True
            self.value()
            if self.peek() == ",":
                self.expect(",")
        return False

    def leave(self) -> None:
        """Walk through what is left of an object, and out of it."""
        while self.peek() == ",":
            self.expect(",")
            self.value()
            self.expect(":")
            self.value()
        self.expect("}")


def _sign(sign: str) -> str:
    return repr(sign) if sign else "the end of the file"


def _reason(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "nested too deeply to be a record"
    if isinstance(error, json.JSONDecodeError):
        return f"no valid JSON ({error.msg}, column {error.colno})"
    return f"no valid JSON ({error})"


def _check_clean(value: object, raw: str) -> None:
    suspect = not is_clean(raw) or "\\ud" in raw or "\\uD" in raw
    if suspect and not is_clean(json.dumps(value, ensure_ascii=False)):
        raise InvalidInputError("the text is no valid UTF-8; save the file as UTF-8")


def _name(value: object) -> str:
    names = {list: "a list", str: "a string", bool: "a truth value", type(None): "null"}
    return names.get(type(value), "a number")


def _refuse(word: str) -> NoReturn:
    message = f"{word} is no JSON value; leave the field out or write null"
    raise ValueError(message)


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        _refuse(text[:40])
    return number


_DECODER: Final = json.JSONDecoder(parse_constant=_refuse, parse_float=_finite)
