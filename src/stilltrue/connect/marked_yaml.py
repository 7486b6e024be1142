"""What stands in a YAML file, and on which line? Plain words, each of which can be found again for a message.

Answer: `read_yaml`, a `Marked` value of words, lists and mappings. Scalars stay the words that were typed, so that a
date is no moment and 1:30 no number until somebody asks (`typed`). A key that is given twice, an anchor, and whatever
is no YAML are refused with the line, and so are tags that would make objects: a file says words and nothing else.

PyYAML comes with the extra `truth` (docs/decisions/0018).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from stilltrue.errors import InvalidInputError, ModelError
from stilltrue.formats.lines import decode, is_clean

if TYPE_CHECKING:
    from collections.abc import Mapping

Place: TypeAlias = "tuple[str | int, ...]"
"""The keys and numbers that lead to a value."""

_YES: Final = {"yes": True, "on": True, "true": True, "no": False, "off": False, "false": False}
_KINDS: Final[Mapping[str, Any]] = {"bool": lambda word: _YES[word.lower()], "int": int, "float": float}
_WORDS: Final = frozenset({"str", "null", "timestamp", "value", *_KINDS})
_PREFIX: Final = "tag:yaml.org,2002:"


@dataclass(slots=True)
class Marked:
    """The value of a file: strings, None, lists and mappings. `name` is the file's, for messages."""

    name: str
    value: Any = None
    _lines: dict[Place, int] = field(default_factory=dict)
    _tags: dict[Place, str] = field(default_factory=dict)

    def line(self, *place: str | int) -> int:
        """The line (from 1) of a place, or of the nearest one around it that there is."""
        while place and place not in self._lines:
            place = place[:-1]
        return self._lines.get(place, 1)

    def wrong(self, why: object, *place: str | int) -> InvalidInputError:
        """What is wrong there, as a message that begins with file and line."""
        return InvalidInputError(f"{self.name}:{self.line(*place)}: {why}")

    def typed(self, *place: str | int) -> Any:  # noqa: ANN401 - whatever was typed
        """The value at a place, with the numbers and switches in it read as such."""
        held = self.value
        for step in place:
            held = held[step]
        if isinstance(held, dict):
            return {key: self.typed(*place, key) for key in held}
        if isinstance(held, list):
            return [self.typed(*place, number) for number in range(len(held))]
        kind = _KINDS.get(self._tags.get(place, ""))
        try:
            return held if kind is None or held is None else kind(held)
        except (KeyError, ValueError):
            return held


def read_yaml(data: bytes, name: str) -> Marked:
    """The one document of a file. Raises InvalidInputError with the line, ModelError where PyYAML is missing."""
    try:
        import yaml  # type: ignore[import-untyped]  # noqa: PLC0415 - only who reads YAML needs it
    except ImportError:
        message = "reading YAML needs PyYAML; install it with: pip install 'stilltrue[truth]'"
        raise ModelError(message) from None
    marked = Marked(name)
    try:
        text = decode(data)
        if not is_clean(text):
            raise marked.wrong("the text is no valid UTF-8; save the file as UTF-8")
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        if node is not None:
            marked.value = _value(marked, node, (), set())
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark is not None else 1
        why = f"this is no YAML ({error.problem or error.context}); put a text with signs such as ? : # into quotes"
        raise InvalidInputError(f"{name}:{line}: {why}") from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise InvalidInputError(f"{name}:{line}: this is no YAML ({error.reason})") from None
    except RecursionError:
        raise InvalidInputError(f"{name}:1: this is nested too deeply to be read") from None
    return marked


def _value(marked: Marked, node: Any, place: Place, seen: set[int]) -> Any:  # noqa: ANN401 - PyYAML is untyped
    if not isinstance(node.value, str) and id(node) in seen:
        raise marked.wrong("an alias repeats what stands elsewhere; write it out", *place)
    marked._lines[place] = node.start_mark.line + 1  # noqa: SLF001 - its own module
    kind = node.tag.removeprefix(_PREFIX)
    if isinstance(node.value, str):
        if kind not in _WORDS:
            raise marked.wrong(f"the tag {node.tag!r:.60} is not read; write plain words", *place)
        marked._tags[place] = kind  # noqa: SLF001
        return None if kind == "null" else node.value
    seen.add(id(node))
    if kind == "seq":
        return [_value(marked, item, (*place, number), seen) for number, item in enumerate(node.value)]
    if kind != "map":
        raise marked.wrong(f"the tag {node.tag!r:.60} is not read; write a plain list or mapping", *place)
    return _mapping(marked, node, place, seen)


def _mapping(marked: Marked, node: Any, place: Place, seen: set[int]) -> dict[str, Any]:  # noqa: ANN401
    held: dict[str, Any] = {}
    for key, item in node.value:
        marked._lines[*place, str(key.value)] = key.start_mark.line + 1  # noqa: SLF001
        if not isinstance(key.value, str):
            raise marked.wrong("a key is to be a word", *place)
        if key.value in held:
            raise marked.wrong(f"{key.value!r} is given twice; keep one", *place, key.value)
        held[key.value] = _value(marked, item, (*place, key.value), seen)
        marked._lines[*place, key.value] = key.start_mark.line + 1  # noqa: SLF001
    return held
