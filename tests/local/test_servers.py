import os

from django.db import connection
from redis import Redis


def test_database_is_a_real_postgresql(db: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT version()")
        version = cursor.fetchone()[0]

    assert version.startswith("PostgreSQL")


def test_broker_is_a_real_valkey() -> None:
    with Redis.from_url(os.environ["REDIS_URL"]) as client:
        info = client.info("server")

    assert info["server_name"] == "valkey"
