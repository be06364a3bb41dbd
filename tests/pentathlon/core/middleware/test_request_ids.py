import json

import pytest
from django.test import Client
from structlog.testing import capture_logs

from pentathlon.fleet.tokens import create_worker_token
from pentathlon.web.views import home

pytestmark = pytest.mark.django_db


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
