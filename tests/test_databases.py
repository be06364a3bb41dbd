"""Rows that tests store again are older than all that are made after them."""

import pytest
from django.db import connection

from pentathlon.accounts.models import User
from tests.databases import delete_all_rows, stored_again
from tests.factories import make_user

pytestmark = pytest.mark.django_db


@stored_again
def _stored_user() -> User:
    return make_user()


def test_numbers_go_on_behind_rows_that_were_stored_again() -> None:
    first = _stored_user()
    delete_all_rows()
    with connection.cursor() as cursor:
        cursor.execute("SELECT setval('accounts_user_id_seq', 1)")  # as a restore may

    again, next_one = _stored_user(), make_user()

    assert again == first
    assert User.objects.filter(pk=first.pk).exists()
    assert next_one.pk > first.pk
