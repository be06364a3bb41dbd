"""`pentathlon tournament --dry-run --site`: what the matches take on a site."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pentathlon.accounts.models import User
from pentathlon.matches.models import Match, MatchSeat, MatchState
from pentathlon.tournaments.documents.document import draft_document
from tests.e2e.cli.conftest import SITE
from tests.engines.commands import Run
from tests.factories import make_match, make_version, make_worker
from tests.pentathlon.tournaments.acting import open_cup

pytestmark = pytest.mark.django_db


@pytest.fixture
def document(author: User) -> str:
    """Write the document of a round robin of three bots, 6 matches; return its name."""
    User.objects.filter(pk=author.pk).update(is_organiser=True)
    author.refresh_from_db()
    cup = open_cup(author, versions=[make_version().pk for _ in range(3)], rated=False)
    Path("cup.json").write_text(json.dumps(draft_document(cup).to_json()))
    return "cup.json"


def _play() -> None:
    for hour in range(5):
        began = datetime(2026, 11, 1, hour, tzinfo=UTC)
        match = make_match(state=MatchState.DONE)
        times = {"started_at": began, "finished_at": began + timedelta(seconds=60)}
        Match.objects.filter(pk=match.pk).update(**times)
        MatchSeat.objects.filter(match=match).update(cpu_ms=18_000)


def test_site_that_has_played_the_game_tells_what_it_measured(run: Run, document: str) -> None:
    _play()
    make_worker(slots=2)

    told = run("tournament", document, "--dry-run", "--site", SITE, "--json").data["effort"]
    plain = run("tournament", document, "--dry-run", "--site", SITE)

    assert told["basis"] == "measured"
    assert told["cpu_hours"] == pytest.approx([0.06, 0.06])
    assert told["takes_s"] == pytest.approx([180, 180])
    assert "CPU hours, measured: 0.06." in plain.err
    assert "Finish, measured: about " in plain.err


def test_site_without_matches_leads_to_an_estimate(run: Run, document: str) -> None:
    told = run("tournament", document, "--dry-run", "--site", SITE, "--json").data["effort"]

    assert told["basis"] == "estimated"
