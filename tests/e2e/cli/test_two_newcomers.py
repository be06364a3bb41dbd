"""The commands of the pages, copied by two people one after the other."""

import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from django.test import Client

from pentathlon.accounts.models import Scope
from pentathlon.bots.models import Bot, BotVersion
from pentathlon.bots.services import settle_validation
from pentathlon_engines.cli.client.connection import Credential, Credentials
from tests.deep import mostly_deep
from tests.e2e.cli.conftest import SITE
from tests.engines.commands import Run
from tests.factories import make_token, make_user
from tools.benchmark.newcomer.person import copied_commands

pytestmark = pytest.mark.django_db

_AT_THE_DESK = ("play", "check", "verify", "compare")


def commands_of(path: str) -> list[list[str]]:
    """Return the commands of a page that speak to the site, without `login`."""
    lines = map(shlex.split, copied_commands(Client().get(path).content.decode()))
    ours = [words[1:] for words in lines if words[0] == "pentathlon"]
    return [words for words in ours if words[0] not in ("login", *_AT_THE_DESK)]


def pass_checks() -> None:
    """Let the newest version play."""
    settle_validation(
        version_id=BotVersion.objects.latest("pk").pk, passed=True, reason="", log=""
    )


@pytest.mark.parametrize("signs_in_first", [True, False])
@pytest.mark.parametrize("path", mostly_deep(["/kit/", "/docs/first-bot/"], keep=["/kit/"]))
def test_commands_of_a_page_work_for_two_newcomers(
    path: str,
    signs_in_first: bool,
    run: Run,
    meanwhile: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    home = Path.cwd()
    for username in ("ada", "grace"):
        person = make_user(username)
        _, token = make_token(person, scopes=tuple(Scope.values))
        signed_in = Credentials(
            site=SITE, by_site={SITE: Credential(token=token, username=username)}
        )
        nobody = Credentials()
        desk = home / username
        desk.mkdir()
        monkeypatch.chdir(desk)
        for words in commands_of(path):
            (nobody if words[0] == "init" and not signs_in_first else signed_in).save()
            meanwhile(pass_checks)
            done = run(*words)
            assert done.code == 0, (words, done.err)
            for main in desk.glob("*/main.py"):
                main.write_text(f"{main.read_text()}# better\n")

    names = set(Bot.objects.values_list("owner__username", "name"))
    ends = {name.partition("-")[2] for _, name in names}
    assert len(ends) == 1
    assert ("grace", f"grace-{ends.pop()}") in names
    assert len(names) == len({name for _, name in names}) == 2
