"""Answers that several pages share."""

import csv
import io

import pytest
from django.contrib.messages.storage.cookie import CookieStorage
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.test import RequestFactory

from pentathlon.core.csv_files import csv_table, csv_text
from pentathlon.core.errors import Conflict, DomainError, NotAllowed, NotFound
from pentathlon.web.requests import handle_domain_errors


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
