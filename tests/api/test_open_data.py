"""Pages of other sites read what everybody may read, and `HEAD` and `OPTIONS` say the truth."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from pytest_django.plugin import DjangoDbBlocker

from pentathlon.accounts.models import User
from pentathlon.bots.models import Bot
from pentathlon.core.wheel import engines_wheel
from pentathlon.insight.datasets.models import Dataset
from pentathlon.tournaments.models import Tournament, TournamentMatch
from tests.api.client import V1, client_of
from tests.api.everything import addresses_of
from tests.databases import rows_for_a_module
from tests.factories import make_staff, make_user
from tests.pentathlon.insight.datasets.making import closed_cup, make_all

pytestmark = pytest.mark.django_db

ELSEWHERE = {"Origin": "https://elsewhere.example"}
_OWN_EACH_TIME = ("RateLimit", "X-Request-ID", "Set-Cookie", "Expires", "Content-Length")
"""Headers with the time, or the length of pages that tell something once."""

_VALUES = {
    "content_hash": "sha256:" + "0" * 64,
    "game": "tuned",
    "id": "00000000-0000-0000-0000-000000000000",
    "key": "tuned",
    "table": "matches",
}
"""Values in addresses, by their names; all others are numbers."""


@pytest.fixture(scope="module")
def cup(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Tournament]:
    with rows_for_a_module(django_db_blocker):
        closed = closed_cup()
        make_all()
        yield closed


@pytest.fixture
def match_id(cup: Tournament) -> int:
    return TournamentMatch.objects.filter(tournament=cup).values_list("match", flat=True)[0]


def preflight(address: str, method: str = "GET", **headers: str) -> Any:  # Any: of the client
    asked = {"Access-Control-Request-Method": method, **ELSEWHERE, **headers}
    return Client().options(address, headers=asked)


PUBLIC = (
    f"{V1}/games/",
    f"{V1}/bots/",
    f"{V1}/leaderboards/tuned/",
    f"{V1}/replays/{{match}}/",
    f"{V1}/replays/{{match}}/board.svg",
    f"{V1}/datasets/{{dataset}}/decisions/1.ndjson",
    f"{V1}/tournaments/{{cup}}/standings.csv",
    "/api/schema/",
    "/matches/{match}/record.json",
    "/matches/{match}/board.svg",
    "/tournaments/{cup}/feed.xml",
    "/oembed/?url=http://testserver/matches/{match}/",
    "/kit/{wheel}",
    "/datasets/schema.json",
    "/vectors/tuned.json",
    "/bots/{bot}/badge.svg",
)


@pytest.fixture
def addresses(cup: Tournament, match_id: int) -> list[str]:
    names = {
        "match": match_id,
        "cup": cup.pk,
        "dataset": Dataset.objects.values_list("pk", flat=True)[0],
        "wheel": engines_wheel().name,
        "bot": Bot.objects.values_list("pk", flat=True)[0],
    }
    return [address.format(**names) for address in PUBLIC]


def test_page_of_another_site_may_read_what_is_public(addresses: list[str]) -> None:
    for address in addresses:
        answer = Client().get(address, headers=ELSEWHERE)

        assert answer.status_code == 200, address
        assert answer["Access-Control-Allow-Origin"] == "*", address
        assert {"ETag", "Link", "RateLimit", "Retry-After", "Content-Range"} <= set(
            answer["Access-Control-Expose-Headers"].split(", ")
        )
        assert "Access-Control-Allow-Credentials" not in answer


def test_browser_may_ask_before_it_reads(addresses: list[str]) -> None:
    for address in addresses:
        answer = preflight(address)

        assert (answer.status_code, answer.content) == (204, b""), address
        assert answer["Access-Control-Allow-Origin"] == "*"
        assert answer["Access-Control-Allow-Methods"] == "GET, HEAD"
        sent = answer["Access-Control-Allow-Headers"].split(", ")
        assert {"Accept", "Authorization", "If-None-Match", "Range"} <= set(sent)
        assert "Access-Control-Allow-Credentials" not in answer


@pytest.mark.parametrize("method", ["POST", "PATCH", "DELETE"])
def test_nothing_is_changed_from_another_site(method: str) -> None:
    client = client_of(make_user())

    asked = preflight(f"{V1}/tournaments/", method)
    answer = client.generic(method, f"{V1}/tournaments/", "{}", headers=ELSEWHERE)

    # Browsers send a POST without asking for the method, so nothing at all may be allowed.
    assert [name for name in asked.headers if name.startswith("Access-Control-")] == []
    assert "Access-Control-Allow-Origin" not in answer


def test_answer_to_a_cookie_is_shown_to_no_other_site() -> None:
    """A browser shows no answer to a request with cookies unless it names origin and cookies."""
    client = Client()
    client.force_login(make_user())

    answer = client.get(f"{V1}/me/", headers=ELSEWHERE)

    assert answer.status_code == 200
    assert answer["Access-Control-Allow-Origin"] == "*"
    assert "Access-Control-Allow-Credentials" not in answer
    assert answer["Cache-Control"] == "private, no-store"


@pytest.mark.parametrize("path", ["/account/", "/account/data/export.zip", "/admin/", "/"])
def test_pages_are_shown_to_no_other_site(path: str) -> None:
    answer = Client().get(path, headers=ELSEWHERE)

    assert "Access-Control-Allow-Origin" not in answer
    assert "Access-Control-Allow-Origin" not in preflight(path)


def test_page_of_another_site_is_told_why_it_is_refused() -> None:
    answer = Client().get(f"{V1}/me/", headers=ELSEWHERE)

    assert answer.status_code == 401
    assert answer["Access-Control-Allow-Origin"] == "*"


def _patterns(resolver: URLResolver) -> Iterator[URLPattern]:
    for entry in resolver.url_patterns:
        if isinstance(entry, URLResolver):
            yield from _patterns(entry)
        elif getattr(entry.callback, "cls", None) is not None and entry.name:
            yield entry


def test_options_are_true_at_every_address_of_the_api(cup: Tournament) -> None:
    del cup
    seen = 0
    for pattern in _patterns(get_resolver()):
        view: Any = pattern.callback
        taken = set(getattr(view, "actions", None) or {}) or {"get"}
        address = _example(pattern)
        answer = Client().options(address)
        assert answer.status_code == 204, address
        allowed = answer["Allow"].split(", ")
        assert {name.upper() for name in taken} <= set(allowed), address
        assert ("HEAD" in allowed) == ("GET" in allowed), address
        refused = Client().generic("TRACE", address)
        assert "Allow" not in refused or set(refused["Allow"].split(", ")) == set(allowed), address
        seen += 1
    assert seen > 150


def _example(pattern: URLPattern) -> str:
    """Return an address of this pattern; nothing needs to be there."""
    names = pattern.pattern.regex.groupindex
    return reverse(f"api:{pattern.name}", kwargs={name: _VALUES.get(name, "1") for name in names})


@pytest.mark.deep
def test_head_is_a_get_without_its_body_at_every_address(cup: Tournament) -> None:
    """It takes some seconds, because it asks twice for some two hundred pages and files."""
    client = Client()
    client.force_login(User.objects.get(pk=cup.owner_id))
    addresses = sorted({address for _, address in addresses_of(cup, matches=(0,))})

    wrong = [address for address in addresses if _differ(client, address)]

    assert len(addresses) > 100
    assert wrong == []


def test_head_knows_the_length(addresses: list[str]) -> None:
    for address in addresses:
        whole, head = Client().get(address), Client().head(address)

        assert int(head["Content-Length"]) == len(whole.content), address
        assert head.content == b"", address


def _differ(client: Client, address: str) -> bool:
    whole, head = client.get(address), client.head(address)
    if isinstance(head, HttpResponse) and head.content:
        return True
    return (whole.status_code, _headers(whole)) != (head.status_code, _headers(head))


def _headers(answer: Any) -> dict[str, str]:  # Any: of the client
    return {
        name: value
        for name, value in answer.headers.items()
        if not name.startswith(_OWN_EACH_TIME)
    }


def test_what_is_public_depends_on_no_cookie(addresses: list[str]) -> None:
    client = Client()
    client.force_login(make_user())

    for address in addresses:
        answer = client.get(address)

        assert _is_shared(answer) or "standings.csv" in address
        assert _is_shared(answer) == ("Cookie" not in answer.headers.get("Vary", "")), address


def test_what_caches_share_is_the_same_for_everybody(
    cup: Tournament, pytestconfig: pytest.Config
) -> None:
    """Every address that says so, asked by nobody, by the organiser and author, and by staff.

    Only `deep` asks on where nobody is told so: what is public is public to whoever asks.
    """
    readers: list[User | None] = [None, User.objects.get(pk=cup.owner_id), make_staff()]
    clients = [Client() for _ in readers]
    for client, reader in zip(clients, readers, strict=True):
        if reader is not None:
            client.force_login(reader)
    shared = 0

    for _, address in sorted(set(addresses_of(cup, matches=(0,)))):
        answers = [clients[0].get(address)]
        if _is_shared(answers[0]) or pytestconfig.getoption("every_reader"):
            answers += [client.get(address) for client in clients[1:]]
        if not any(map(_is_shared, answers)):
            continue
        shared += 1
        assert len({_text(answer) for answer in answers}) == 1, address
        assert {answer["Cache-Control"] for answer in answers} == {answers[0]["Cache-Control"]}
    assert shared > 40


def _is_shared(answer: Any) -> bool:  # Any: of the client
    return "public" in answer.headers.get("Cache-Control", "")


def _text(answer: Any) -> bytes:  # Any: of the client
    return b"".join(answer.streaming_content) if answer.streaming else bytes(answer.content)


def test_what_is_private_depends_on_the_cookie() -> None:
    client = Client()
    client.force_login(make_user())

    answer = client.get(f"{V1}/me/")

    assert answer["Cache-Control"] == "private, no-store"
    assert "Cookie" in answer["Vary"]
