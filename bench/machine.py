"""On what was it measured? Cores and versions in words, never a name or a path; and the size of this process."""

from __future__ import annotations

import os
import platform
import resource
import sqlite3
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

MEGABYTE = 1_000_000
_STATUS = Path("/proc/self/status")


def described() -> dict[str, str]:
    """What a reader needs to judge the figures."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    python = ".".join(map(str, sys.version_info[:3]))
    words = f"{cores} cores ({platform.machine()}), {platform.system()}, Python {python}"
    return {
        "machine": f"{words}, SQLite {sqlite3.sqlite_version}, numpy {np.__version__}",
        "load": _load(),
        "date": datetime.now(UTC).date().isoformat(),
        "commit": _commit(),
    }


def _load() -> str:
    """How busy the cores were with everything, this run included."""
    if not hasattr(os, "getloadavg"):
        return "unknown"
    return f"{os.getloadavg()[1]:.1f} processes ready to run on average in the last five minutes"


def _commit() -> str:
    """The commit measured, marked where the tree differs from it."""
    folder = Path(__file__).parent
    told = [
        _git(folder, *words) for words in (("rev-parse", "--short", "HEAD"), ("status", "--porcelain", "--", "../src"))
    ]
    return (told[0] or "unknown") + (" with changes" if told[1] else "")


def _git(folder: Path, *words: str) -> str:
    try:
        done = subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, check=False)  # noqa: S607
    except OSError:
        return ""
    return done.stdout.strip()


def resident_megabytes() -> float:
    """The most memory that this process has held so far."""
    if _STATUS.exists():
        for line in _STATUS.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024 / MEGABYTE
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most * (1 if sys.platform == "darwin" else 1024) / MEGABYTE
