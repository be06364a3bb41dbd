"""The test database between tests that commit, and between those that share a scene."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction
from pytest_django.plugin import DjangoDbBlocker

from pentathlon import caching

_MADE_BY_MIGRATING = {"auth_permission", "django_content_type"}


def delete_all_rows() -> None:
    """Empty the tables that have rows; a fraction of the work of truncating all of them."""
    names = connection.introspection.django_table_names(include_views=False)
    tables = [connection.ops.quote_name(name) for name in names if name not in _MADE_BY_MIGRATING]
    with transaction.atomic(), connection.cursor() as cursor:
        looks = (f"SELECT '{table}' WHERE EXISTS (SELECT 1 FROM {table})" for table in tables)
        cursor.execute(" UNION ALL ".join(looks))
        for (table,) in cursor.fetchall():
            # Foreign keys are checked at the end of the transaction, so any order will do.
            cursor.execute(f"DELETE FROM {table}")


@contextmanager
def rows_for_a_module(blocker: DjangoDbBlocker) -> Iterator[None]:
    """Keep what is stored within for all tests of a module, each of which undoes what it does.

    For the body of a fixture that needs `django_db_setup`; tests with `transaction=True` cannot
    use it.
    """
    with blocker.unblock(), transaction.atomic():
        yield
        transaction.set_rollback(True)
    # Answers are kept by counts that in earnest never go back.
    caching._packed = caching.Packed()
