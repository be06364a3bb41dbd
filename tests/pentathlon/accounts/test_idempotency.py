from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db.models import F
from django.http import QueryDict
from django.utils.datastructures import MultiValueDict

from pentathlon.accounts.idempotency import KEPT_ANSWERS, Answer, answer_once, fingerprint
from pentathlon.accounts.models import IdempotencyRecord, User
from pentathlon.core.errors import Conflict
from tests.factories import make_user

pytestmark = pytest.mark.django_db


def ask(person: User, body: object, *, fingerprint: str = "f") -> Answer:
    return answer_once(
        actor=person,
        key="key",
        fingerprint=fingerprint,
        make=lambda: Answer(status=201, body=body),
    )


def test_first_answer_is_replayed() -> None:
    person = make_user()

    first, second = ask(person, {"id": 1}), ask(person, {"id": 2})

    assert (first.body, first.is_replayed) == ({"id": 1}, False)
    assert (second.body, second.status, second.is_replayed) == ({"id": 1}, 201, True)


def test_other_request_under_the_key_is_a_conflict() -> None:
    person = make_user()
    ask(person, 1)

    with pytest.raises(Conflict, match="new key"):
        ask(person, 1, fingerprint="other")


def test_failure_keeps_nothing() -> None:
    def fail() -> Answer:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        answer_once(actor=make_user(), key="key", fingerprint="f", make=fail)

    assert not IdempotencyRecord.objects.exists()


def test_answer_is_forgotten_after_a_day() -> None:
    person = make_user()
    ask(person, 1)
    IdempotencyRecord.objects.update(
        created_at=F("created_at") - KEPT_ANSWERS - timedelta(minutes=1)
    )

    assert not ask(person, 2, fingerprint="other").is_replayed


def test_only_a_new_request_is_prepared() -> None:
    person, prepared = make_user(), list[str]()

    for name in ("first", "second"):
        answer_once(
            actor=person,
            key="key",
            fingerprint="f",
            prepare=partial(prepared.append, name),
            make=lambda: Answer(status=201, body=1),
        )

    assert prepared == ["first"]


def test_visitors_share_one_space_of_keys() -> None:
    answers = [
        answer_once(
            actor=None, key="key", fingerprint="f", make=lambda: Answer(status=302, body="once")
        )
        for _ in range(2)
    ]

    assert [answer.is_replayed for answer in answers] == [False, True]


def test_answer_that_is_not_kept_is_made_again() -> None:
    person = make_user()

    for body in (1, 2):
        answer = answer_once(
            actor=person,
            key="key",
            fingerprint="f",
            make=partial(Answer, status=200, body=body, is_kept=False),
        )
        assert (answer.body, answer.is_replayed) == (body, False)

    assert not IdempotencyRecord.objects.exists()


FORM = QueryDict("a=1&b=2")
FILE = SimpleUploadedFile("a.zip", b"zip")


@pytest.mark.parametrize(
    "other",
    [
        ("PUT", "/x/?q=1", FORM, None),
        ("POST", "/y/?q=1", FORM, None),
        ("POST", "/x/?q=2", FORM, None),
        ("POST", "/x/", FORM, None),
        ("POST", "/x/?q=1", QueryDict("a=1&b=3"), None),
        ("POST", "/x/?q=1", QueryDict("a=1&c=2"), None),
        ("POST", "/x/?q=1", QueryDict("a=1&a=2"), None),
        ("POST", "/x/?q=1", {"a": "1", "b": "2"}, None),
        ("POST", "/x/?q=1", FORM, MultiValueDict({"c": [FILE]})),
    ],
)
def test_fingerprint_covers_all_that_was_asked(other: tuple[Any, ...]) -> None:
    assert fingerprint(*other) != fingerprint("POST", "/x/?q=1", FORM)


def test_fingerprint_looks_into_files_and_leaves_them_to_be_read() -> None:
    same, changed = (
        MultiValueDict({"c": [SimpleUploadedFile("a.zip", data)]}) for data in (b"zip", b"zap")
    )
    files = MultiValueDict({"c": [FILE]})

    assert fingerprint("POST", "/", FORM, files) == fingerprint("POST", "/", FORM, same)
    assert fingerprint("POST", "/", FORM, files) != fingerprint("POST", "/", FORM, changed)
    assert FILE.read() == b"zip"


def test_order_of_fields_does_not_matter() -> None:
    assert fingerprint("POST", "/", FORM) == fingerprint("POST", "/", QueryDict("b=2&a=1"))
