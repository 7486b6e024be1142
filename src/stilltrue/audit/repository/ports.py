"""Does something listen on the port that a claim names? Compose files, `.env.example` and EXPOSE tell.

Wrong is a port that no file names at all, where the files name others for the very service that is spoken of, or, for
"the app" and its like, one and the same port throughout.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from stilltrue.audit.repository.proof import Proof, Witness
from stilltrue.rules.text import tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from stilltrue.audit.repository.saying import Saying
    from stilltrue.audit.repository.tree import Tree

_COMPOSE: Final = ("docker-compose*.yml", "docker-compose*.yaml", "compose.yml", "compose.yaml")
_ENV: Final = (".env.example", ".env.sample", ".env.template", ".env.dist")
_SETTING: Final = re.compile(
    r"^[ \t]*(?:export[ \t]+)?(?:([A-Z][A-Z0-9_]*)_)?PORT[ \t]*=[ \t]*[\"']?(\d{2,5})\b", re.MULTILINE
)
_EXPOSE: Final = re.compile(r"^[ \t]*EXPOSE[ \t]+(\d{2,5})", re.MULTILINE | re.IGNORECASE)
_SETTINGS: Final = (
    "*.yml", "*.yaml", "*.toml", "*.json", "*.ini", "*.cfg", "*.conf", "*.properties", "*.config.*", "*.env*", ".env*",
    "Dockerfile*", "*.Dockerfile", "Containerfile", "Procfile", "Makefile", "justfile",
)  # fmt: skip
"""Files in which a port may stand: a claim is wrong only where none of them names it."""
_LOCKS: Final = re.compile(r"(?:^|/)(?:[\w.-]*[.-]lock(?:\.\w+)?|npm-shrinkwrap\.json)$")
_NUMBER: Final = re.compile(r"(?<![\d.])\d{2,5}(?!\d)(?!\.\d)")
MOST_SETTINGS: Final = 500
_KEY: Final = re.compile(r"^( *)([A-Za-z0-9_.-]+):\s*(?:#.*)?$")
_MAPPED: Final = re.compile(
    r"^\s*-\s*[\"']?(?:\d+\.\d+\.\d+\.\d+:)?(?:(\d{2,5}):)?(\d{2,5})(?:/tcp)?[\"']?\s*(?:#.*)?$"
)
_SAID: Final = re.compile(
    r"\b(?:port[s:]?(?:\s+(?:is|number))?\s*`?|localhost:|127\.0\.0\.1:|0\.0\.0\.0:)(\d{2,5})\b", re.IGNORECASE
)
_APP: Final = frozenset({"app", "application", "server", "api", "backend", "service", "we", "it", "project", "user"})
_OTHER: Final = re.compile(
    r"\b(?:dev|development|debug\w*|metrics|admin|preview|storybook|test|staging|prod\w*)\b", re.IGNORECASE
)
_DATABASES: Final = {"postgres": "db", "postgresql": "db", "mysql": "db", "database": "db", "mariadb": "db"}


@dataclass(frozen=True, slots=True)
class _Told:
    """A port that a file names, for the service `name` ("" for the app itself)."""

    name: str
    port: int
    witness: Witness


def told_ports(tree: Tree) -> list[_Told]:
    """All ports that files of the repository name."""
    found = [told for file in tree.named(*_COMPOSE) for told in _composed(tree.text(file) or "", file)]
    for patterns, rule, named in ((_ENV, _SETTING, True), (("Dockerfile", "Dockerfile.*"), _EXPOSE, False)):
        for file in tree.named(*patterns):
            text = tree.text(file) or ""
            for hit in rule.finditer(text):
                name, port = ((hit[1] or "").lower(), hit[2]) if named else ("", hit[1])
                line = text.count("\n", 0, hit.end()) + 1
                found.append(_Told(name, int(port), Witness(file, line, hit[0].strip()[:80])))
    return found


def prove(saying: Saying, ports: Sequence[_Told], tree: Tree) -> Iterator[Proof]:
    """What the files say of the ports that a claim names."""
    if not saying.outright or not ports:
        return
    numbers = list(dict.fromkeys(int(found) for found in _SAID.findall(saying.words)))
    slot, value = saying.claim.statement.slot, saying.claim.statement.value
    if not numbers and slot.attribute == "port" and value is not None and value.text.isdigit():
        numbers = [int(value.text)]
    if len(numbers) != 1:
        return
    said = f"port {numbers[0]}"
    for told in ports:
        if told.port == numbers[0]:
            yield Proof(holds=True, topic="port", said=said, witness=told.witness)
            return
    about = _about(saying, ports)
    if about and not _is_named(numbers[0], tree):
        because = f"{about[0].witness.file} names port {about[0].port}, and no file names {numbers[0]}"
        yield Proof(holds=False, topic="port", said=said, witness=about[0].witness, because=because, confidence=0.9)


def _is_named(port: int, tree: Tree) -> bool:
    """Whether some other file that sets things up names the port, in whatever way; so too where there are too many."""
    files = [file for file in tree.named(*_SETTINGS) if not _LOCKS.search(file)]
    return len(files) > MOST_SETTINGS or any(str(port) in _NUMBER.findall(tree.text(file) or "") for file in files)


def _about(saying: Saying, ports: Sequence[_Told]) -> list[_Told]:
    """What is told of the service that a claim speaks of; nothing where that is not plain."""
    subject = saying.claim.statement.slot.subject
    words = set(tokens(subject)) | {_DATABASES[word] for word in tokens(subject) if word in _DATABASES}
    named = [told for told in ports if told.name and words & set(tokens(told.name.replace("_", " ").replace("-", " ")))]
    if named:
        return named
    own = [told for told in ports if not told.name]
    plain = words <= _APP | {"the", "our", "main"} and bool(words & _APP) and not _OTHER.search(saying.words)
    return own if plain and len({told.port for told in own}) == 1 else []


def _composed(text: str, file: str) -> Iterator[_Told]:
    """The ports of a compose file's services, by the indentation of its lines."""
    service, listing, level = "", False, -1
    in_services = False
    for number, line in enumerate(text.splitlines(), start=1):
        key = _KEY.match(line)
        if key and not key[1]:
            in_services, service, level = key[2] == "services", "", -1
        elif key and in_services and (level < 0 or len(key[1]) == level):
            service, level, listing = key[2], len(key[1]), False
        elif key:
            listing = key[2] == "ports"
        elif listing and service:
            mapped = _MAPPED.match(line)
            listing = mapped is not None or not line.strip() or line.lstrip().startswith("#")
            for port in filter(None, mapped.groups() if mapped else ()):
                yield _Told(service, int(port), Witness(file, number, line.strip()[:80]))
        elif line.strip() and not line.startswith(" "):
            in_services = False
