"""Which vocabulary entries does a text become?

Answer: ``WordPiece`` turns a text into BERT token ids: characters are cleaned and lower-cased, words are split at white
space and punctuation, and each word is covered greedily by the longest known pieces. The ids equal those of the
``tokenizers`` wheel for the same vocabulary (tests hold them side by side), at a fraction of the dependencies.

Two choices differ from that library's defaults, on purpose. Special tokens written inside a text (``[SEP]``,
``[MASK]``) are ordinary words here, because remembered text is data and must not steer the model. And the character
classes come from Python's own ``unicodedata``, which is newer than that library's: with Python 3.11 the two part ways
on 503 rare code points (marks and punctuation of recent Unicode versions) out of all there are.

Left to others: what the ids mean (``stilltrue.inference.embed`` and the pair model run them).
"""

from __future__ import annotations

import unicodedata
from functools import cache, lru_cache
from importlib import resources
from typing import TYPE_CHECKING, Final

from stilltrue.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.resources.abc import Traversable

MAX_TOKENS: Final = 256
"""Longest input in tokens, both specials included: the length the embedding model was trained for."""

SPECIALS: Final = 2
"""``[CLS]`` before the text and ``[SEP]`` after it."""

MAX_WORD_CHARS: Final = 100
"""A word longer than this is one unknown token: BERT's own limit, which also bounds the work per word."""

BLOCK_CHARS: Final = 4096
"""How much of a text is normalised at a time, so that the unread tail of a huge text costs nothing."""

TABLE_LIMIT: Final = 8192
"""Characters whose treatment is remembered; the bound keeps a text with every code point from filling memory."""

_WORDS_KEPT: Final = 8192
"""Words whose pieces are remembered: the texts of a memory share most of theirs."""

VOCAB_FILE: Final = "vocab.txt"

_IDEOGRAPHS: Final = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)


class _Clean(dict[int, str | None]):
    """``str.translate`` table of the first step: drop controls, unify white space, set ideographs apart."""

    def __missing__(self, code: int) -> str | None:
        replacement = _clean(code)
        if len(self) < TABLE_LIMIT:
            self[code] = replacement
        return replacement


class _Fold(dict[int, str | None]):
    """``str.translate`` table of the last step: drop accents, lower the case, set punctuation apart."""

    def __missing__(self, code: int) -> str | None:
        replacement = _fold(code)
        if len(self) < TABLE_LIMIT:
            self[code] = replacement
        return replacement


def _clean(code: int) -> str | None:
    char = chr(code)
    if char in "\t\n\r":
        return " "
    # U+FFFD stands for bytes that could not be decoded; surrogates cannot be encoded. Neither carries meaning.
    if char == "\ufffd" or unicodedata.category(char) in ("Cc", "Cf", "Co", "Cs"):
        return None
    if char.isspace():
        return " "
    if any(first <= code <= last for first, last in _IDEOGRAPHS):
        return f" {char} "
    return char


def _fold(code: int) -> str | None:
    char = chr(code)
    if unicodedata.category(char) == "Mn":
        return None
    if _is_punctuation(char):
        return f" {char} "
    # One character at a time: lower() on a whole word would turn a final sigma into another letter.
    return char.lower()


def _is_punctuation(char: str) -> bool:
    """BERT counts every ASCII symbol (``$``, ``+``, ``=``, …) as punctuation, and Unicode's P classes."""
    if char.isascii():
        return char.isprintable() and not char.isalnum() and char != " "
    return unicodedata.category(char).startswith("P")


_CLEAN: Final = _Clean()
_FOLD: Final = _Fold()


def words(text: str) -> Iterator[str]:
    """Yield the normalised words of a text: lower case, no accents, punctuation and ideographs on their own.

    >>> list(words("Café déjà-vu, 東京!"))
    ['cafe', 'deja', '-', 'vu', ',', '東', '京', '!']
    """
    for block in _blocks(text):
        cleaned = unicodedata.normalize("NFD", block.translate(_CLEAN))
        yield from cleaned.translate(_FOLD).split()


def _blocks(text: str) -> Iterator[str]:
    """Cut a text at plain spaces only, where no word and no combining sequence can straddle the cut."""
    start = 0
    while start < len(text):
        space = text.find(" ", start + BLOCK_CHARS)
        end = len(text) if space < 0 else space
        yield text[start:end]
        start = end


