"""Which expressions are only made while something is read? Those built from the words at hand: here they are made."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from pathlib import Path


def exercise():
    from stilltrue.audit.configuration import read_configuration
    from stilltrue.errors import InvalidInputError
    from stilltrue.rules.cascade import judge_texts
    from stilltrue.rules.lexicons import lexicon
    from stilltrue.rules.outdated import _is_name
    from stilltrue.rules.presuppositions import leaves_behind
    from stilltrue.rules.troubles import _patterns

    judge_texts("Ines never uses Docker before 2.0.", "Since March Ines works at Bolt; Docker 3.1 is used.")
    leaves_behind("We moved from Slack to Teams.", "slack")
    _is_name("Acme", "Ines works at Acme.")
    for table, held in lexicon("troubles").items():
        if "patterns" in held:
            _patterns(table)
    with suppress(InvalidInputError), tempfile.TemporaryDirectory() as folder:
        file = Path(folder, ".stilltrue.toml")
        file.write_text("[audit]\nrepo = 1\n")
        read_configuration(file)
