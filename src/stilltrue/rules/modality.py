"""In which voice is it said: is it claimed, ordered, remembered, planned, supposed, asked or heard?"""

from __future__ import annotations

from stilltrue.model.fact import Modality


def modality(sentence: str) -> Modality:
    """The voice of a sentence's main clause."""
    return Modality.QUESTION if sentence.rstrip().endswith("?") else Modality.ASSERTION


def is_chatter(sentence: str) -> bool:
    """Whether a sentence says nothing worth keeping (greetings, thanks, acknowledgements)."""
    return not sentence.strip(" .!?\n\t")
