"""Do the settings that the page gives for each server of language models reach it? Each section's own lines are taken,
with a scripted server in the place of the host: where does the request arrive, with which key, for which model?
"""

import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from stilltrue.inference import chat as chats
from stilltrue.settings import Settings
from stilltrue.wiring import chat_of
from tests.docs.test_docs import blocks_of
from tests.llm.server import ScriptedServer

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "connect-an-llm.md"
SCHEMA = {"type": "object", "properties": {"well": {"type": "boolean"}}}
EXPORT = re.compile(r"^export (\w+)=(\S+)$", re.MULTILINE)
SERVERS = {
    "OpenAI": ("/v1", "..."),
    "Ollama": ("/v1", None),
    "vLLM": ("/v1", "my-own-key"),
    "LM Studio": ("/v1", None),
    "llama.cpp": ("/v1", None),
    "Anthropic": ("/v1", "..."),
    "Another server in the cloud": ("/openai/v1", "..."),
}
"""Of each section: the path below which the protocol is spoken, and the key that is sent."""


def sections():
    """The lines of settings of every section that has some."""
    for part in PAGE.read_text("utf-8").split("\n## ")[1:]:
        told = dict(
            found for block in blocks_of(part) if block.language == "sh" for found in EXPORT.findall(block.body)
        )
        if "STILLTRUE_LLM" in told:
            yield part.partition("\n")[0], told


def test_every_section_with_settings_is_tried():
    assert {name for name, _ in sections()} == set(SERVERS)


@pytest.mark.parametrize(("name", "told"), list(sections()), ids=[name for name, _ in sections()])
def test_the_settings_of_a_section_reach_its_server(name, told, monkeypatch):
    path, key = SERVERS[name]
    with ScriptedServer('{"well": true}') as server:
        here = server.url.removesuffix("/v1")
        monkeypatch.setattr(chats, "OPENAI_URL", server.url)
        there = told["STILLTRUE_LLM"]
        if there != "openai":
            parts = urlsplit(there)
            assert parts.scheme == (
                "http" if parts.hostname == "127.0.0.1" else "https"
            )  # a key in the clear goes nowhere
            there = there.replace(f"{parts.scheme}://{parts.netloc}", here)
        environment = {**told, "STILLTRUE_LLM": there}
        chat = chat_of(Settings.from_environment(environment), environment)

        assert chat.complete("Are you well?", "Say so.", SCHEMA).text == '{"well": true}'

        [asked] = server.completions
        assert asked.path == f"{path}/chat/completions"
        assert asked.body["model"] == told["STILLTRUE_LLM_MODEL"]
        sent = {header.lower(): value for header, value in asked.headers.items()}
        assert sent.get("authorization") == (f"Bearer {key}" if key else None)


@pytest.mark.parametrize("reply", ['{"well": true}', 'Certainly!\n```json\n{"well": true}\n```'])
def test_a_server_that_overlooks_the_form_is_not_asked_twice(reply):
    """As Anthropic's layer does: the form in the request is neither kept nor refused."""
    with ScriptedServer(reply) as server:
        chat = chats.OpenAIChat(model="any", url=server.url)
        assert chat.complete("Are you well?", "Say so.", SCHEMA).text == reply
        assert len(server.completions) == 1
