"""No text that a database refuses comes in by an address, a header or a cookie."""

import json
import re
import sys
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from django.test import Client
from django.urls import Resolver404, resolve
from structlog.testing import capture_logs

from pentathlon.bots.models import Bot, BotVersion
from pentathlon.fleet.tokens import create_worker_token
from pentathlon.matches.models import Match
from pentathlon.tournaments.models import Tournament
from pentathlon.web.views import home
from tests.factories import make_staff
from tests.pentathlon.hostile_requests import addresses, existing
from tests.pentathlon.web.scene import make_scene

pytestmark = pytest.mark.django_db

_ZERO: Final = "%00"
_SURROGATE: Final = "%ED%A0%80"
_NAME: Final = re.compile(r"\b(?:query_\w+|GET\.get(?:list)?)\((?:request, )?\"(\w+)\"")
_SCHEMA: Final = Path(__file__).parents[4] / "api" / "schema.yaml"
_ADMIN: Final = ("q", "o", "p", "_changelist_filters", "id__exact")


@pytest.mark.parametrize(
    "path",
    ["/leaderboards/tuned/?scope=%00", "/people/a%00b/", "/bots/?a%00b=1", "/%00", "/static/%00"],
)
def test_zero_byte_in_an_address_is_refused_with_a_page(client: Client, path: str) -> None:
    answer = client.get(path)

    assert answer.status_code == 400
    assert "zero byte" in answer.content.decode()


@pytest.mark.parametrize("path", ["/api/v1/people/%00/", "/api/v1/leaderboards/tuned/?scope=%00"])
def test_zero_byte_in_an_address_of_the_api_is_a_problem(client: Client, path: str) -> None:
    answer = client.get(path)

    assert answer.headers["Content-Type"] == "application/problem+json"
    assert (answer.status_code, answer.json()["code"]) == (400, "zero_byte")


@pytest.mark.parametrize("cookie", ['sessionid="aaaaaaaaaaaa\\000"', "theme=a\0b"])
def test_zero_byte_in_a_cookie_is_refused(client: Client, cookie: str) -> None:
    assert client.get("/", headers={"Cookie": cookie}).status_code == 400


def test_zero_byte_in_a_header_is_refused(client: Client) -> None:
    assert client.get("/", headers={"User-Agent": "a\0b"}).status_code == 400


def test_escaped_percent_sign_is_no_zero_byte(client: Client) -> None:
    assert client.get("/bots/?q=%2500").status_code == 200


@pytest.mark.deep
def test_no_path_and_no_query_breaks_a_page() -> None:
    """Every address with both texts in each place of its path, and in all of its parameters."""
    _walk(_hostile_addresses(is_query_whole=True))


@pytest.mark.deep
def test_no_single_parameter_breaks_a_page() -> None:
    """A wrong parameter may hide what another does; thousands of requests take minutes."""
    _walk(_hostile_addresses(is_query_whole=False))


def _walk(hostile: Iterator[str]) -> None:
    make_scene()
    client = Client(raise_request_exception=False)
    client.force_login(make_staff(superuser=True))
    broken, asked = [], 0
    for address in hostile:
        path, _, query = address.partition("?")
        status = client.get(path, QUERY_STRING=query).status_code
        asked += 1
        is_broken = status >= 500 and status != HTTPStatus.NOT_IMPLEMENTED
        if is_broken or (_ZERO in address and status != 400):
            broken.append((status, address))

    assert broken == []
    assert asked > 500


def _hostile_addresses(*, is_query_whole: bool) -> Iterator[str]:
    known = _known()
    parameters = _parameters_of_the_api()
    for route in addresses():
        parts = route.split("/")
        good = [_existing(parts, place, known) for place in range(len(parts))]
        path = f"/{'/'.join(good)}"
        names = parameters.get(_shape(f"/{route}"), ()) or _parameters_of_the_view(path)
        for text in (_ZERO, _SURROGATE):
            for place, part in enumerate(parts):
                if "{" in part:
                    yield f"/{'/'.join([*good[:place], text, *good[place + 1 :]])}"
            queries = [f"{name}={text}" for name in names]
            yield from (
                [f"{path}?{'&'.join(queries)}"]
                if is_query_whole
                else (f"{path}?{query}" for query in queries)
            )


