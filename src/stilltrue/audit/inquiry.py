"""How does an audit go as a whole? Files are found, read and compared; then what the asker wants to see of it is told.

Answer: `inquire`. The options that were given outrank the project's configuration. Everything is compared that loads
together; `changed` only says which findings are told. Left to others: finding files (`audit.places`), the findings
(`audit.run`), showing an answer (`audit.as_json`, `audit.sarif`, `faces`), mending (`audit.fixing`).
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stilltrue.audit.baseline import Baseline, Looked, baseline_to_renew, fingerprints, read_baseline
from stilltrue.audit.changed import changed_files
from stilltrue.audit.configuration import Configuration
from stilltrue.audit.expected import Score, read_expected, score
from stilltrue.audit.fixing import borne_out
from stilltrue.audit.git import repository_of
from stilltrue.audit.places import find_files
from stilltrue.audit.reading import read_claims
from stilltrue.audit.repository import Examined, examine
from stilltrue.audit.run import audit_sources
from stilltrue.audit.sources import read_sources
from stilltrue.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from stilltrue.audit.findings import Finding, Report
    from stilltrue.audit.sources import Sources
    from stilltrue.ports import Embedder, Expert, PairModel
    from stilltrue.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked; None where the configuration decides. `here` is where the asker stands."""

    here: Path
    paths: tuple[Path, ...] = ()
    configuration: Configuration = field(default_factory=Configuration)
    expected: Path | None = None
    baseline: Path | None = None
    write_baseline: Path | None = None
    changed: str | None = None
    min_confidence: float | None = None
    repo: bool = False

    def __post_init__(self) -> None:
        if self.changed is not None and self.write_baseline is not None:
            message = "a baseline is of all findings; give --changed or --write-baseline, not both"
            raise InvalidInputError(message)
        if self.min_confidence is not None and not 0 <= self.min_confidence <= 1:
            message = f"--min-confidence is to be a number from 0 to 1, and is {self.min_confidence}"
            raise InvalidInputError(message)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """`report` has what is to be told; names in it are relative to `root`. `fingerprints` are by the findings' `id`.

    `contents`: the files as they were read, by name. `gone`: what the baseline knows and no longer occurs. `known`:
    what a baseline of this audit would know. `present`: the fingerprints of all findings, told or not; `looked`: where
    the audit looked. `examined`: what the repository's own files proved, where that was asked.
    """

    report: Report
    root: Path
    fingerprints: Mapping[int, str]
    contents: Mapping[str, tuple[Path, bytes]]
    known: Mapping[str, Finding]
    looked: Looked
    present: frozenset[str] = frozenset()
    gone: Sequence[Mapping[str, Any]] = ()
    score: Score | None = None
    examined: Examined | None = None

    @property
    def exit_status(self) -> int:
        """1 with findings that are more than notes, 2 where a file could not be read, else 0."""
        if self.report.fails:
            return 1
        return 2 if self.report.skipped else 0


