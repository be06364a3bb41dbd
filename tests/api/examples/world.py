"""A small world in which every call of the API can be made."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from pentathlon.accounts.models import ApiToken, User
from pentathlon.bots.models import Bot, BotVersion
from pentathlon.fleet.announcements import Work
from pentathlon.fleet.models import WorkerToken
from pentathlon.fleet.tokens import create_worker_token
from pentathlon.insight.datasets.models import Dataset
from pentathlon.matches.desk_records.models import DeskRecord
from pentathlon.matches.models import Match, MatchState
from pentathlon.matches.transparency.services import log_results, publish_root
from pentathlon.ratings.rankings.services import refresh_ranking
from pentathlon.tournaments.organising.arrangement import Arrangement
from pentathlon.tournaments.organising.changes import setup_of
from pentathlon.tournaments.organising.drafts import read_draft
from pentathlon.tournaments.organising.events import create_event
from pentathlon.tournaments.services import start_tournament
from pentathlon.tournaments.teams.services import invite_member
from pentathlon.trust.models import Quarantine
from pentathlon.trust.quarantine import begin_quarantine
from pentathlon.webhooks.attempt_results import record_answers
from pentathlon.webhooks.http_client import PostResult
from pentathlon.webhooks.outbox import spread_events
from pentathlon.webhooks.services import ping_endpoint
from pentathlon_engines.tournament.document import TournamentDocument
from tests.factories import make_staff, make_team, make_token, make_user, make_version
from tests.pentathlon.friendlies.acting import begun, play_to_end
from tests.pentathlon.insight.analyses.curves import analyse
from tests.pentathlon.ladders.playing import open_ladder, play_waiting, seat_all, step
from tests.pentathlon.tournaments.acting import open_cup
from tests.pentathlon.tournaments.arranging import arranged_cup
from tests.pentathlon.tournaments.challenges.acting import challenged, play, waiting, won_by
from tests.pentathlon.trust.acting import join, played_by
from tests.pentathlon.web.scene import Scene, make_scene
from tests.pentathlon.webhooks.receiving import make_endpoint

_DAY = datetime(2026, 11, 22, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """People, what is theirs, and the ids of things by names."""

    scene: Scene
    people: dict[str, User]
    tokens: dict[str, str]
    """The `Bearer` tokens of people and of the worker."""
    worker: WorkerToken
    ids: dict[str, Any]  # Any: numbers, and texts where ids are texts

    @property
    def author(self) -> User:
        """The author of most bots."""
        return self.scene.author

    @property
    def organiser(self) -> User:
        """Who organises all tournaments."""
        return self.scene.organiser


def make_world() -> World:
    """Store it."""
    scene = make_scene()
    Bot.objects.filter(pk=scene.versions[0].bot_id).update(name="river-otter")
    scene.versions[0].bot.refresh_from_db()
    people = {
        "author": scene.author,
        "organiser": scene.organiser,
        "second organiser": make_user("second-organiser", organiser=True),
        "staff": make_staff(),
    }
    tokens = {who: make_token(person)[1] for who, person in people.items()}
    worker, tokens["worker"] = create_worker_token(actor=None, name="lab", work=list(Work))
    ids = {
        **_of_scene(scene),
        **_of_author(scene),
        **_of_organiser(scene),
        **_of_platform(scene),
        "token": str(ApiToken.objects.filter(user=scene.author).latest("pk").public_id),
    }
    return World(scene=scene, people=people, tokens=tokens, worker=worker, ids=ids)


def _of_scene(scene: Scene) -> dict[str, object]:
    bot, rival = scene.versions[0].bot, scene.versions[2].bot
    return {
        "bot": bot.pk,
        "rival": rival.pk,
        "version": scene.versions[0].pk,
        "second": scene.versions[1].pk,
        "other version": scene.versions[2].pk,
        "unchecked": scene.unchecked.pk,
        "closed": scene.closed.pk,
        "running": scene.running.pk,
        "paused": scene.paused.pk,
        "open": scene.open.pk,
        "match": scene.done.pk,
        "faulty": scene.faulty.pk,
        "own seat": scene.faulty.seats.filter(version__bot__owner=scene.author)[0].seat,
        "dataset": Dataset.objects.get().pk,
        "record": DeskRecord.objects.get().pk,
    }


def _of_author(scene: Scene) -> dict[str, object]:
    """Add what authors have besides."""
    team = make_team("Axes", owner=scene.author, members=[scene.organiser])
    invite_member(actor=scene.author, team=team, username="second-organiser")
    author, rival = scene.author, scene.versions[2]
    challenge = challenged(author=author, rival=rival)
    play(waiting(challenge), won_by(challenge.version))
    candidate = make_version(bot=scene.versions[1].bot)
    BotVersion.objects.filter(pk=candidate.pk).update(is_candidate=True)
    endpoint = make_endpoint(author, url="https://ci.example.org/hook")
    ping_endpoint(actor=author, endpoint_id=endpoint.pk)
    spread_events()
    answer = PostResult(status=500, error="Answered 500.", text="oops", duration_ms=12)
    deliveries = list(endpoint.deliveries.values_list("pk", flat=True))
    record_answers(endpoint.pk, [(pk, answer) for pk in deliveries], luck=random.Random(1))
    return {
        "team": team.pk,
        "challenge": challenge.pk,
        "going challenge": challenged(author=author, rival=rival).pk,
        "candidate": candidate.pk,
        "spare": make_version(owner=author, name="spare-3").pk,
        "newer version": make_version(bot=scene.versions[0].bot).pk,
        "friendly": begun(person=author, bot=rival).pk,
        "ended friendly": play_to_end(begun(person=author, bot=rival)).pk,
        "webhook": endpoint.pk,
        "delivery": deliveries[0],
    }


def _of_organiser(scene: Scene) -> dict[str, object]:
    """Add tournaments in further states."""
    organiser, versions = scene.organiser, tuple(version.pk for version in scene.versions)
    event = create_event(
        actor=organiser,
        name="Pentathlon Week",
        documents=[TournamentDocument(game=game) for game in ("maatatahay", "tuned")],
        arrangement=Arrangement(),
        rated=False,
    )
    hidden = arranged_cup(organiser, versions=versions, rated=False, hides_results=True)
    start_tournament(actor=organiser, tournament=hidden)
    void = scene.paused.tournament_matches.order_by("index")[0].match
    Match.objects.filter(pk=void.pk).update(
        state=MatchState.VOID, state_reason="Three hosts failed.", attempts_made=3
    )
    draft = open_cup(organiser, name="Plan", versions=[versions[0]], is_draft=True)
    done = Match.objects.filter(place__tournament=scene.running, state=MatchState.DONE)
    return {
        "event": event.pk,
        "draft": draft.pk,
        "revision": read_draft(draft).revision,
        "setup": setup_of(scene.open).revision,
        "full": open_cup(organiser, name="Spring Cup", versions=list(versions)).pk,
        "invitational": arranged_cup(organiser, by_invitation=True).pk,
        "hidden": hidden.pk,
        "void match": void.pk,
        "done match": done.order_by("pk")[0].pk,
    }


def _of_platform(scene: Scene) -> dict[str, object]:
    """Add what the site does by itself: analyses, a log, ladders, rankings, a quarantine."""
    analyse(scene.done)
    log_results()
    publish_root(_DAY)
    token = join()
    played_by(token, times=2)
    begin_quarantine(token_id=token.pk, reason="Two other workers agree on a different result.")
    open_ladder(all_others=True)
    make_user("guest")
    seat_all()
    step()
    play_waiting()
    refresh_ranking()
    return {"quarantine": Quarantine.objects.get().pk}
