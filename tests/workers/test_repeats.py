"""A tournament is played again with bots that have retired or been stopped since."""

import pytest

from pentathlon.accounts.models import User
from pentathlon.bots.models import BotVersion, VersionState
from pentathlon.bots.services import retire_version
from pentathlon.matches.dispatch.publishing import publish_pending
from pentathlon.matches.models import Match, MatchState
from pentathlon.ratings.services import apply_results
from pentathlon.tournaments.documents.document import document_json
from pentathlon.tournaments.entries.withdrawals import settle_entries
from pentathlon.tournaments.models import FinalRow, Tournament, TournamentState
from pentathlon.tournaments.organising.posted_documents import create_from_document
from pentathlon.tournaments.services import close_finished, start_tournament
from pentathlon_engines.match.launcher import SandboxLevel
from pentathlon_engines.match.plain_launcher import PlainLauncher
from tests.factories import make_user, make_version, make_worker
from tests.pentathlon.matches.acting import claimed
from tests.pentathlon.tournaments.acting import as_made, matches_of, started
from tests.workers.playing import play_jobs
from workers.slots.bot_files import BotFiles

pytestmark = pytest.mark.django_db


class Trusted(PlainLauncher):
    """Says that it isolates bots, so that results count."""

    level = SandboxLevel.NAMESPACES


def _play(cup: Tournament, files: BotFiles) -> Tournament:
    """Play a tournament to its end, as reconciler and worker do it."""
    make_worker()
    sent: list[int] = []
    while cup.state == TournamentState.RUNNING:
        settle_entries()
        publish_pending(publish=sent.extend)
        jobs = [claimed(match) for match in matches_of(cup) if match.state == MatchState.PENDING]
        assert {job.match_id for job in jobs} <= set(sent)
        play_jobs(jobs, launcher=Trusted(), files=files)
        while apply_results():
            pass
        close_finished()
        cup.refresh_from_db()
    return cup


def _table(cup: Tournament) -> list[tuple[object, ...]]:
    rows = FinalRow.objects.filter(entry__tournament=cup).order_by("entry__number")
    return list(rows.values_list("entry__version", "place", "mu", "sigma", "fold_mu"))


def test_same_document_and_secret_give_the_same_table(files: BotFiles) -> None:
    """Takes two seconds: it plays twelve matches with real bots."""
    host: User = make_user(organiser=True)
    versions = [make_version() for _ in range(3)]
    first = _play(started(owner=host, versions=versions), files)
    retire_version(actor=versions[0].bot.owner, version=versions[0])
    BotVersion.objects.filter(pk=versions[1].pk).update(state=VersionState.STOPPED)

    again = create_from_document(
        actor=host, document=document_json(first), secret=first.revealed_secret
    )
    again = _play(start_tournament(actor=host, tournament=again), files)

    assert Match.objects.filter(lane=again.pk).exclude(state=MatchState.DONE).count() == 0
    assert _table(again) == _table(first)
    assert [row[:-1] for row in as_made(again)] == [row[:-1] for row in as_made(first)]
    assert not again.rated
