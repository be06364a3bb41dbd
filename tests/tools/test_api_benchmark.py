"""The parts of `bench api`, `bench nodes` and `bench data` that need no real platform."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import islice

import pytest

from pentathlon.matches.models import Match
from tests.factories import make_match
from tests.pentathlon.matches.acting import claimed
from tests.pentathlon.matches.replays.playing import record_of, submit
from tools.benchmark.load.api import compare_calls
from tools.benchmark.load.callers import CallFailed, Latencies, call_in_turns
from tools.benchmark.load.data import fields_of
from tools.benchmark.load.nodes import judge_matches

_LINES = 8


class _Answers(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        if self.path == "/idle/" and len(self.server.heard) == _LINES:  # type: ignore[attr-defined]
            # The first client's connection was idle for too long.
            self.server.heard.append("closed")  # type: ignore[attr-defined]
            self.close_connection = True
            return
        status = 404 if self.path == "/away/" else 200
        self.server.heard.append(self.client_address[0])  # type: ignore[attr-defined]  # ours
        self.send_response(status)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  its name there
        """Say nothing."""


@pytest.fixture
def server() -> Iterator[ThreadingHTTPServer]:
    """A server that answers everything but one address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Answers)
    server.heard = []  # type: ignore[attr-defined]  # what the handler notes
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def test_both_sites_are_asked_equally_often_from_several_addresses(
    server: ThreadingHTTPServer,
) -> None:
    port = server.server_port

    found = call_in_turns({"small": port, "large": port}, "/", requests=8, number=3)

    assert {name: len(each.seconds) for name, each in found.items()} == {"small": 8, "large": 8}
    assert {*server.heard} == {f"127.0.4.{client}" for client in (1, 2, 3, 4)}  # type: ignore[attr-defined]


def test_answer_that_is_no_success_ends_the_measurement(server: ThreadingHTTPServer) -> None:
    with pytest.raises(CallFailed, match="/away/ answered 404"):
        call_in_turns({"small": server.server_port}, "/away/", requests=4, number=0)


def test_read_is_asked_again_when_its_line_was_closed(server: ThreadingHTTPServer) -> None:
    port = server.server_port

    found = call_in_turns({"small": port, "large": port}, "/idle/", requests=8, number=0)

    assert {name: len(each.seconds) for name, each in found.items()} == {"small": 8, "large": 8}
    assert "closed" in server.heard  # type: ignore[attr-defined]  # ours


def test_calls_are_judged_by_the_ratio_of_their_medians() -> None:
    small = Latencies([0.010] * 99 + [5.0])
    fine, slow = Latencies([0.012] * 100), Latencies([0.014] * 100)

    assert compare_calls("GET /x", small, fine).is_met
    assert not compare_calls("GET /x", small, slow).is_met
    assert slow.per_s == pytest.approx(4 / 0.014)
    assert small.percentile_ms(50) == pytest.approx(10)


def test_every_bot_of_many_is_in_a_tournament() -> None:
    versions = [*range(230)]

    fields = [*islice(fields_of(versions), 4)]

    assert [len(each) for each in fields] == [100, 100, 30, 100]
    assert {each for field in fields for each in field} == {*versions}
    assert fields[0] == fields[3]


@pytest.mark.django_db
def test_match_without_its_result_is_counted_as_lost() -> None:
    job = claimed(make_match())
    played, waiting = submit(job, record_of(job)), make_match()

    found = {each.name: each for each in judge_matches([played.pk, waiting.pk])}

    lost = found["lost: without exactly one result"]
    assert (lost.measured, lost.is_met) == (1, False)
    assert found["without a replay"].measured == 1
    assert found["void"].is_met
    assert all(each.is_met for each in judge_matches([played.pk]))
    assert Match.objects.count() == 2
