"""The recipe for continuous integration, as its page prints it."""

import re
import shlex
from collections.abc import Callable

import pytest
from django.test import Client

from pentathlon.accounts.models import User
from pentathlon.bots.models import BotVersion
from pentathlon.bots.services import settle_validation
from pentathlon.tournaments.challenges.models import Challenge
from tests.engines.commands import Run
from tests.factories import make_version
from tests.pentathlon.tournaments.challenges.acting import play, waiting, won_by
from tests.pentathlon.web.pages import page_of
from tools.benchmark.newcomer.person import copied_texts

pytestmark = pytest.mark.django_db


def scripts() -> dict[str, list[str]]:
    """Return the lines of the scripts of the page, by their names."""
    answer = Client().get("/docs/ci/")
    texts = copied_texts(answer.content.decode())
    names = re.findall(r"Copy (\S+)", page_of(answer).text)
    return dict(zip(names, [text.splitlines() for text in texts], strict=True))


def test_recipe_runs_from_a_change_to_a_verdict(
    run: Run, author: User, meanwhile: Callable[..., None]
) -> None:
    make_version(owner=author, name="my-bot")
    assert run("init", "tuned", "--folder", "my-bot").code == 0
    found = scripts()

    def settle() -> None:
        version = BotVersion.objects.latest("pk")
        settle_validation(version_id=version.pk, passed=True, reason="", log="")

    def win() -> None:
        challenge = Challenge.objects.latest("pk")
        play(waiting(challenge), won_by(challenge.version))

    lines = [line for name in ("ci.sh", "release.sh") for line in found[name]]
    commands = [shlex.split(line)[1:] for line in lines if line.startswith("pentathlon ")]
    done = [run(*commands[0])]
    meanwhile(settle, win, win)
    done += [run(*command) for command in commands[1:]]

    assert [(words[0], each.code) for words, each in zip(commands, done, strict=True)] == [
        ("check", 0),
        ("submit", 0),
        ("compare", 0),
        ("submit", 0),
    ]
    assert not BotVersion.objects.latest("pk").is_candidate


def test_files_of_the_two_services_run_the_scripts_and_keep_the_token_secret() -> None:
    found = scripts()

    assert set(found) == {"ci.sh", "release.sh", ".github/workflows/bot.yml", ".gitlab-ci.yml"}
    for name in (".github/workflows/bot.yml", ".gitlab-ci.yml"):
        text = "\n".join(found[name])
        assert "sh ci.sh" in text
        assert "sh release.sh" in text
        assert "PENTATHLON_SITE: http://testserver" in text
        assert "ptl_" not in text
    assert "${{ secrets.PENTATHLON_TOKEN }}" in "\n".join(found[".github/workflows/bot.yml"])


@pytest.mark.parametrize("name", ["ci.sh", "release.sh"])
def test_scripts_install_from_this_site_first(name: str) -> None:
    first, second, *_ = scripts()[name]

    assert first == "set -eu"
    assert re.fullmatch(r'pip install ".*/kit/pentathlon_engines-\S+#sha256=\w+"', second)
