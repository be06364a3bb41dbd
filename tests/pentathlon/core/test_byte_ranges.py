"""A part of an answer is exactly the bytes that were asked for."""

from __future__ import annotations

import gzip

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory

from pentathlon.core.caching import answer_if_changed, answer_packed, in_part, tag_of
from pentathlon.core.wheel import engines_wheel

WHOLE = bytes(range(100))
TAG = tag_of("whole")


def asked(**headers: str) -> HttpRequest:
    return RequestFactory().get(
        "/", headers={name.replace("_", "-"): value for name, value in headers.items()}
    )


def answer_to(request: HttpRequest) -> HttpResponse:
    answer = answer_if_changed(request, tag=TAG, make=lambda: HttpResponse(WHOLE))
    assert isinstance(answer, HttpResponse)
    return answer


@pytest.mark.parametrize(
    ("wanted", "first", "last"),
    [
        ("bytes=0-0", 0, 0),
        ("bytes=10-19", 10, 19),
        ("bytes=90-", 90, 99),
        ("bytes=90-1000", 90, 99),
        ("bytes=-5", 95, 99),
        ("bytes=-500", 0, 99),
    ],
)
def test_part_is_sent_with_its_place(wanted: str, first: int, last: int) -> None:
    answer = answer_to(asked(Range=wanted))

    assert (answer.status_code, answer.content) == (206, WHOLE[first : last + 1])
    assert answer["Content-Range"] == f"bytes {first}-{last}/100"
    assert answer["ETag"] == TAG


@pytest.mark.parametrize("wanted", ["bytes=100-", "bytes=-0", "bytes=20-10", "bytes=9999999999-"])
def test_part_that_does_not_exist_is_refused_with_the_size(wanted: str) -> None:
    answer = answer_to(asked(Range=wanted))

    assert (answer.status_code, answer.content) == (416, b"")
    assert answer["Content-Range"] == "bytes */100"


@pytest.mark.parametrize(
    "wanted", ["", "bytes=-", "bytes=a-b", "lines=1-2", "bytes=0-1,4-5", "bytes=" + "9" * 30 + "-"]
)
def test_whole_is_sent_where_the_wish_is_not_understood(wanted: str) -> None:
    answer = answer_to(asked(Range=wanted))

    assert (answer.status_code, answer.content) == (200, WHOLE)
    assert answer["Accept-Ranges"] == "bytes"


@pytest.mark.parametrize(
    ("known", "status"),
    [
        (TAG, 206),
        (tag_of("another"), 200),
        (f"W/{TAG}", 200),
        ("Sat, 28 Nov 2026 10:00:00 GMT", 200),
    ],
)
def test_rest_is_sent_only_of_what_the_client_has_begun(known: str, status: int) -> None:
    assert answer_to(asked(Range="bytes=50-", If_Range=known)).status_code == status


def test_client_that_has_it_is_sent_no_part() -> None:
    assert answer_to(asked(Range="bytes=50-", If_None_Match=TAG)).status_code == 304


def test_part_is_of_the_content_as_it_is_even_if_it_is_kept_packed() -> None:
    def answer(**headers: str) -> HttpResponse:
        request = asked(Accept_Encoding="gzip", **headers)
        made = answer_packed(request, tag=TAG, content_type="text/csv", make=lambda: WHOLE)
        assert isinstance(made, HttpResponse)
        return made

    whole, part = answer(), answer(Range="bytes=50-")

    assert gzip.decompress(whole.content) == WHOLE
    assert (part.status_code, part.content) == (206, WHOLE[50:])
    assert "Content-Encoding" not in part
    assert answer(Range="bytes=50-", If_Range=whole["ETag"]).status_code == 200


def test_refusal_has_no_parts() -> None:
    refusal = in_part(asked(Range="bytes=0-1"), HttpResponse(b"not here", status=404))

    assert (refusal.status_code, refusal.content) == (404, b"not here")


@pytest.mark.django_db
def test_part_of_a_wheel_is_not_compressed_and_fits_the_whole() -> None:
    wheel = engines_wheel()
    client = Client(headers={"Accept-Encoding": "gzip"})

    part = client.get(f"/kit/{wheel.name}", headers={"Range": "bytes=1000-2999"})

    assert (part.status_code, part.content) == (206, wheel.data[1000:3000])
    assert part["Content-Range"] == f"bytes 1000-2999/{len(wheel.data)}"
    assert part["Content-Length"] == "2000"
    assert "Content-Encoding" not in part
