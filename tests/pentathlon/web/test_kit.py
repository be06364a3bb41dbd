"""The site hands out the very engines that it runs."""

import io
import re
from hashlib import sha256
from zipfile import ZipFile

import pytest
from django.test import Client

from pentathlon.env import CHECKOUT
from pentathlon.web.wheel import engines_wheel


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
