"""Where does memory lie unless somebody says otherwise? In the user's data folder, as the system has it."""

from __future__ import annotations

from pathlib import Path


def default_path() -> Path:
    """Where memory lies unless `--db` or STILLTRUE_DB says otherwise: the user's data folder."""
    import platformdirs

    return platformdirs.user_data_path("stilltrue", appauthor=False) / "memory.db"
