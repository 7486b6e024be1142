"""Which server is asked, with which key? What the setting and the environment say, and nobody else."""

import pytest

from stilltrue import Memory
from stilltrue.errors import InvalidInputError, ModelError
from stilltrue.settings import Settings
from stilltrue.wiring import chat_of

OWN, THEIRS = "sk-own", "sk-openai"
BOTH = {"STILLTRUE_LLM_API_KEY": OWN, "OPENAI_API_KEY": THEIRS}


def key_sent(server, chat):
    chat.complete("a", "b", {"type": "object"})
    return {name.lower(): value for name, value in server.completions[-1].headers.items()}.get("authorization")


@pytest.mark.parametrize("told", ["off", "OFF", " off "])
def test_C1_off_means_nobody_is_asked(told):
    assert chat_of(Settings(llm=told), BOTH) is None


def test_off_is_the_default():
    assert chat_of(Settings(), BOTH) is None
    with Memory.open(":memory:") as memory:
        assert memory.engine.expert is None


@pytest.mark.parametrize(
    ("environ", "key"), [(BOTH, OWN), ({"OPENAI_API_KEY": THEIRS}, THEIRS), ({"STILLTRUE_LLM_API_KEY": OWN}, OWN)]
)
def test_openai_takes_either_key(environ, key):
    chat = chat_of(Settings(llm="openai"), environ)
    assert chat.host == "api.openai.com"
    assert chat.model == "gpt-4o-mini"
    assert chat._headers == {"Authorization": f"Bearer {key}"}


@pytest.mark.parametrize("environ", [{}, {"OPENAI_API_KEY": " "}])
def test_openai_without_a_key_says_where_it_goes(environ):
    with pytest.raises(ModelError, match="STILLTRUE_LLM_API_KEY or OPENAI_API_KEY"):
        chat_of(Settings(llm="openai"), environ)


def test_openais_key_goes_to_no_other_host(server):
    assert key_sent(server, chat_of(Settings(llm=server.url), {"OPENAI_API_KEY": THEIRS})) is None


def test_another_hosts_key_goes_to_it(server):
    assert key_sent(server, chat_of(Settings(llm=server.url), BOTH)) == f"Bearer {OWN}"


def test_the_settings_reach_the_chat(server):
    settings = Settings(llm=server.url, llm_model="small", llm_timeout_seconds=1.5, llm_retries=0, llm_concurrency=3)
    chat = chat_of(settings, {})
    chat.complete("a", "b", {"type": "object"})
    assert server.completions[-1].body["model"] == "small"
    assert (chat._timeout, chat._retries, chat._concurrency) == (1.5, 0, 3)


@pytest.mark.parametrize("told", ["", "on", "true", "gpt-4o-mini", "openai.com", "file:///x", "http://u:p@host/v1"])
def test_a_bad_value_is_told_when_the_memory_is_opened(told, tmp_path):
    with pytest.raises(InvalidInputError, match="setting llm"):
        Memory.open(tmp_path / "memory.db", settings=Settings(llm=told))


def test_B7_the_setting_gives_an_expert_that_names_its_model(server):
    with Memory.open(":memory:", settings=Settings(llm=server.url, llm_model="small")) as memory:
        assert "small" in memory.engine.expert.model_version
        assert server.asked == []


def test_an_expert_of_ones_own_wins_over_the_setting(server):
    own = object()
    with Memory.open(":memory:", settings=Settings(llm=server.url), expert=own) as memory:
        assert memory.engine.expert is own
