"""`pentathlon verify --tournament URL` against a server that answers as ours does."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from rest_framework.test import APIClient

from pentathlon.ratings.services import apply_results
from pentathlon.tournaments.models import Tournament
from pentathlon.tournaments.scheduling import secrecy
from pentathlon.tournaments.scheduling.secrecy import count_parts
from pentathlon.tournaments.services import close_finished
from pentathlon_engines.cli.commands.verify import verify_tournament
from pentathlon_engines.cli.failure import HOST_OR_SERVER, CommandFailed
from tests.api.client import V1
from tests.databases import made_once
from tests.pentathlon.matches.acting import claimed
from tests.pentathlon.matches.replays.playing import record_of, submit
from tests.pentathlon.tournaments.acting import matches_of, started

pytestmark = pytest.mark.django_db


def _closed_cup() -> Tournament:
    tournament = started(bots=3)
    for match in matches_of(tournament):
        job = claimed(match)
        submit(job, record_of(job, luck=match.pk))
    apply_results()
    close_finished()
    return tournament


made_cup = made_once(_closed_cup)


@pytest.fixture
def closed(made_cup: Tournament, db: None) -> Tournament:
    return Tournament.objects.get(pk=made_cup.pk)


@pytest.fixture
def site(closed: Tournament, anonymous: APIClient) -> Iterator[str]:
    """Serve what the API says, apart from the test's own database connection."""
    replays = [f"{V1}/replays/{match.pk}/" for match in matches_of(closed)]
    proof = f"{V1}/tournaments/{closed.pk}/proof/"
    pages = [f"{proof}?part={part}" for part in range(1, count_parts(closed) + 1)]
    said = {path: anonymous.get(path).content for path in (proof, *pages, *replays)}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200 if self.path in said else 404)
            self.end_headers()
            self.wfile.write(said.get(self.path, b'{"detail": "There is nothing."}'))

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("page", ["tournaments/{}/", "api/v1/tournaments/{}/proof/"])
def test_proof_and_records_come_from_the_server(
    site: str, closed: Tournament, capsys: pytest.CaptureFixture[str], page: str
) -> None:
    verify_tournament(
        f"{site}/{page.format(closed.pk)}",
        records=None,
        fetch=True,
        noted=closed.commitment,
        as_json=True,
    )

    told = json.loads(capsys.readouterr().out)
    assert (told["valid"], told["complete"]) == (True, True)
    assert {check["name"] for check in told["checks"]} >= {"schedule", "seeds", "records"}


def test_parts_of_a_long_proof_are_read_and_joined(
    closed: Tournament,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(secrecy, "LARGEST_PART", 2)
    site = request.getfixturevalue("site")
    assert count_parts(closed) == 3

    verify_tournament(
        f"{site}/tournaments/{closed.pk}/", records=None, fetch=True, noted=None, as_json=True
    )

    told = json.loads(capsys.readouterr().out)
    assert (told["valid"], told["complete"]) == (True, True)


def test_tournament_that_is_not_there_is_told_by_the_server(site: str) -> None:
    with pytest.raises(CommandFailed, match="404 There is nothing") as caught:
        verify_tournament(
            f"{site}/tournaments/0/", records=None, fetch=False, noted=None, as_json=False
        )

    assert caught.value.exit_code == HOST_OR_SERVER
