"""No request breaks the site: known ones, and thousands made up over a played tournament."""

from collections import Counter
from itertools import islice
from typing import Any

import pytest
from django.test import Client

from pentathlon.accounts.models import Scope, User
from pentathlon.bots.models import Bot, BotVersion
from pentathlon.matches.models import Match, SeatLog
from pentathlon.tournaments.models import Tournament
from tests.factories import make_staff, make_token, make_user
from tests.pentathlon.hostile_requests import HostileRequest, addresses, existing, made_up
from tests.pentathlon.web.scene import make_scene

pytestmark = pytest.mark.django_db

SECRET = "the weights of 4711 are nobody else’s business"
FORM = "application/x-www-form-urlencoded"


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/bots/?q=%00", 400),
        ("/bots/?author=%00", 400),
        ("/matches/?game=%00", 400),
        ("/leaderboards/tuned/?page=%00", 400),
        ("/api/v1/bots/?name=%00", 400),
        ("/api/schema/?version=%0d%0aX", 200),
        ("/api/schema/?version=%00", 400),
        ("/api/schema/?version=%22;filename=evil.html", 200),
    ],
)
def test_hostile_address_is_answered(path: str, status: int) -> None:
    answer = Client(raise_request_exception=False).get(path)

    assert answer.status_code == status
    assert "evil" not in answer.headers.get("Content-Disposition", "")


@pytest.mark.parametrize("path", ["/theme/", "/sign-in/", "/sign-up/", "/tournaments/1/start/"])
@pytest.mark.parametrize("charset", ["utf-7", "utf-16"])
def test_form_of_another_charset_is_refused_with_a_page(path: str, charset: str) -> None:
    answer = Client(raise_request_exception=False).generic(
        "POST", path, b"a=b", content_type=f"{FORM}; charset={charset}"
    )

    assert answer.status_code in {302, 400}
    assert answer.status_code == 302 or "Bad request" in answer.content.decode()


@pytest.mark.parametrize("wanted", ["x", "x/y", "//evil.example/", "https://evil.example/", "\0"])
def test_next_page_is_one_of_ours(wanted: str) -> None:
    answer = Client(raise_request_exception=False).post("/theme/", {"next": wanted})

    assert (answer.status_code, answer.headers["Location"]) == (302, "/")


def test_sign_up_shows_no_password_again() -> None:
    answer = Client().post("/sign-up/", {"username": "x", "password": "a secret of mine"})

    assert "a secret of mine" not in answer.content.decode()


@pytest.mark.parametrize("credentials", ["AGE6Yg==", "YQA6Yg==", "//8=", "x", ""])
def test_hostile_credentials_are_refused(credentials: str) -> None:
    answer = Client(raise_request_exception=False).get(
        "/api/v1/tokens/", headers={"Authorization": f"Basic {credentials}"}
    )

    assert answer.status_code == 401


def test_withdrawal_of_an_endless_number_is_refused() -> None:
    scene = make_scene()
    client = Client(raise_request_exception=False)
    client.force_login(scene.author)

    answer = client.post(f"/tournaments/{scene.open.pk}/withdraw/", {"version": "9" * 5000})

    assert answer.status_code in {302, 404}


def test_made_up_requests_break_nothing_and_tell_nothing(pytestconfig: pytest.Config) -> None:
    scene = make_scene()
    staff = make_staff(superuser=True)
    SeatLog.objects.update(text=SECRET)
    BotVersion.objects.filter(bot__owner=scene.author).update(
        validation_log=SECRET, repairs=[{"code": "junk", "detail": SECRET}]
    )
    people = _identities(scene.author, scene.organiser, staff)
    found = made_up(int(pytestconfig.getoption("randomly_seed")), known=_known())
    statuses: Counter[int] = Counter()
    broken = []

    for number, request in enumerate(islice(found, pytestconfig.getoption("requests"))):
        name, client = people[number % len(people)]
        answer = _send(client, request)
        statuses[answer.status_code] += 1
        if answer.status_code >= 500:
            broken.append(f"{answer.status_code} {name}: {request}")
        elif name in {"nobody", "rival"} and SECRET.encode() in _content(answer):
            broken.append(f"tells {name} a secret: {request}")

    assert broken == []
    assert statuses[200] > 0


def test_every_address_is_known_to_the_requests() -> None:
    known = addresses()

    assert "tournaments/{tournament_id}/withdraw/" in known
    assert "api/v1/tournaments/{pk}/crosstable/" in known
    assert "api/v1/replays/{pk}/board.svg" in known


def _identities(author: User, organiser: User, staff: User) -> list[tuple[str, Client]]:
    """Return clients of several people, with sessions and with tokens."""
    rival = make_user("rival")
    clients = [("nobody", Client(raise_request_exception=False))]
    for name, person in (("rival", rival), ("organiser", organiser), ("author", author)):
        clients.append((name, Client(raise_request_exception=False)))
        clients[-1][1].force_login(person)
        secret = make_token(person, scopes=list(Scope.values))[1]
        bearer = {"Authorization": f"Bearer {secret}"}
        clients.append((name, Client(raise_request_exception=False, headers=bearer)))
    clients.append(("staff", Client(raise_request_exception=False)))
    clients[-1][1].force_login(staff)
    return clients


def _known() -> dict[str, Any]:  # Any: ids of every kind
    def ids(model: Any) -> list[int]:
        return list(model.objects.values_list("pk", flat=True))

    matches = ids(Match)
    rows = {"matches": matches, "replays": matches, "bots": ids(Bot), "versions": ids(BotVersion)}
    return existing({**rows, "tournaments": ids(Tournament), "entries": ids(BotVersion)})


def _send(client: Client, request: HostileRequest) -> Any:  # Any: the test client's answer
    path, _, query = request.address.partition("?")
    return client.generic(
        request.method,
        path,
        request.body,
        content_type=request.content_type,
        headers=request.headers,
        QUERY_STRING=query,
    )


def _content(answer: Any) -> bytes:  # Any: the test client's answer
    return b"".join(answer.streaming_content) if answer.streaming else bytes(answer.content)
