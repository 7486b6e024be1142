"""Which verbs open the memory to other programs? serve, and token new, list, revoke: who may come in.

The web framework is loaded by `serve` alone; where its extra is missing, one line says how to get it.
"""

from __future__ import annotations

import sys
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from stilltrue.errors import AccessError, InvalidInputError
from stilltrue.faces.cli.call import Call
from stilltrue.faces.cli.options import Access, Json
from stilltrue.faces.http.access import Role, Token, Tokens, beside
from stilltrue.faces.text import plain

PORT: Final = 8321
_EVERYWHERE: Final = frozenset({"", "0.0.0.0", "::"})  # noqa: S104 - compared with, not bound to
_HERE: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_NEW: Final = "stilltrue token new NAME --role admin --all-spaces"
_MAKE: Final = f"make one with `{_NEW}`, with the same --db"

token = typer.Typer(name="token", help="Say who may come in over HTTP.", no_args_is_help=True, rich_markup_mode=None)


def add_to(app: typer.Typer) -> None:
    """Make the verbs known."""
    app.command(epilog="Example: stilltrue serve --port 8321")(serve)
    token.command(epilog="Example: stilltrue --space crew --as mara token new laptop --role writer")(new)
    token.command(name="list", epilog="Example: stilltrue token list --json")(list_)
    token.command(epilog="Example: stilltrue token revoke 5f0c21ab")(revoke)
    app.add_typer(token)


def serve(
    context: typer.Context,
    host: Annotated[str, typer.Option("--host", help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="0: any that is free.")] = PORT,
    allow_host: Annotated[
        list[str] | None, typer.Option("--allow-host", metavar="NAME", help="A name this server goes by; repeatable.")
    ] = None,
    allow_origin: Annotated[
        list[str] | None,
        typer.Option("--allow-origin", metavar="URL", help="Whose pages may call it, beside its own; repeatable."),
    ] = None,
    max_body: Annotated[int, typer.Option("--max-body", min=1, metavar="BYTES", help="Most of one request.")] = 1 << 20,
    no_worker: Annotated[
        bool, typer.Option("--no-worker", help="Leave what is judged later to `stilltrue worker`.")
    ] = False,
    access: Access = None,
    as_json: Json = False,
) -> None:
    """Let other programs use this memory over HTTP, and people look after it on a page, until you press Ctrl-C.

    Every caller shows a token, from this machine too; `stilltrue token new` makes one.
    """
    call = Call.of(context, as_json=as_json)
    build_app, add_page, options_of, listener_on, server_of = _loaded()
    with closing(_tokens(call, access)) as tokens:
        if not tokens.any_good():
            raise AccessError(f"nobody could come in: no token is good for this memory; {_MAKE}")
        hosts = tuple(allow_host or ()) + (() if host in _EVERYWHERE | _HERE else (_named(host),))
        with listener_on(host, port) as listener, call.memory(creates=True) as memory:
            options = options_of(hosts=hosts, origins=tuple(allow_origin or ()), max_body=max_body)
            if not no_worker:
                memory.start_worker()
            _announce(call, host, listener.getsockname()[1])
            server_of(add_page(build_app(memory, tokens, options))).run(sockets=[listener])


def _loaded() -> tuple[Any, Any, Any, Any, Any]:
    """The parts that need the extra."""
    try:
        from stilltrue.faces.http.app import Options, build_app
        from stilltrue.faces.http.run import listener_on, server_of
        from stilltrue.faces.page.app import add_page
    except ModuleNotFoundError as error:
        message = f"`stilltrue serve` needs {error.name}, which is not installed: pip install 'stilltrue[server]'"
        raise InvalidInputError(message) from None
    return build_app, add_page, Options, listener_on, server_of


def _named(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _announce(call: Call, host: str, port: int) -> None:
    url = f"http://{_named(host)}:{port}"
    if host not in _HERE:
        sys.stderr.write("warning: other machines reach this without encryption; put a TLS proxy before it\n")
    call.show(
        lambda: {"url": url, "memory": call.where()},
        lambda: [
            f"serving {plain(call.where())} at {url} (Ctrl-C ends it)",
            f"the page for people: {url}/",
            f"another token: {_NEW}",
        ],
    )
    sys.stdout.flush()


def new(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Whose token it is; only a label.")],
    role: Annotated[Role, typer.Option("--role", help="Each may do what those before it may.")] = Role.READER,
    all_spaces: Annotated[
        bool, typer.Option("--all-spaces", help="Good for every space, not only for the one before the verb.")
    ] = False,
    days: Annotated[float | None, typer.Option("--days", min=0.001, max=36500, help="How long it is good.")] = None,
    access: Access = None,
    as_json: Json = False,
) -> None:
    """Make a token, good for the space and member named before the verb. It is shown once: keep it well."""
    call = Call.of(context, as_json=as_json)
    ends = None if days is None else datetime.now(UTC) + timedelta(days=days)
    with closing(_tokens(call, access, creates=True)) as tokens:
        shown = tokens.issue(
            name, role, spaces=None if all_spaces else (call.space,), member=call.member, expires_at=ends
        )
        made = tokens.caller(shown)
    call.show(lambda: {"token": shown, "id": made.token_id, "name": made.name, "role": made.role}, lambda: [shown])


def list_(context: typer.Context, access: Access = None, as_json: Json = False) -> None:
    """Show who may come in. Nobody can read a token back."""
    call = Call.of(context, as_json=as_json)
    with closing(_tokens(call, access)) as tokens:
        held = tokens.listed()
    call.show(lambda: {"tokens": [_values(one) for one in held]}, lambda: map(_line, held))


def revoke(
    context: typer.Context,
    token_id: Annotated[str, typer.Argument(metavar="ID", help="See `stilltrue token list`.")],
    access: Access = None,
    as_json: Json = False,
) -> None:
    """From now on a token opens nothing."""
    call = Call.of(context, as_json=as_json)
    with closing(_tokens(call, access)) as tokens:
        ended = tokens.revoke(token_id)
    call.show(lambda: _values(ended), lambda: [_line(ended)])


def _tokens(call: Call, access: Path | None, *, creates: bool = False) -> Tokens:
    """The tokens in `--access`, or beside the memory that `--db` names; only making one makes the file."""
    place = access or beside(call.where())
    if not creates and not place.exists():
        raise AccessError(f"no token was made for this memory yet; {_MAKE}")
    if creates and call.db is None:
        place.parent.mkdir(parents=True, exist_ok=True)
    return Tokens(place)


def _values(one: Token) -> dict[str, object]:
    from stilltrue.faces import wire

    return dict(wire.value(one))


def _line(one: Token) -> str:
    spaces = "all spaces" if one.spaces is None else ", ".join(one.spaces)
    member = f" as {one.member}" if one.member else ""
    state = "revoked" if one.revoked_at else "expired" if not one.good(datetime.now(UTC)) else "good"
    return plain(f"{one.id}  {state:7}  {one.role.value:8}  {one.name}: {spaces}{member}")