class WordPiece:
    """An uncased BERT tokenizer over one vocabulary. Immutable after construction, safe to share between threads."""

    def __init__(self, vocabulary: tuple[str, ...]) -> None:
        """Take the pieces in id order.

        Raises:
            ModelError: the vocabulary lacks one of ``[CLS]``, ``[SEP]``, ``[UNK]``, ``[PAD]``.
        """
        self._ids = {piece: index for index, piece in enumerate(vocabulary)}
        missing = [name for name in ("[CLS]", "[SEP]", "[UNK]", "[PAD]") if name not in self._ids]
        if missing:
            message = f"The tokenizer vocabulary {VOCAB_FILE} lacks {', '.join(missing)}; reinstall stilltrue."
            raise ModelError(message)
        self.cls_id: Final[int] = self._ids["[CLS]"]
        self.sep_id: Final[int] = self._ids["[SEP]"]
        self.unk_id: Final[int] = self._ids["[UNK]"]
        self.pad_id: Final[int] = self._ids["[PAD]"]
        self._longest = max(len(piece) for piece in vocabulary)
        self._covered = lru_cache(maxsize=_WORDS_KEPT)(self._cover)

    def __len__(self) -> int:
        """Number of entries in the vocabulary."""
        return len(self._ids)

    def pieces(self, text: str, limit: int) -> list[int]:
        """Return the ids of a text without special tokens, at most ``limit`` of them; the rest is not read.

        A caller that builds sentence pairs joins such lists with ``cls_id`` and ``sep_id`` itself.
        """
        ids: list[int] = []
        if limit <= 0:
            return ids
        for word in words(text):
            ids += self._covered(word)
            if len(ids) >= limit:
                return ids[:limit]
        return ids

    def encode(self, text: str, max_tokens: int = MAX_TOKENS) -> list[int]:
        """Return ``[CLS] text [SEP]`` as ids, cut to ``max_tokens`` in all (an empty text gives the two specials).

        Raises:
            ValueError: ``max_tokens`` leaves no room for the two special tokens.
        """
        if max_tokens < SPECIALS:
            message = f"max_tokens must be at least {SPECIALS} (the special tokens), not {max_tokens}"
            raise ValueError(message)
        return [self.cls_id, *self.pieces(text, max_tokens - SPECIALS), self.sep_id]

    def _cover(self, word: str) -> tuple[int, ...]:
        """Cover a word by the longest known pieces from the left; one gap makes the whole word unknown."""
        if len(word) > MAX_WORD_CHARS:
            return (self.unk_id,)
        ids: list[int] = []
        start = 0
        while start < len(word):
            prefix = "##" if start else ""
            for end in range(min(len(word), start + self._longest), start, -1):
                found = self._ids.get(prefix + word[start:end])
                if found is not None:
                    break
            else:
                return (self.unk_id,)
            ids.append(found)
            start = end
        return tuple(ids)


def parse(vocabulary: bytes) -> WordPiece:
    """Return the tokenizer of a vocabulary file's content: UTF-8, one piece a line, the line number is the id.

    Raises:
        ModelError: the content is not a BERT vocabulary.
    """
    try:
        text = vocabulary.decode("utf-8")
    except UnicodeDecodeError as error:
        message = f"The tokenizer vocabulary {VOCAB_FILE} is damaged ({error}); reinstall stilltrue to restore it."
        raise ModelError(message) from error
    return WordPiece(tuple(text.removesuffix("\n").split("\n")))


def load(vocab_file: Traversable) -> WordPiece:
    """Read a vocabulary file and return its tokenizer.

    Raises:
        ModelError: the file is missing, unreadable or not a BERT vocabulary.
    """
    try:
        content = vocab_file.read_bytes()
    except OSError as error:
        message = f"Cannot read the tokenizer vocabulary {vocab_file} ({error}); reinstall stilltrue to restore it."
        raise ModelError(message) from error
    return parse(content)


@cache
def bundled() -> WordPiece:
    """Return the tokenizer of the vocabulary that ships with the package, read once per process.

    Raises:
        ModelError: the shipped vocabulary is missing or damaged.
    """
    return load(resources.files("stilltrue") / "weights" / VOCAB_FILE)
