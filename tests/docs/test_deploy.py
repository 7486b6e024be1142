"""Is what people deploy in order? The compose file has no secret in it, and calls verbs and options that there are."""

import re
from pathlib import Path
from urllib.parse import urlsplit

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


def test_what_the_memory_connects_as_is_no_superuser(compose):
    """The superuser of the image would pass the wall between spaces by right, and so would the role of its name."""
    postgres, owner = compose["services"]["postgres"], compose["configs"]["owner"]["content"]
    address = urlsplit(compose["x-stilltrue"]["environment"]["STILLTRUE_DB"])
    assert "POSTGRES_USER" not in postgres["environment"]
    assert address.username not in {"postgres", "stilltrue"}
    assert f"CREATE ROLE {address.username} LOGIN PASSWORD" in owner
    assert f"ALTER DATABASE {address.path[1:]} OWNER TO {address.username};" in owner
    assert address.path[1:] == postgres["environment"]["POSTGRES_DB"]
    assert postgres["configs"] == [{"source": "owner", "target": "/docker-entrypoint-initdb.d/owner.sql"}]
    assert f"{address.hostname}:{address.port}:*:{address.username}:" in COMPOSE.read_text(encoding="utf-8")


def test_the_database_is_healthy_only_where_others_reach_it(compose):
    """While the image prepares a new database, a server that will be stopped again answers at the socket."""
    asked = compose["services"]["postgres"]["healthcheck"]["test"]
    assert asked[:4] == ["CMD", "pg_isready", "--host", "127.0.0.1"]
