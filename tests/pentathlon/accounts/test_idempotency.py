from datetime import timedelta
from functools import partial

import pytest
from django.db.models import F

from pentathlon.accounts.idempotency import Answer, answer_once
from pentathlon.accounts.models import IdempotencyRecord, User
from pentathlon.accounts.retention import KEPT_ANSWERS
from pentathlon.common.errors import Conflict
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
