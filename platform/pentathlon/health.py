"""Whether this process is alive, and whether it can do its work."""

from dataclasses import dataclass
from http import HTTPStatus

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse
from health_check.base import HealthCheck
from health_check.exceptions import ServiceUnavailable
from health_check.views import HealthCheckView
from redis import Redis, RedisError


def alive(request: HttpRequest) -> HttpResponse:
    """Answer while the process can answer at all; asks nobody else."""
    return HttpResponse("ok\n", content_type="text/plain")


@dataclass
class Migrations(HealthCheck):
    """Unhealthy while the database is older than the code."""

    def run(self) -> None:
        """Compare the migrations on disk with those the database has seen."""
        executor = MigrationExecutor(connections[DEFAULT_DB_ALIAS])
        waiting = executor.migration_plan(executor.loader.graph.leaf_nodes())
        connections[DEFAULT_DB_ALIAS].close()
        if waiting:
            raise ServiceUnavailable(f"{len(waiting)} migrations wait for `manage.py migrate`")


@dataclass
class Broker(HealthCheck):
    """Unhealthy while the broker does not answer."""

    def run(self) -> None:
        """Send one ping; without REDIS_URL there is no broker to ask."""
        if settings.REDIS_URL is None:
            return
        try:
            with Redis.from_url(settings.REDIS_URL, socket_connect_timeout=2) as client:
                client.ping()
        except RedisError as error:
            raise ServiceUnavailable("the broker does not answer") from error


class Readiness(HealthCheckView):
    """Ready to serve: database, migrations and broker all answer."""

    checks = ("health_check.checks.Database", Migrations, Broker)

    async def dispatch(
        self, request: HttpRequest, *args: object, **kwargs: object
    ) -> HttpResponse:
        """Answer 503 rather than 500: not ready is no mistake of the program."""
        response: HttpResponse = await super().dispatch(request, *args, **kwargs)
        if response.status_code == HTTPStatus.INTERNAL_SERVER_ERROR:
            response.status_code = HTTPStatus.SERVICE_UNAVAILABLE
        return response
