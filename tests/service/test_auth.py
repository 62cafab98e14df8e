from __future__ import annotations

from pathlib import Path

import pytest

from duelist.core.errors import BadInput
from duelist.service.auth import Token, hash_token
from duelist.service.routes import ROUTES
from duelist.service.settings import read_settings

from .helpers import ARMS, ONE, Http, serving

TOKENS = tuple(Token(f"{role}er", role, hash_token(f"secret {role}")) for role in ("read", "write", "admin"))


def bearer(secret: str) -> dict[str, str]:
    return {"authorization": f"Bearer {secret}"}


@serving(tokens=TOKENS)
async def test_every_route_wants_its_role(http: Http) -> None:
    ranks = ["", "read", "write", "admin"]
    for route in ROUTES:
        path = route.path.replace("{name}", "search")
        nobody, stranger = await http(route.method, path), await http(route.method, path, headers=bearer("guess"))
        assert (nobody.status == 401) == (stranger.status == 401) == (route.role != ""), route.path
        if route.role:
            assert nobody.headers["www-authenticate"] == "Bearer"
            assert nobody.code == "unauthorized"
        if route.path.endswith("/stream"):  # who may have it gets one that does not end
            continue
        for role in ranks[1:]:
            found = (await http(route.method, path, headers=bearer(f"secret {role}"))).status
            assert (found == 403) == (ranks.index(role) < ranks.index(route.role)), (route.path, role)
            assert found != 401


@serving(tokens=TOKENS)
async def test_the_journal_says_who_changed_an_experiment(http: Http) -> None:
    admin = bearer("secret admin")
    await http.post("/v1/experiments", ARMS, headers=admin)
    await http.post(f"{ONE}/start", headers=admin)
    lines = (await http("GET", f"{ONE}/events", headers=bearer("secret read"))).body
    assert lines.count('"by":"adminer"') == 2
    assert "secret" not in lines


def test_settings_of_file_environment_and_command_line(tmp_path: Path) -> None:
    file = tmp_path / "duelist.toml"
    file.write_text(
        'journal = "memory://"\nport = 9000\nmax_events = 7\n'
        f'[[tokens]]\nname = "ops"\nrole = "admin"\nhash = "{hash_token("x")}"\n'
    )
    found = read_settings(file, {"DUELIST_PORT": "9001", "DUELIST_TICK": "0.5", "DUELIST_READ_TOKEN": "r"}, {"port": 1})
    assert (found.journal, found.port, found.max_events, found.tick) == ("memory://", 1, 7, 0.5)
    assert [(token.name, token.role) for token in found.tokens] == [("ops", "admin"), ("read", "read")]
    assert "'r'" not in repr(found)
    for text in ("port = 'x'", "prot = 1", "port = ", '[[tokens]]\nname="a"\nrole="admin"\nhash="plain"'):
        file.write_text(text)
        with pytest.raises(BadInput, match="settings"):
            read_settings(file)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.7", "example.org"])
def test_elsewhere_only_with_tokens(host: str) -> None:
    with pytest.raises(BadInput, match="no tokens"):
        read_settings(given={"host": host})
    assert read_settings(environment={"DUELIST_ADMIN_TOKEN": "s"}, given={"host": host}).host == host