def inquire(
    question: Question,
    *,
    settings: Settings,
    pair_model: PairModel | None,
    embedder: Embedder,
    expert: Expert | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Answer:
    """Audit. Raises InvalidInputError where something that was named cannot be used, or nothing is there to audit."""
    files = _files(question)
    root = root_of(files, question)
    baseline = _baseline(question)
    if question.write_baseline is not None:
        baseline_to_renew(question.write_baseline)
    touched = None if question.changed is None else changed_files(root, question.changed)
    if touched is not None and not any(file.resolve() in touched for file in files):
        files = []
    sources = read_sources((name_of(file, root), file) for file in files)
    contents = {source.name: (source.path, source.data) for source in sources.read}
    report = audit_sources(
        sources, settings=settings, pair_model=pair_model, embedder=embedder, expert=expert, progress=progress
    )
    report = replace(report, findings=tuple(borne_out(report.findings, contents)))
    examined = _examined(question, sources, root, settings)
    if examined is not None:
        report = replace(report, findings=_in_order([*report.findings, *examined.findings]))
    return _told(question, report, root, contents, baseline, touched, examined)


def write_baseline(answer: Answer, file: Path) -> int:
    """Let a file know the findings of an audit, and keep what others wrote into it; how many it knows now."""
    now = baseline_to_renew(file).renewed(answer.known, answer.present, answer.looked)
    now.write(file)
    return len(now.entries)


def root_of(files: Sequence[Path], question: Question) -> Path:
    """The folder that names are relative to: the repository's, the configuration's, or where the asker stands."""
    here = question.here.resolve()
    folders = [str(file.absolute().parent) for file in files]
    common = Path(os.path.commonpath(folders)) if folders else here
    start = here if common.is_relative_to(here) else common
    home = question.configuration.folder
    if home is not None and not start.is_relative_to(home):
        home = None
    return repository_of(start) or home or start


def name_of(file: Path, root: Path) -> str:
    """What a report calls a file."""
    place = file.absolute()
    return str(place.relative_to(root)) if place.is_relative_to(root) else str(place)


def _files(question: Question) -> list[Path]:
    own = question.configuration
    asked = [question.here / path for path in question.paths]
    if not asked and own.folder is not None:
        asked = [own.folder / path for path in own.paths]
    places = [Path(os.path.normpath(place)) for place in asked or [question.here]]
    labelled = _labelled(question, [place for place in places if place.is_dir()])
    files = find_files([*places, *labelled], excluded=own.excluded)
    if not files:
        among = ", ".join(str(place) for place in places)
        message = f"{among}: there is no memory file in there; name the files to audit"
        raise InvalidInputError(message)
    return files


def _labelled(question: Question, folders: Sequence[Path]) -> list[Path]:
    """Files that the labels name inside the folders that are audited, whatever they are called."""
    if question.expected is None:
        return []
    expected = read_expected(question.here / question.expected)
    named = {name for one in expected for name in (one.file, one.other_file)}
    bases = (question.here, (question.here / question.expected).parent, *folders)
    found = {Path(os.path.normpath(base / name)) for name in named for base in bases if (base / name).is_file()}
    return sorted(file for file in found if any(file.is_relative_to(folder) for folder in folders))


def _baseline(question: Question) -> Baseline:
    own = question.configuration
    if question.baseline is not None:
        return read_baseline(question.here / question.baseline)
    if own.baseline is not None and own.folder is not None and question.write_baseline is None:
        return read_baseline(own.folder / own.baseline)
    return Baseline()


def _examined(question: Question, sources: Sources, root: Path, settings: Settings) -> Examined | None:
    if not (question.repo or question.configuration.repo):
        return None
    claims = []
    for source in sources.read:
        claims += read_claims(source.name, source.text, saved_at=None, settings=settings)
    return examine(claims, root)


def _in_order(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    return tuple(sorted(findings, key=lambda one: (one.here.file, one.here.line, one.there.file, one.there.line)))


def _told(
    question: Question,
    report: Report,
    root: Path,
    contents: Mapping[str, tuple[Path, bytes]],
    baseline: Baseline,
    touched: frozenset[Path] | None,
    examined: Examined | None,
) -> Answer:
    prints = fingerprints(report.findings)
    wanted = _wanted(question, report.findings, prints, root, touched)
    told = [(one, print_) for one, print_ in wanted if print_ not in baseline.entries]
    labels = None if question.expected is None else read_expected(question.here / question.expected)
    looked = Looked(root, frozenset(report.files), repo=examined is not None)
    return Answer(
        report=replace(report, findings=tuple(one for one, _ in told), accepted=len(wanted) - len(told)),
        root=root,
        fingerprints={id(one): print_ for one, print_ in told},
        contents=contents,
        known={print_: one for one, print_ in wanted},
        looked=looked,
        present=frozenset(prints),
        gone=baseline.gone(prints, looked),
        score=None if labels is None else score([one for one, _ in wanted], labels, report.files),
        examined=examined,
    )


def _wanted(
    question: Question,
    findings: Sequence[Finding],
    prints: Sequence[str],
    root: Path,
    touched: frozenset[Path] | None,
) -> list[tuple[Finding, str]]:
    """The findings that this project and this question want to see, each as severe as the project says."""
    own = question.configuration
    least = own.min_confidence if question.min_confidence is None else question.min_confidence
    wanted = []
    for one, print_ in zip(findings, prints, strict=True):
        severity = own.severity.get(one.kind, one.severity)
        sides = {(root / side.file).resolve() for side in (one.here, one.there)}
        if severity is not None and one.confidence >= least and (touched is None or sides & touched):
            wanted.append((replace(one, severity=severity), print_))
    return wanted
