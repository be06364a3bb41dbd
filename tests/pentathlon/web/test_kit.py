"""The site hands out the very engines that it runs."""

import io
import os
import re
import shlex
import shutil
from hashlib import sha256
from pathlib import Path
from zipfile import ZipFile

import pytest
from django.test import Client

from pentathlon.core.wheel import build_wheel, engines_wheel
from pentathlon.env import CHECKOUT
from pentathlon_engines.cli.main import COMMANDS
from tests.local.newcomer import PAGES_WITH_COMMANDS
from tests.pentathlon.web.pages import page_of


def test_wheel_holds_the_engines_of_this_site() -> None:
    wheel = engines_wheel()

    answer = Client().get(f"/kit/{wheel.name}")

    assert answer.status_code == 200
    assert sha256(answer.content).hexdigest() == wheel.sha256
    with ZipFile(io.BytesIO(answer.content)) as files:
        runner = files.read("pentathlon_engines/runner.py")
    assert runner == (CHECKOUT / "engines/pentathlon_engines/runner.py").read_bytes()


def test_wheel_is_the_same_whoever_builds_it() -> None:
    first = engines_wheel()
    engines_wheel.cache_clear()

    assert engines_wheel() == first


def test_other_wheel_is_not_there() -> None:
    answer = Client().get("/kit/pentathlon_engines-99-py3-none-any.whl")

    assert answer.status_code == 404


@pytest.mark.django_db
@pytest.mark.parametrize(
    "path", ["/docs/bots/", "/docs/verify/", "/games/tuned/", "/games/azure/"]
)
def test_pages_name_no_package_that_a_stranger_could_register(path: str) -> None:
    page = Client().get(path).content.decode()

    installs = re.findall(r"pip install [^\n<]*", page)

    assert installs
    assert all(f"/kit/{engines_wheel().name}#sha256=" in line for line in installs)


def test_wheel_does_not_depend_on_who_checked_the_files_out(tmp_path: Path) -> None:
    copy = tmp_path / "engines"
    shutil.copytree(CHECKOUT / "engines", copy, ignore=shutil.ignore_patterns("__pycache__"))
    for path in copy.rglob("*.py"):
        path.chmod(0o600)
        os.utime(path, (1e9, 1e9))

    assert build_wheel(copy) == engines_wheel()


def test_unchanged_wheel_is_not_sent_again() -> None:
    wheel = engines_wheel()
    address = f"/kit/{wheel.name}"

    first = Client().get(address)
    again = Client().get(address, headers={"If-None-Match": first["ETag"]})

    assert first["Cache-Control"] == "public, no-cache"
    assert (again.status_code, again.content) == (304, b"")


def test_install_line_is_one_word_to_every_shell() -> None:
    wheel = engines_wheel()

    line = Client().get("/api/v1/kit/").json()["install"]

    assert shlex.split(line) == [
        "pip",
        "install",
        f"pentathlon-engines[cli] @ http://testserver/kit/{wheel.name}#sha256={wheel.sha256}",
    ]
    # Windows' shell knows double quotes only; sh would act on these signs inside of them.
    assert "'" not in line
    assert not set(line) & set("$`\\!")


@pytest.mark.django_db
def test_kit_page_names_every_command() -> None:
    response = Client().get("/kit/")

    named = set(re.findall(r"<code>([a-z]+)</code>", response.content.decode()))
    assert set(COMMANDS) <= named
    assert engines_wheel().sha256 in page_of(response).text


def test_commands_are_printed_in_one_way_only() -> None:
    folder = CHECKOUT / "platform/pentathlon/web/templates"
    printing, others = set(), set()
    for path in folder.rglob("*.html"):
        text = path.read_text()
        if "{% shell %}" in text:
            printing.add(path.relative_to(folder / "web").as_posix())
        blocks = r"{% shell %}.*?{% endshell %}|{% script .*?%}.*?{% endscript %}"
        without = re.sub(blocks, "", text, flags=re.DOTALL)
        if re.search(r'class="prompt"|<pre[^>]*>[^<]*(pip install|pentathlon |curl )', without):
            others.add(path.name)

    assert others == set()
    # Add a new page with commands to these, so that the newcomer tries them.
    assert printing == {*PAGES_WITH_COMMANDS, "join_worker.html"}  # that one: `test_joining`


def test_names_of_commands_on_pages_exist() -> None:
    folder = CHECKOUT / "platform/pentathlon/web/templates"
    texts = [path.read_text() for path in [*folder.rglob("*.html"), *CHECKOUT.glob("*/*.md")]]

    named = {verb for text in texts for verb in re.findall(r"[>`]pentathlon ([a-z]+)", text)}

    assert named <= set(COMMANDS)
    assert {"login", "verify"} <= named
