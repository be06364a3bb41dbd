"""One trace from a request to a match and its rating, and nothing of it where nobody asks."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from pytest_django.fixtures import Settings
from rest_framework.test import APIClient

from pentathlon.core import tracing
from pentathlon.core.opentelemetry_spans import OpenTelemetrySpans
from pentathlon.env import BadEnvironment, Environment, read_environment
from pentathlon.matches.jobs import Job
from pentathlon.matches.models import Match, MatchKind, MatchState
from pentathlon.matches.services import note_sent, schedule_matches
from pentathlon.matches.specs import MatchSpec
from pentathlon.ratings.models import Rating
from pentathlon.ratings.services import apply_results, enter_matches, open_live_pool
from pentathlon_engines.match.launcher import SandboxLevel
from pentathlon_engines.match.plain_launcher import PlainLauncher
from tests.deep import mostly_deep
from tests.factories import make_token, make_upload, make_user, make_version
from tests.workers.playing import DIRECT, bot_files, play_jobs
from tests.workers.sites import make_worker_token, remote_platform
from tests.workers.test_platforms import announced
from workers.port import Platform
from workers.slots.bot_files import BotFiles

TRACING = "pentathlon.core.middleware.requests.trace_requests"
MATCH = {"claim match", "play match", "hand in result", "re-simulate match", "commit result"}


@pytest.fixture
def exporter(settings: Settings) -> Iterator[InMemorySpanExporter]:
    settings.MIDDLEWARE = [TRACING, *settings.MIDDLEWARE]
    kept = InMemorySpanExporter()
    tracing.use(OpenTelemetrySpans(SimpleSpanProcessor(kept), service="tests"))
    yield kept
    tracing.use(None)


@pytest.fixture(params=["direct", "remote"])
def platform(request: pytest.FixtureRequest, tmp_path: Path) -> Platform:
    if request.param == "direct":
        return DIRECT
    return remote_platform(tmp_path / "unsent", make_worker_token()[1])


class Counted(PlainLauncher):
    """Says that it isolates bots, so that results count."""

    level = SandboxLevel.NAMESPACES


def play(platform: Platform, match: Match) -> None:
    (job,) = claim(platform, match)
    files = bot_files() if platform is DIRECT else BotFiles(platform.archive)
    assert play_jobs([job], platform=platform, launcher=Counted(), files=files) == 0


def claim(platform: Platform, match: Match) -> list[Job]:
    note_sent(match_ids=[match.pk])
    return list(platform.claim([match.pk], slot="host/1.0", announcement=announced()))


def names(spans: Sequence[ReadableSpan]) -> set[str]:
    return {span.name for span in spans}


def trace_of(exporter: InMemorySpanExporter, name: str) -> list[ReadableSpan]:
    """Return all spans of the trace that has one of this name."""
    spans = exporter.get_finished_spans()
    (first,) = (span for span in spans if span.name == name)
    return [span for span in spans if span.context.trace_id == first.context.trace_id]


@pytest.mark.django_db
def test_trace_leads_from_an_upload_to_its_validation(
    exporter: InMemorySpanExporter, platform: Platform
) -> None:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {make_token(make_user())[1]}")

    answer = client.post("/api/v1/bots/", {"archive": upload()}, format="multipart")
    assert answer.status_code == 201, answer.content
    match = Match.objects.get(kind=MatchKind.VALIDATION)
    play(platform, match)

    spans = trace_of(exporter, "schedule matches")
    (request,) = (span for span in spans if span.parent is None)
    assert Match.objects.get().state == MatchState.DONE
    assert names(spans) >= MATCH
    assert (request.name, (request.attributes or {})["http.response.status_code"]) == ("POST", 201)
    assert str((request.attributes or {})["http.route"]).startswith("/api/v1/bots/")


@pytest.mark.django_db
def test_trace_leads_from_a_schedule_to_the_rating(
    exporter: InMemorySpanExporter, platform: Platform
) -> None:
    seating = (make_version().pk, make_version(like="greedy").pk)
    spec = MatchSpec(kind=MatchKind.LADDER, game="tuned", seating=seating, seed=5, rated=True)

    (match,) = schedule_matches([spec])
    enter_matches(pool=open_live_pool(game="tuned"), matches=[match])
    play(platform, match)
    apply_results()

    spans = trace_of(exporter, "schedule matches")
    (root,) = (span for span in spans if span.parent is None)
    by_id = {span.context.span_id for span in spans}
    assert names(spans) >= {*MATCH, "update rating"}
    assert root.name == "schedule matches"
    assert all(span.parent.span_id in by_id for span in spans if span.parent is not None)
    assert Rating.objects.count() == 2


@pytest.mark.django_db
def test_only_workers_go_on_with_traces_of_their_own(exporter: InMemorySpanExporter) -> None:
    parent = f"00-{'ab' * 16}-{'cd' * 8}-01"
    secret = make_worker_token()[1]

    APIClient().get("/api/v1/games/", headers={"traceparent": parent})
    worker = {"Authorization": f"Bearer {secret}", "traceparent": parent}
    APIClient().post("/api/v1/fleet/hints/", {"wait_s": 0}, format="json", headers=worker)

    public, own = exporter.get_finished_spans()
    assert public.parent is None
    assert own.parent is not None
    assert format(own.context.trace_id, "032x") == "ab" * 16


@pytest.mark.django_db
def test_statements_have_spans_if_that_is_set(
    exporter: InMemorySpanExporter, settings: Settings
) -> None:
    settings.TRACES_DATABASE = True

    APIClient().get("/api/v1/bots/")

    statements = [each for each in exporter.get_finished_spans() if each.name == "database"]
    assert {(each.attributes or {})["db.system.name"] for each in statements} == {
        connection.vendor
    }


def test_without_spans_nothing_is_made() -> None:
    assert tracing.span("one") is tracing.span("another", parent="x")
    assert (tracing.current(), tracing.headers(), tracing.clock()) == ("", {}, 0)


@pytest.mark.parametrize("is_there", mostly_deep([True, False], keep=[False]))
def test_processes_without_tracing_import_nothing_of_it(is_there: bool) -> None:
    """All processes start where the extra is missing; where it is there, none of ours loads it.

    The package of Redis looks for its metrics.
    """
    hide = "sys.modules['opentelemetry'] = None" if not is_there else ""
    code = f"""
