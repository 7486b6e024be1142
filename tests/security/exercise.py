"""Which expressions are only made while something is read? Those built from the words at hand: here they are made."""

from __future__ import annotations


def exercise():
    from stilltrue.rules.cascade import judge_texts

    for old, new in (
        ("Ines works at Acme and never uses Docker before version 2.0.", "Since March Ines works at Bolt; Docker 3.1 is not used."),
        ("Deploys on Fridays are banned.", "Hotfixes may go out on Fridays, e.g. via `make ship`."),
    ):
        judge_texts(old, new)
