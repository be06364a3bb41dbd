"""What pages read out of a request, whatever somebody has written into it."""

import csv
import io

import pytest
from django.contrib.auth.models import AnonymousUser
from django.contrib.messages.storage.cookie import CookieStorage
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.test import RequestFactory

from pentathlon.core.csv_files import csv_table, csv_text
from pentathlon.core.errors import Conflict, DomainError, NotAllowed, NotFound
from pentathlon.web import requests
from pentathlon.web.requests import handle_domain_errors

_MANY = "9" * 16


def asked(query: str = "", **headers: str) -> HttpRequest:
    request = RequestFactory(headers=headers or None).get(f"/?{query}")
    request.user = AnonymousUser()
    return request


def posted(**fields: str) -> HttpRequest:
    return RequestFactory().post("/", fields)


def test_page_for_people_is_refused_to_nobody() -> None:
    assert requests.person(asked()) is None
    with pytest.raises(PermissionDenied, match=r"Sign in first\."):
        requests.signed_in_user(asked())


@pytest.mark.parametrize(
    ("query", "number"),
    [
        ("n=7", 7),
        ("n=007", 7),
        ("", None),
        ("n=", None),
        ("n=-7", None),
        ("n=7.0", None),
        ("n=seven", None),
        ("n=%D9%A7", None),
        (f"n={_MANY}", None),
        ("m=7", None),
    ],
)
def test_number_is_a_whole_one_that_a_row_may_have(query: str, number: int | None) -> None:
    assert requests.query_number(asked(query), "n") == number


def test_numbers_keep_their_order_and_nonsense_is_left_out() -> None:
    assert requests.query_numbers(asked("n=3&n=x&n=1&n=3"), "n") == [3, 1, 3]


@pytest.mark.parametrize(
    ("query", "text"),
    [("q=+two+words+", "two words"), ("", ""), ("q=" + "x" * 99, "x" * 64)],
)
def test_text_is_cut_to_what_can_be_searched(query: str, text: str) -> None:
    assert requests.query_text(asked(query), "q") == text


def test_posted_nonsense_is_a_number_that_no_row_has() -> None:
    assert requests.posted_number(posted(n="x"), "n") == 0
    assert requests.posted_number(posted(n="x"), "n", otherwise=9) == 9
    assert requests.posted_number(posted(n="5"), "n") == 5


@pytest.mark.parametrize(("header", "is_part"), [("true", True), ("1", False)])
def test_open_page_says_that_it_wants_a_part(header: str, is_part: bool) -> None:
    assert requests.wants_part(asked(**{"X-Part": header})) is is_part
    assert not requests.wants_part(asked())


@pytest.mark.parametrize(
    ("wanted", "leads_to"),
    [
        ("/bots/7/?tab=log", "/bots/7/?tab=log"),
        ("", "/"),
        ("home", "/"),
        ("https://evil.example/", "/"),
        ("//evil.example/", "/"),
        ("/\\evil.example/", "/"),
        ("javascript:alert(1)", "/"),
    ],
)
def test_nobody_is_led_away_from_the_site(wanted: str, leads_to: str) -> None:
    assert requests.local_address(posted(next=wanted)) == leads_to


def test_posted_numbers_are_those_that_rows_may_have() -> None:
    request = RequestFactory().post("/", {"n": ["3", "9" * 5000, "\u0661", "1"]})

    assert requests.posted_numbers(request, "n") == [3, 1]


def answer_to(error: DomainError) -> tuple[HttpResponse, CookieStorage]:
    @handle_domain_errors
    def view(request: HttpRequest) -> HttpResponse:
        raise error

    request = RequestFactory().post("/tournaments/7/start/")
    told = CookieStorage(request)
    request._messages = told  # type: ignore[attr-defined]  # as the middleware sets it
    return view(request), told


def test_refusal_is_told_on_the_page_one_came_from() -> None:
    answer, told = answer_to(Conflict("It has started already."))

    assert (answer.status_code, answer["Location"]) == (302, "/tournaments/7/")
    assert [message.message for message in told] == ["It has started already."]


def test_what_is_hidden_is_not_there() -> None:
    with pytest.raises(Http404, match="No such match"):
        answer_to(NotFound("No such match."))


def test_what_one_may_not_do_is_forbidden() -> None:
    with pytest.raises(PermissionDenied, match="Not yours"):
        answer_to(NotAllowed("Not yours."))


def test_long_table_comes_in_pieces_of_whole_lines() -> None:
    rows = [(number, "x" * 90) for number in range(3000)]

    pieces = [*csv_table("results", columns=("number", "text"), rows=rows)]

    assert len(pieces) > 3
    assert all(piece.endswith(b"\r\n") for piece in pieces)
    read = list(csv.reader(io.StringIO(b"".join(pieces).decode())))
    assert read == [["number", "text"], *([str(number), text] for number, text in rows)]


def test_table_is_a_file_with_a_name() -> None:
    answer = csv_table("cup-7", columns=("bot",), rows=[])

    assert answer["Content-Disposition"] == 'attachment; filename="cup-7.csv"'
    assert b"".join([*answer]) == b"bot\r\n"


@pytest.mark.parametrize("cell", ["=1+1", "+1", "-1", "@x", "\tx", "\rx"], ids=repr)
def test_name_that_a_spreadsheet_would_compute_is_text(cell: str) -> None:
    (row,) = list(csv.reader(io.StringIO(csv_text((), [(cell, -1.5)]).lstrip(), newline="")))

    assert row == [f"'{cell}", "-1.5"]
