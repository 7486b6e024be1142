"""What does a person want a memory to believe? Truth tests, read from a `*.truth.yaml` file.

Answer: `read_truths`. A file names a store, or says what to remember, or both (then it is told to a copy of the store),
and lists checks, each with the line it stands on. A check asks by `query` or `slot`, as of a time where it says so, and
demands what `must_be_current` and what it `must_not_serve`; or it demands a question that `must_ask` a person. What
cannot be read is one error with file and line, and nothing of the file is run.

Left to others: YAML (`connect.marked_yaml`), events (`connect.stories`), running the checks (`connect.truth_run`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from stilltrue.connect.marked_yaml import Marked, read_yaml
from stilltrue.connect.stories import Event, read_event
from stilltrue.errors import InvalidInputError
from stilltrue.formats import fields
from stilltrue.rules.as_of import named_moment
from stilltrue.settings import Settings

if TYPE_CHECKING:
    from pathlib import Path

    from stilltrue.model.timeline import Instant

SUFFIXES: Final = (".truth.yaml", ".truth.yml")
KINDS: Final = ("must_be_current", "must_not_serve", "must_ask")

_FILE: Final = ("store", "space", "member", "now", "settings", "remember", "checks")
_EVENT: Final = ("say", "at", "author", "topic", "kind", "category", "importance")
_CHECK: Final = ("name", "query", "slot", "as_of", *KINDS, "conflict_kind")
_SLOT: Final = ("subject", "attribute")


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """One check and where it stands. `subject` and `attribute` are the slot's; texts match as `connect.checks` says."""

    name: str
    line: int
    query: str | None = None
    subject: str | None = None
    attribute: str | None = None
    as_of: str | None = None
    must_be_current: tuple[str, ...] = ()
    must_not_serve: tuple[str, ...] = ()
    must_ask: tuple[str, ...] | None = None
    conflict_kind: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Truths:
    """A file of truth tests. `settings` are laid over the defaults; `now` is the present of the checks, None for the
    time of the last event, or the real present where a store is looked at as it is.
    """

    path: Path
    store: Path | None
    space: str
    member: str | None
    now: Instant | None
    settings: Mapping[str, object]
    events: tuple[Event, ...]
    checks: tuple[Truth, ...]


def is_truths(name: str) -> bool:
    """Whether a file is one of truth tests, by its name.

    >>> is_truths("home.truth.yaml"), is_truths("home.yaml")
    (True, False)
    """
    return name.endswith(SUFFIXES)


def read_truths(path: Path) -> Truths:
    """The tests of a file. Raises InvalidInputError with file and line, OSError, ModelError where PyYAML is missing."""
    marked = read_yaml(path.read_bytes(), path.name)
    held = _mapping(marked, _FILE)
    if "store" not in held and "remember" not in held:
        raise marked.wrong("say which 'store' is tested, or what to 'remember'")
    settings = _settings(marked)
    return Truths(
        path=path,
        store=None if held.get("store") is None else path.parent / _word(marked, "store"),
        space=_word(marked, "space") if "space" in held else "default",
        member=_word(marked, "member") if "member" in held else None,
        now=_moment(marked, "now") if "now" in held else None,
        settings=settings,
        events=tuple(_event(marked, number) for number in range(len(_list(marked, "remember", needed=False)))),
        checks=tuple(_check(marked, number, settings) for number in range(len(_list(marked, "checks")))),
    )


def _at(marked: Marked, *place: str | int) -> Any:  # noqa: ANN401 - YAML
    held = marked.value
    for step in place:
        held = held[step]
    return held


def _mapping(marked: Marked, known: tuple[str, ...], *place: str | int) -> dict[str, Any]:
    held = _at(marked, *place)
    if not isinstance(held, dict):
        raise marked.wrong(f"a mapping is expected here, with {', '.join(known)}", *place)
    for key in held:
        if key not in known:
            raise marked.wrong(f"there is no {key!r} here; it is one of {', '.join(known)}", *place, key)
    return held


def _list(marked: Marked, key: str, *, needed: bool = True) -> list[Any]:
    held = marked.value.get(key)
    if held is None and not needed:
        return []
    if not isinstance(held, list) or not held:
        raise marked.wrong(f"{key!r} is to be a list with something in it", key)
    return held


