"""Which claims do the files of a repository prove wrong, and which right?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from stilltrue.audit.findings import Finding, Kind, Severity, Side
from stilltrue.audit.repository import managers, paths, ports, targets, versions
from stilltrue.audit.repository.pins import pins
from stilltrue.audit.repository.saying import saying_of
from stilltrue.audit.repository.tree import Tree, folder_of
from stilltrue.model.verdict import Relation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from stilltrue.audit.claims import Claim
    from stilltrue.audit.repository.proof import Proof
    from stilltrue.audit.repository.saying import Saying


@dataclass(frozen=True, slots=True)
class Examined:
    """What a look showed. `confirmed`: how often a file proved a claim right. `skipped`: (file, why)."""

    findings: tuple[Finding, ...]
    confirmed: int
    skipped: tuple[tuple[str, str], ...] = ()


def mismatches(claims: Sequence[Claim], root: Path) -> list[Finding]:
    """Claims that a file under `root` proves wrong, each with that file as its witness. Nothing is run or written."""
    return list(examine(claims, root).findings)


def examine(claims: Sequence[Claim], root: Path) -> Examined:
    """What the files under `root` prove of the claims, in the order of files and lines."""
    tree = Tree(root)
    provers = _provers(tree)
    wrong: dict[tuple[str, int, str, str], Finding] = {}
    right: set[tuple[str, int, str, str]] = set()
    for claim in claims:
        saying = saying_of(claim, _folder(claim, root))
        for proof in (proof for prover in provers for proof in prover(saying)):
            key = (claim.file, claim.line, proof.topic, proof.said)
            if proof.holds:
                right.add(key)
            elif not _is_its_own_witness(claim, proof, root):
                wrong.setdefault(key, _finding(claim, proof))
    # Of two readings of one line the one that a file proves right is what it means.
    found = sorted(
        (one for key, one in wrong.items() if key not in right), key=lambda one: (one.here.file, one.here.line)
    )
    return Examined(tuple(found), len(right), tuple(sorted(tree.skipped.items())))


def _provers(tree: Tree) -> Sequence[Callable[[Saying], Iterable[Proof]]]:
    pinned, listening = pins(tree), ports.told_ports(tree)
    return (
        lambda saying: managers.prove(saying, tree),
        lambda saying: versions.prove(saying, pinned),
        lambda saying: targets.prove(saying, tree),
        lambda saying: paths.prove(saying, tree),
        lambda saying: ports.prove(saying, listening, tree),
    )


def _folder(claim: Claim, root: Path) -> str:
    """The folder of a claim's file, relative to the root; the root itself for what lies outside."""
    path = Path(claim.file)
    if path.is_absolute():
        try:
            return folder_of(path.relative_to(root).as_posix())
        except ValueError:
            return ""
    name = PurePosixPath(path.as_posix())
    return "" if ".." in name.parts else folder_of(name.as_posix())


def _is_its_own_witness(claim: Claim, proof: Proof, root: Path) -> bool:
    return Path(claim.file) in (Path(proof.witness.file), root / proof.witness.file)


def _finding(claim: Claim, proof: Proof) -> Finding:
    witness = proof.witness
    return Finding(
        kind=Kind.MISMATCH,
        severity=Severity.WARNING,
        relation=Relation.CONTRADICTION,
        confidence=proof.confidence,
        here=Side.of(claim),
        there=Side(witness.file, witness.line, witness.line, witness.text),
        evidence=(
            f"the claim says that {proof.said}" if proof.topic != "version" else f"the claim says {proof.said}",
            proof.because,
        ),
    )
