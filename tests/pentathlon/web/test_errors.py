"""Pages for requests that no view can answer: they need neither a database nor the request."""

import pytest
from django.db import OperationalError
from django.http import HttpResponse
from django.test import RequestFactory
from structlog.contextvars import bound_contextvars

from pentathlon.core.errors import Unavailable
from pentathlon.web.views.errors import bad_request, server_error

REQUEST = RequestFactory().get("/")


def answer_after(error: Exception) -> HttpResponse:
    def fail() -> None:
        raise error

    with bound_contextvars(request_id="r-7"):
        try:
            fail()
        except Exception:  # as Django calls it: while the error is being handled
            return server_error(REQUEST)
    raise AssertionError


def test_error_that_nobody_foresaw_gives_the_id_to_ask_about() -> None:
    answer = answer_after(ValueError("a secret of the host"))

    assert answer.status_code == 500
    assert "r-7" in answer.content.decode()
    assert "secret" not in answer.content.decode()


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OperationalError("could not connect to 10.0.0.7"), "The database does not answer"),
        (Unavailable("The store of replays is away."), "The store of replays is away."),
    ],
    ids=repr,
)
def test_outage_is_told_as_one_and_passes(error: Exception, said: str) -> None:
    answer = answer_after(error)

    assert (answer.status_code, answer["Retry-After"]) == (503, "5")
    assert said in answer.content.decode()
    assert "10.0.0.7" not in answer.content.decode()


def test_form_that_cannot_be_read_is_told_without_reading_it() -> None:
    answer = bad_request(REQUEST, ValueError("too many fields"))

    assert answer.status_code == 400
    assert "<h1>" in answer.content.decode()
