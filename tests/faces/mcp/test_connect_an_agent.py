"""Does every block of docs/how-to/connect-an-agent.md parse, and does the very command that it names serve an agent?"""

import json
import os
import re
import shlex
import sys
import tomllib
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from stilltrue.faces.cli.agents import PORT
from stilltrue.faces.cli.door import main
from stilltrue.faces.http.access import Tokens, beside
from stilltrue.faces.mcp import prompts, resources, serving
from stilltrue.faces.mcp.tools import TOOLS
from tests.faces.mcp.clients import over_stdio, talk

GUIDE = (Path(__file__).parents[3] / "docs" / "how-to" / "connect-an-agent.md").read_text("utf-8")
FENCE = re.compile(r"^```(?P<language>\w+) ?(?P<name>[^\n]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)


def started_by(language, name, body):
    """The command that an agent starts by this block, or None where it names no program."""
    if language == "toml":
        (server,) = tomllib.loads(body)["mcp_servers"].values()
    elif language == "json":
        (servers,) = json.loads(body).values()
        (server,) = servers.values()
    elif name == "claude":
        before, _, after = body.partition(" -- ")
        assert shlex.split(before) == ["claude", "mcp", "add", "stilltrue"]
        return shlex.split(after)
    else:
        return None
    return [server["command"], *server["args"]] if "command" in server else None


BLOCKS = {f"{found['language']} {found['name']}".strip(): found for found in FENCE.finditer(GUIDE)}
STARTS = {case: words for case, found in BLOCKS.items() if (words := started_by(*found.group(1, 2, 3)))}


def test_every_agent_has_its_block_under_its_own_key():
    assert set(STARTS) == {
        "sh claude",
        "json .mcp.json",
        "json .cursor/mcp.json",
        "json .vscode/mcp.json",
        "toml config.toml",
    }
    keys = {case: next(iter(json.loads(found["body"]))) for case, found in BLOCKS.items() if "json" in case}
    assert keys.pop("json .vscode/mcp.json") == "servers"
    assert set(keys.values()) == {"mcpServers"}


@pytest.mark.parametrize("case", STARTS)
def test_the_very_command_of_a_block_serves_an_agent(case, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "stilltrue"
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m stilltrue "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
    source = str(Path(serving.__file__).parents[3])
    monkeypatch.setenv("PYTHONPATH", source)

    async def conversation():
        async with over_stdio(None, words=STARTS[case]) as client:
            return {tool.name for tool in (await client.list_tools()).tools}

    assert talk(conversation) == set(TOOLS)
    assert (tmp_path / "memory.db").exists()


def test_the_commands_for_http_are_commands_and_the_address_is_the_servers(tmp_path, monkeypatch):
    (shown,) = [found["body"] for found in BLOCKS.values() if "--http" in found["body"]]
    issue, serve = [shlex.split(line) for line in shown.splitlines()]
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as left:
        main(issue[1:])
    assert left.value.code == 0
    with closing(Tokens(beside(tmp_path / "memory.db"))) as tokens:
        (token,) = tokens.listed()
    assert (token.role, token.spaces) == ("reviewer", ("my-project",))
    assert serve[serve.index("mcp") :] == ["mcp", "--http", "--port", str(PORT)]
    (server,) = json.loads(BLOCKS["json http.mcp.json"]["body"])["mcpServers"].values()
    address = urlsplit(server["url"])
    assert (address.hostname, address.port, address.path) == (serving.HOST, PORT, serving.PATH)


def test_the_guide_names_all_there_is():
    named = set(re.findall(r"`([a-z_]+)`", GUIDE))
    assert set(TOOLS) | set(prompts.PROMPTS) <= named
    assert all(f"`{resource.template}`" in GUIDE for resource in resources.RESOURCES)
