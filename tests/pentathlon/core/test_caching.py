"""Large public answers are made once, and sent as the client can read them."""

import gzip

import pytest
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.test import RequestFactory

from pentathlon.core import caching
from pentathlon.core.caching import Packed, answer_packed, tag_of


@pytest.fixture(autouse=True)
def _nothing_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caching, "_packed", Packed())


class Maker:
    """Something dear, and how often it was made."""

    def __init__(self) -> None:
        self.made = 0

    def make(self) -> bytes:
        self.made += 1
        return b"dear" * 1000


def body(answer: HttpResponseBase) -> bytes:
    assert isinstance(answer, HttpResponse)
    return answer.content


def test_answer_is_made_once_for_all_who_ask() -> None:
    maker, tag = Maker(), tag_of("a", 1)
    requests = [RequestFactory().get("/", headers={"Accept-Encoding": "gzip"}) for _ in range(3)]

    answers = [
        answer_packed(request, tag=tag, content_type="text/csv", make=maker.make)
        for request in (*requests, RequestFactory().get("/"))
    ]

    assert maker.made == 1
    assert [gzip.decompress(body(answer)) for answer in answers[:3]] == [b"dear" * 1000] * 3
    assert body(answers[3]) == b"dear" * 1000
    assert {answer["ETag"].removeprefix("W/") for answer in answers} == {tag}
    assert answers[0]["Vary"] == "Accept-Encoding"


@pytest.mark.parametrize("told", ["{}", "W/{}"])
def test_client_that_has_it_is_sent_nothing(told: str) -> None:
    maker, tag = Maker(), tag_of("a", 1)
    request = RequestFactory().get("/", headers={"If-None-Match": told.format(tag)})

    answer = answer_packed(request, tag=tag, content_type="text/csv", make=maker.make)

    assert (answer.status_code, body(answer), maker.made) == (304, b"", 0)


def test_what_nobody_asks_for_makes_room() -> None:
    packed = Packed(most=2 * len(gzip.compress(b"", mtime=0)))
    made: list[str] = []

    def get(tag: str) -> None:
        def make() -> bytes:
            made.append(tag)
            return b""

        packed.get(tag, make)

    for tag in ("a", "b", "a", "c", "a", "b"):
        get(tag)

    assert made == ["a", "b", "c", "b"]
