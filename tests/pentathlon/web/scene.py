"""A small platform with everything that pages show, made by the real services."""

from dataclasses import dataclass
from datetime import timedelta

from django.utils.timezone import now

from pentathlon.accounts.models import User
from pentathlon.bots.models import BotVersion, VersionState
from pentathlon.insight.datasets.services import DatasetMaker
from pentathlon.insight.rivalry.services import count_all
from pentathlon.matches.desk_records.services import check_record, keep_record
from pentathlon.matches.models import Match, MatchState
from pentathlon.matches.services import claim_matches, void_matches
from pentathlon.matches.uploads.services import submit_version
from pentathlon.ratings.services import apply_results
from pentathlon.tournaments.models import Tournament
from pentathlon.tournaments.organising.drafts import Draft, create_tournament
from pentathlon.tournaments.services import close_finished, pause_tournament, start_tournament
from pentathlon_engines.tournament.document import TournamentDocument
from tests.databases import stored_again
from tests.engines.record.random_records import tuned_record
from tests.factories import make_match, make_upload, make_user, make_version
from tests.pentathlon.matches.replays.playing import record_of, submit, trace

LONG_NAME = "A bot with a name of forty letters, ha ha"[:40].replace(",", "_")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """People, bots and tournaments in every state."""

    author: User
    organiser: User
    versions: list[BotVersion]
    validating: BotVersion
    rejected: BotVersion
    unchecked: BotVersion
    closed: Tournament
    running: Tournament
    paused: Tournament
    open: Tournament
    done: Match
    faulty: Match
    live: Match
    void: Match


def make_scene() -> Scene:
    """Store one of everything, with real matches played at random."""
    scene = _stored_scene()
    # Its rows may be minutes old, but this match is being played.
    Match.objects.filter(pk=scene.live.pk).update(lease_until=now() + timedelta(minutes=1))
    return scene


@stored_again
def _stored_scene() -> Scene:
    author, organiser = make_user("author"), make_user("organiser", organiser=True)
    versions = [
        make_version(owner=author, name=LONG_NAME),
        make_version(owner=author, name="stacker-3"),
        make_version(owner=organiser, name="Quiet Axe"),
    ]
    closed = _started(organiser, "Autumn Cup", versions)
    play_all(closed, fault_in_first=True)
    close_finished()
    DatasetMaker().make_datasets(for_s=60)
    keep_record(actor=author, checked=check_record(tuned_record()))
    running = _started(organiser, "Winter League", versions)
    play_all(running, limit=2)
    count_all()
    return Scene(
        author=author,
        organiser=organiser,
        versions=versions,
        validating=submit_version(actor=author, archive=make_upload("Newcomer"), notes="Hello."),
        rejected=_rejected(author),
        unchecked=_unchecked(author),
        closed=Tournament.objects.get(pk=closed.pk),
        running=running,
        paused=_paused(organiser, versions),
        open=open_tournament(organiser, "Open House", versions[:1]),
        done=Match.objects.filter(place__tournament=running).recent()[0],
        faulty=Match.objects.filter(place__tournament=closed).order_by("pk")[0],
        live=make_match(versions[:2], state=MatchState.RUNNING, ply=9),
        void=_void(versions),
    )


def open_tournament(owner: User, name: str, versions: list[BotVersion]) -> Tournament:
    """Make a tournament that is open for entries."""
    return create_tournament(
        actor=owner,
        draft=Draft(
            name=name,
            document=TournamentDocument(game="tuned"),
            versions=[version.pk for version in versions],
        ),
    )


def play_all(
    tournament: Tournament, *, limit: int | None = None, fault_in_first: bool = False
) -> None:
    """Play waiting matches of a tournament at random, and rate them."""
    waiting = Match.objects.filter(place__tournament=tournament).waiting()
    for number, match_id in enumerate(list(waiting.values_list("pk", flat=True)[:limit])):
        (job,) = claim_matches(match_ids=[match_id], worker="desk")
        fault_at = 2 if fault_in_first and number == 0 else None
        logs = ("I think, therefore I play.", "")
        record = record_of(job, luck=number + 1, fault_at=fault_at)
        submit(job, record, logs=logs, traces=[trace() for _ in job.seats])
    apply_results()


def _started(owner: User, name: str, versions: list[BotVersion]) -> Tournament:
    return start_tournament(actor=owner, tournament=open_tournament(owner, name, versions))


def _paused(owner: User, versions: list[BotVersion]) -> Tournament:
    return pause_tournament(actor=owner, tournament=_started(owner, "Paused Plate", versions))


def _rejected(author: User) -> BotVersion:
    version = make_version(owner=author, name="Broken Oar", state=VersionState.REJECTED)
    reason = "tuned: startup at ply 0: the process ended."
    BotVersion.objects.filter(pk=version.pk).update(
        state_reason=reason, validation_log="no weights"
    )
    return version


def _unchecked(author: User) -> BotVersion:
    version = submit_version(actor=author, archive=make_upload("Patient Otter"))
    void_matches(matches=Match.objects.validations_of(version.pk), reason="Host away.")
    return BotVersion.objects.get(pk=version.pk)


def _void(versions: list[BotVersion]) -> Match:
    return make_match(
        versions[:2], state=MatchState.VOID, state_reason="Three hosts failed.", attempts_made=3
    )
