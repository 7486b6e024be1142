"""Does a token open what it should, and nothing else?"""

import sqlite3
import stat
from datetime import UTC, datetime, timedelta

import pytest

from stilltrue.errors import AccessError, InvalidInputError, NotFoundError, TokenError
from stilltrue.faces.http.access import Role, Tokens, beside
from stilltrue.testing import FrozenClock

NOW = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture
def clock():
    return FrozenClock(NOW)


@pytest.fixture
def tokens(tmp_path, clock):
    held = Tokens(tmp_path / "memory.db.access", clock)
    yield held
    held.close()


def test_D9_a_token_names_its_caller(tokens):
    shown = tokens.issue("laptop", "writer", spaces=["crew", "home", "crew"], member="mara")
    known = tokens.caller(shown)
    assert (known.name, known.role, known.spaces, known.member) == (
        "laptop",
        Role.WRITER,
        frozenset({"crew", "home"}),
        "mara",
    )
    assert known.enters("crew")
    assert not known.enters("crew2")


def test_D9_only_a_salted_hash_is_kept_and_only_the_owner_reads_the_file(tokens, tmp_path):
    shown = [tokens.issue("same", "admin", spaces=None) for _ in range(2)]
    raw = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert not any(one.split("_", 2)[2].encode() in raw for one in shown)  # the whole secret: pieces of it are any text
    with sqlite3.connect(tokens.path) as database:
        rows = database.execute("SELECT salt, hash FROM tokens").fetchall()
    database.close()
    assert len({salt for salt, _ in rows}) == len({kept for _, kept in rows}) == 2
    assert stat.S_IMODE((tmp_path / "memory.db.access").stat().st_mode) == 0o600


@pytest.mark.parametrize("spoil", ["", "x", "stilltrue", "stilltrue__", "stilltrue_{id}_", "{id}", "\ud800_\ud800_x"])
def test_D9_what_is_no_token_opens_nothing(tokens, spoil):
    shown = tokens.issue("a", "reader", spaces=None)
    with pytest.raises(TokenError):
        tokens.caller(spoil.format(id=shown.split("_")[1]))


def test_D9_every_character_of_a_token_counts(tokens):
    shown = tokens.issue("a", "reader", spaces=None)
    for place in range(len(shown)):
        other = shown[:place] + ("A" if shown[place] != "A" else "B") + shown[place + 1 :]
        with pytest.raises(TokenError):
            tokens.caller(other)
    for other in (shown[:-1], shown + "A", shown + "x" * 300, shown.upper(), f" {shown}"):
        with pytest.raises(TokenError):
            tokens.caller(other)
    assert tokens.caller(shown).name == "a"


def test_D9_a_secret_opens_nothing_under_another_tokens_id(tokens):
    one, two = (tokens.issue(name, "reader", spaces=None) for name in "ab")
    mixed = "_".join([*two.split("_", 2)[:2], one.split("_", 2)[2]])
    with pytest.raises(TokenError):
        tokens.caller(mixed)


def test_D9_revoked_and_expired_tokens_are_out(tokens, clock):
    lasting = tokens.issue("lasting", "reader", spaces=None)
    ending = tokens.issue("ending", "reader", spaces=None, expires_at=NOW + timedelta(hours=1))
    assert tokens.caller(ending).name == "ending"
    clock.set(NOW + timedelta(hours=1))
    with pytest.raises(TokenError):
        tokens.caller(ending)
    assert tokens.any_good()
    revoked = tokens.revoke(tokens.caller(lasting).token_id)
    clock.set(NOW + timedelta(hours=2))
    assert tokens.revoke(revoked.id).revoked_at == revoked.revoked_at
    with pytest.raises(TokenError):
        tokens.caller(lasting)
    assert not tokens.any_good()
    assert {token.name: token.revoked_at is None for token in tokens.listed()} == {"ending": True, "lasting": False}


def test_D9_a_token_revoked_elsewhere_is_out_with_the_next_look(tokens):
    shown = tokens.issue("a", "reader", spaces=None)
    other = Tokens(tokens.path)
    other.revoke(tokens.caller(shown).token_id)
    other.close()
    with pytest.raises(TokenError):
        tokens.caller(shown)


def test_D9_all_that_is_wrong_sounds_the_same(tokens):
    shown = tokens.issue("a", "reader", spaces=None)
    said = set()
    for wrong in ("nonsense", shown[:-1] + "~", "stilltrue_00000000_abc"):
        with pytest.raises(TokenError) as caught:
            tokens.caller(wrong)
        said.add(str(caught.value))
    assert len(said) == 1


@pytest.mark.parametrize("has", Role)
@pytest.mark.parametrize("needs", Role)
def test_D9_roles_are_ladders(tokens, has, needs):
    known = tokens.caller(tokens.issue("a", has, spaces=["here"]))
    if list(Role).index(has) >= list(Role).index(needs):
        known.check(needs, "here")
    else:
        with pytest.raises(AccessError):
            known.check(needs, "here")
    with pytest.raises(AccessError):
        known.check(needs, "there")


def test_D9_what_cannot_be_issued_is_refused(tokens):
    for words in (
        {"name": "", "role": "reader", "spaces": None},
        {"name": "a", "role": "king", "spaces": None},
        {"name": "a", "role": "reader", "spaces": []},
        {"name": "a", "role": "reader", "spaces": ["\n"]},
        {"name": "a", "role": "reader", "spaces": None, "expires_at": NOW},
        {"name": "a", "role": "reader", "spaces": None, "member": ""},
    ):
        with pytest.raises(InvalidInputError):
            tokens.issue(**words)
    assert tokens.listed() == []
    with pytest.raises(NotFoundError):
        tokens.revoke("00000000")


def test_D9_a_memory_without_a_file_has_no_place_for_tokens(tmp_path):
    assert beside(tmp_path / "a.db") == tmp_path / "a.db.access"
    for place in (":memory:", "postgres://here"):
        with pytest.raises(InvalidInputError):
            beside(place)
