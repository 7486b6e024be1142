"""Which words do the judge's rules know? Reads the packaged word lists, each entry of which says why it is there.

A lexicon is a TOML file beside this module; it is read when first needed and kept. What the words mean for a pair of
statements is the business of the rule that asks for them.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import Any


@cache
def lexicon(name: str) -> dict[str, Any]:
    """The tables of `lexicon/<name>.toml`. Callers read it and leave it as it is.

    >>> "the" in lexicon("stopwords")["articles"]["words"]
    True
    """
    path = resources.files("stilltrue.rules") / "lexicon" / f"{name}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


@cache
def all_words(name: str) -> frozenset[str]:
    """Every word that any table of the lexicon lists.

    >>> "the" in all_words("stopwords"), "coffee" in all_words("stopwords")
    (True, False)
    """
    return frozenset(word for table in lexicon(name).values() for word in table["words"])