def _existing(parts: list[str], place: int, known: dict[str, Any]) -> str:
    if "{" not in parts[place]:
        return parts[place]
    return str((*known.get(parts[place - 1], ()), 1)[0])


def _parameters_of_the_api() -> dict[str, list[str]]:
    document = yaml.safe_load(_SCHEMA.read_text())
    return {
        _shape(path): [
            each["name"]
            for each in ways.get("get", {}).get("parameters", ())
            if each["in"] == "query"
        ]
        for path, ways in document["paths"].items()
    }


def _shape(path: str) -> str:
    """Return a path without the names of what varies in it."""
    return re.sub(r"\{\w+\}", "{}", path)


def _parameters_of_the_view(path: str) -> list[str]:
    """Return the names that the module of a page reads from the query, and those of all lists."""
    try:
        view = resolve(path).func
    except Resolver404:
        return []
    if path.startswith("/admin/"):
        return [*_ADMIN]
    module = sys.modules.get(view.__module__)
    source = Path(module.__file__).read_text() if module is not None and module.__file__ else ""
    return sorted({*_NAME.findall(source), "page", "before", "after", "author", "game"})


def _known() -> dict[str, Any]:  # Any: ids of every kind
    kinds: dict[str, Any] = {"matches": Match, "bots": Bot, "versions": BotVersion}
    kinds["tournaments"] = Tournament
    rows = {
        name: list(kind.objects.values_list("pk", flat=True)[:1]) for name, kind in kinds.items()
    }
    return existing(rows)


def test_id_of_the_client_goes_back() -> None:
    answer = Client().get("/games/", headers={"X-Request-ID": "abc-123"})

    assert answer["X-Request-ID"] == "abc-123"


@pytest.mark.parametrize("told", ["", "a b", "x" * 65, "é", "a\u2028b", "{}"])
def test_id_that_logs_cannot_hold_is_replaced(told: str) -> None:
    answer = Client().get("/games/", headers={"X-Request-ID": told})

    assert answer["X-Request-ID"] not in {"", told}
    assert answer["X-Request-ID"].isascii()


def test_every_request_has_another_one() -> None:
    answers = [Client().get("/healthz")["X-Request-ID"] for _ in range(3)]

    assert len(set(answers)) == 3


def test_problem_names_it() -> None:
    answer = Client().get("/api/v1/bots/9999/", headers={"X-Request-ID": "abc-123"})

    assert json.loads(answer.content)["request_id"] == "abc-123"


def test_page_of_a_mistake_of_ours_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ArithmeticError("ours")

    monkeypatch.setattr(home, "render", fail)

    answer = Client(raise_request_exception=False).get("/", headers={"X-Request-ID": "abc-123"})

    assert answer.status_code == 500
    assert b"abc-123" in answer.content


def test_line_says_how_long_it_took_and_not_what_was_looked_for() -> None:
    with capture_logs() as logs:
        Client().get("/bots/?q=secret")

    line = next(line for line in logs if line["event"] == "request")
    assert (line["method"], line["path"], line["status"]) == ("GET", "/bots/", 200)
    assert line["duration_ms"] > 0
    assert "secret" not in json.dumps(line)


def test_probes_that_succeed_leave_no_line() -> None:
    with capture_logs() as logs:
        Client().get("/healthz")

    assert logs == []


def test_refused_worker_leaves_a_line_and_routine_none() -> None:
    _, secret = create_worker_token(actor=None, name="machine", work=["rated"])
    with capture_logs() as logs:
        for token in (secret, "ptw_unknown"):
            Client().post(
                "/api/v1/fleet/leases/",
                {"leases": []},
                content_type="application/json",
                headers={"Authorization": f"Bearer {token}"},
            )

    assert [line["status"] for line in logs if line["event"] == "request"] == [401]