import sys
{hide}
import django
django.setup()
import pentathlon.wsgi, workers.tasks, workers.remote.adapter
import workers.management.commands.reconcile
from pentathlon.core import tracing
from pentathlon.env import read_environment
tracing.start(read_environment(), service="x")
with tracing.span("nothing"):
    pass
ours = ("opentelemetry.sdk.trace", "pentathlon.core.opentelemetry_spans")
print([name for name in ours if name in sys.modules])
"""
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )

    assert (ended.returncode, ended.stdout.strip().splitlines()[-1:]) == (0, ["[]"]), ended.stderr


@pytest.mark.parametrize(
    ("variables", "exporter_name"),
    [
        ({}, None),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"}, "otlp"),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://collector:4318/v1/traces"}, "otlp"),
        ({"OTEL_TRACES_EXPORTER": "console"}, "console"),
        ({"OTEL_TRACES_EXPORTER": "otlp"}, "otlp"),
        (
            {"OTEL_TRACES_EXPORTER": "none", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318"},
            None,
        ),
        ({"OTEL_SDK_DISABLED": "true", "OTEL_TRACES_EXPORTER": "otlp"}, None),
    ],
)
def test_variables_of_the_standard_decide(
    variables: dict[str, str], exporter_name: str | None
) -> None:
    assert read_environment(variables).traces == exporter_name


@pytest.mark.parametrize(
    "variables",
    [
        {"OTEL_TRACES_EXPORTER": "zipkin"},
        {"OTEL_TRACES_EXPORTER": "otlp", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"},
    ],
)
def test_what_cannot_be_sent_is_refused(variables: dict[str, str]) -> None:
    with pytest.raises(BadEnvironment, match="must be"):
        read_environment(variables)


def test_missing_packages_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tracing, "find_spec", lambda package: None)

    with pytest.raises(BadEnvironment, match=r"requirements/tracing\.txt"):
        tracing.start(Environment(traces="otlp"), service="web")


def upload() -> SimpleUploadedFile:
    return SimpleUploadedFile("bot.zip", make_upload(), content_type="application/zip")
