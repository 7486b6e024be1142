"""Is a language model's answer borne out by the facts that it was shown?

Answer: only if it cites some of them by their ids, every quote and every phrase between quotation marks is in a cited
fact, and every figure is in one, or in the question. Anything less is refused as a whole: half an answer may be the
wrong half.

Left to others: finding the JSON (``.replies``), which facts are shown (``stilltrue.read``).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from stilltrue.inference.replies import ReplyError, object_in, shown

if TYPE_CHECKING:
    from collections.abc import Mapping

LONGEST_ANSWER: Final = 2000  # characters; two sentences were asked for
_QUOTED: Final = re.compile(r"[\"“„«]([^\"“”„«»]+)[\"“”»]")
_IDS: Final = re.compile(r"(?:(?<!\s)\s++)?[\[(]((?:f\d+)(?:[,; ]+f\d+)*)[\])]", re.ASCII)
_FIGURE: Final = re.compile(r"\d+")
_EDGES: Final = " .,;:!?…"


def answer(text: str, facts: Mapping[str, Mapping[str, str]], question: str) -> tuple[str, tuple[str, ...]]:
    """The answer and the ids it cites, in the order cited; ("", ()) where the model found none. Raises ReplyError.

    `facts` holds what was shown of each fact, with its words under "text".

    >>> facts = {"f1": {"text": "User lives in Graz."}}
    >>> reply = '{"found": true, "answer": "In Graz.", "citations": [{"id": "f1", "quote": "Graz"}]}'
    >>> answer(reply, facts, "Where?")
    ('In Graz.', ('f1',))
    >>> answer(reply.replace("Graz.", "Graz since 2019."), facts, "Where?")
    Traceback (most recent call last):
    ...
    stilltrue.inference.replies.ReplyError: the answer held a figure that is in no cited fact
    """
    reply = object_in(text)
    found, written = reply.get("found"), reply.get("answer")
    if not isinstance(found, bool) or not isinstance(written, str):
        raise ReplyError("'found' has to be true or false, and 'answer' a text")
    if not found:
        return "", ()
    if not shown(written) or len(written) > LONGEST_ANSWER:
        raise ReplyError("the answer was empty or far too long")
    cited = _cited(reply.get("citations"), facts)
    plain = _without_ids(shown(written, LONGEST_ANSWER), cited)
    _check(plain, [facts[name] for name in cited], question)
    return plain, cited


def _cited(citations: object, facts: Mapping[str, Mapping[str, str]]) -> tuple[str, ...]:
    """The ids cited, each once, where every citation is of a fact shown and quotes it. Raises ReplyError."""
    if not isinstance(citations, list) or not citations:
        raise ReplyError("nothing was cited")
    return tuple(dict.fromkeys(_citation(item, facts) for item in citations))


def _citation(item: Any, facts: Mapping[str, Mapping[str, str]]) -> str:  # noqa: ANN401 - JSON
    name, quote = (item.get("id"), item.get("quote")) if isinstance(item, dict) else (None, None)
    if not isinstance(name, str) or name not in facts:
        raise ReplyError("a citation named no id of the facts shown")
    if not isinstance(quote, str) or not _plain(quote) or _plain(quote) not in _plain(facts[name]["text"]):
        raise ReplyError("the quote of a citation was not in the fact that it cites")
    return name


def _without_ids(written: str, cited: tuple[str, ...]) -> str:
    """The answer without the ids that models like to put in brackets. Raises ReplyError for one that is not cited."""
    for found in _IDS.finditer(written):
        if not set(re.split(r"[,; ]+", found[1])) <= set(cited):
            raise ReplyError("the answer named a fact that is not among its citations")
    plain = _IDS.sub("", written).strip()
    if not plain:
        raise ReplyError("the answer was empty or far too long")
    return plain


def _check(written: str, cited: list[Mapping[str, str]], question: str) -> None:
    """Raises ReplyError for a quoted phrase or a figure that nothing bears out."""
    texts = [_plain(fact["text"]) for fact in cited]
    for phrase in _QUOTED.findall(written):
        if not any(_plain(phrase) in text for text in texts):
            raise ReplyError("the answer quoted words that are in no cited fact")
    # Shown dates read "2025-03-01", written ones "1 March 2025": figures are compared as numbers.
    known = _figures(" ".join(value for fact in cited for value in fact.values())) | _figures(question)
    if not _figures(written) <= known | {str(number) for number in range(len(cited) + 1)}:
        raise ReplyError("the answer held a figure that is in no cited fact")


def _figures(text: str) -> set[str]:
    return {found.lstrip("0") or "0" for found in _FIGURE.findall(text)}


def _plain(text: str) -> str:
    """Words for comparison: case, spaces, curly marks and punctuation at the edges do not count."""
    straight = text.replace("’", "'").replace("‘", "'")
    return " ".join(straight.casefold().split()).strip(_EDGES)
