"""What does the code that both stores share ask of a connection? Plain SQL with parameters, rows by name, and words.

Answer: `Session`, written in SQLite's words: `?` and `:name` stand for parameters. `store.connection` speaks it to a
file as it is, `store.postgres.session` says it to a server in PostgreSQL's words. What the two do in ways that no
wording bridges hangs on the session as a part of its own: `words`, the index of words.

Left to others: what is asked (`store.reader`, `store.writer` and those beside them), how rows become nouns
(`store.rows`, `store.records`), when a transaction begins and ends (the stores).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    Parameters = Sequence[Any] | Mapping[str, Any]
    Docs = NDArray[np.int64]


class Found(Protocol):
    """A row that a query found: by the name of a column or by its place."""

    def __getitem__(self, key: int | str, /) -> Any:  # noqa: ANN401 - what a column holds
        """One value."""

    def __iter__(self) -> Iterator[Any]:
        """All values, in the order of the columns."""

    def __len__(self) -> int:
        """How many columns there are."""

    def keys(self) -> Sequence[str]:
        """The names of the columns."""


class Words(Protocol):
    """Which facts of a space hold a word. Texts are cut and stemmed alike wherever they lie."""

    def add(self, session: Session, space: str, doc: int, text: str) -> None:
        """The fact with this row number says this."""

    def drop(self, session: Session, space: str, doc: int, text: str) -> None:
        """It says it no more: the text, which must be the one that was added, is erased."""

    def tidy(self, session: Session) -> None:
        """Leave nothing behind of what was dropped."""

    def count(self, session: Session, space: str, word: str, between: tuple[int, int], most: int) -> int:
        """How many facts with row numbers `between` two hold the word; no further than `most`."""

    def docs(self, session: Session, space: str, word: str, between: tuple[int, int]) -> Docs:
        """Their row numbers, ascending."""


class Session(Protocol):
    """One connection and its name for people. Every method raises StoreError."""

    @property
    def place(self) -> str:
        """The file or server, as people call it; never with a password in it."""

    @property
    def words(self) -> Words:
        """The index of words behind it."""

    def run(self, sql: str, parameters: Parameters = ()) -> int:
        """Execute one statement; how many rows it changed."""

    def put(self, sql: str, parameters: Parameters = ()) -> None:
        """Execute one statement of whose outcome nothing is asked. It may be sent with what is asked next, or with the
        end of the transaction, and its error come then.
        """

    def run_many(self, sql: str, rows: Iterable[Parameters]) -> None:
        """Execute one statement for each row."""

    def rows(self, sql: str, parameters: Parameters = ()) -> Sequence[Found]:
        """All rows of a query."""

    def row(self, sql: str, parameters: Parameters = ()) -> Found | None:
        """The first row of a query, or None."""

    def number(self, sql: str, parameters: Parameters = ()) -> int:
        """The one number that a query yields; 0 where there is none."""

    def batches(self, sql: str, parameters: Parameters, size: int) -> Iterator[Sequence[Found]]:
        """The rows of a large query, `size` at a time, so that they are never all in memory."""
