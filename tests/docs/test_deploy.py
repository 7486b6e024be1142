"""Is what people deploy in order? The compose file has no secret in it, and calls verbs and options that there are."""

import re
from pathlib import Path

import pytest
import yaml

from stilltrue.faces.cli import main

COMPOSE = Path(__file__).parents[2] / "deploy" / "docker-compose.yml"
SECRET = re.compile(r"password|secret|token|key", re.IGNORECASE)


@pytest.fixture(scope="module")
def compose():
    return yaml.safe_load(COMPOSE.read_text(encoding="utf-8"))


def test_no_secret_stands_in_the_compose_file(compose):
    for service in compose["services"].values():
        for name, value in service.get("environment", {}).items():
            assert not SECRET.search(name) or value.startswith("/run/secrets/"), name
            assert not re.search(r"://[^/@]*:[^/@]*@", value), name
    assert all(set(source) == {"file"} for source in compose["secrets"].values())
    assert set(compose["services"]) == {"postgres", "api", "worker"}


@pytest.mark.parametrize("service", ["api", "worker"])
def test_a_service_calls_what_there_is(compose, service, capsys):
    verb, *words = compose["services"][service]["command"]
    with pytest.raises(SystemExit) as ended:
        main([verb, "--help"])
    assert ended.value.code == 0
    shown = capsys.readouterr().out
    assert all(word in shown for word in words if word.startswith("--"))


def test_only_this_machine_reaches_the_api(compose):
    assert all(port.startswith("127.0.0.1:") for port in compose["services"]["api"]["ports"])
    assert "ports" not in compose["services"]["postgres"]