def _word(marked: Marked, *place: str | int) -> str:
    held = _at(marked, *place)
    if not isinstance(held, str) or not held.strip():
        raise marked.wrong(f"{place[-1]!r} is to be a text", *place)
    return held


def _words(marked: Marked, *place: str | int) -> tuple[str, ...]:
    """A text, or a list of texts."""
    held = _at(marked, *place)
    if isinstance(held, list) and held:
        return tuple(_word(marked, *place, number) for number in range(len(held)))
    return (_word(marked, *place),)


def _moment(marked: Marked, *place: str | int) -> Instant:
    try:
        return fields.read_moment(_at(marked, *place), str(place[-1]))
    except InvalidInputError as error:
        raise marked.wrong(error, *place) from None


def _settings(marked: Marked) -> Mapping[str, object]:
    """Settings to test under. A file that came with a repository never makes an LLM be asked."""
    if marked.value.get("settings") is None:
        return {}
    held = marked.typed("settings")
    if not isinstance(held, Mapping):
        raise marked.wrong("'settings' is to be a mapping of settings and values", "settings")
    for name, value in held.items():
        if name == "llm":
            raise marked.wrong("a truth test asks no LLM; leave out 'llm'", "settings", name)
        try:
            Settings().replace({name: value})
        except InvalidInputError as error:
            raise marked.wrong(error, "settings", name) from None
    return held


def _event(marked: Marked, number: int) -> Event:
    place = ("remember", number)
    held = _mapping(marked, _EVENT, *place)
    try:
        return read_event({**held, "importance": marked.typed(*place).get("importance")}, number + 1)
    except InvalidInputError as error:
        raise marked.wrong(error, *place) from None


def _check(marked: Marked, number: int, settings: Mapping[str, object]) -> Truth:
    place = ("checks", number)
    held = _mapping(marked, _CHECK, *place)
    told: dict[str, Any] = {name: _word(marked, *place, name) for name in ("query", "as_of") if name in held}
    if "slot" in held:
        slot = _mapping(marked, _SLOT, *place, "slot")
        told |= {name: _word(marked, *place, "slot", name) for name in slot}
    told |= {kind: _words(marked, *place, kind) for kind in KINDS if kind in held}
    if "conflict_kind" in held:
        told["conflict_kind"] = _word(marked, *place, "conflict_kind")
    why = _unfit(held, told, settings)
    if why:
        raise marked.wrong(why, *place)
    name = _word(marked, *place, "name") if "name" in held else _named(told)
    return Truth(name=name, line=marked.line(*place), **told)


def _unfit(held: Mapping[str, Any], told: Mapping[str, Any], settings: Mapping[str, object]) -> str:
    """Why a check demands nothing that can be looked up; empty where it does."""
    if not any(kind in told for kind in KINDS):
        return f"a check says what it demands: {', '.join(KINDS)}"
    if "query" in held and "slot" in held:
        return "a check asks by 'query' or by 'slot', not by both"
    if "slot" in held and "subject" not in told:
        return "a slot has a 'subject'"
    if "must_ask" in told:
        beside = [name for name in ("must_be_current", "must_not_serve", "as_of") if name in held]
        return f"{beside[0]!r} and 'must_ask' are two checks; write them one after the other" if beside else ""
    if "conflict_kind" in held:
        return "'conflict_kind' says more about 'must_ask', which is not there"
    if "query" not in told and "subject" not in told:
        return "a check says what is asked: 'query', or 'slot' with a 'subject'"
    return _no_time(told.get("as_of"), settings)


def _no_time(told: str | None, settings: Mapping[str, object]) -> str:
    try:
        if told is not None:
            zone = Settings().replace(settings).timezone
            named_moment(told, "as_of", datetime.now(UTC), zone, end_of_day=True)
    except InvalidInputError as error:
        return str(error)
    return ""


def _named(told: Mapping[str, Any]) -> str:
    """A name by what is demanded, for a check that has none."""
    when = f" as of {told['as_of']}" if "as_of" in told else ""
    return ", ".join(f"{kind} {'; '.join(told[kind])}" for kind in KINDS if kind in told) + when
