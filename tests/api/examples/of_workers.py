"""Examples of what machines that play for the site ask."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Callable
from typing import Any, Final
from uuid import UUID
from zipfile import ZipFile

from django.db.models.functions import Now

from pentathlon.bots.models import BotVersion
from pentathlon.friendlies.jobs import FriendlyStretch
from pentathlon.friendlies.wire import stretch_result_to_json
from pentathlon.insight.analyses.services import ask_for_analysis, claim_analysis
from pentathlon.matches.jobs import Job
from pentathlon.matches.models import Match
from pentathlon.matches.wire import submission_to_json
from pentathlon_engines import GAMES
from pentathlon_engines.manifest import Manifest
from tests.api.examples.asking import Call, Json, Making
from tests.api.examples.world import World
from tests.factories import make_match
from tests.pentathlon.friendlies.acting import answered, begun, claimed, result_of
from tests.pentathlon.insight.analyses.curves import make_curve
from tests.pentathlon.matches.replays.playing import record_of, report_of, submission_of
from tests.pentathlon.trust.acting import claim

_ANNOUNCED: Final = {
    "name": "host/1",
    "slots": 2,
    "games": {key: game.info.version for key, game in GAMES.items()},
    "runtimes": ["command", "python"],
    "untried": [],
    "sandbox": "namespaces",
    "layers": [{"layer": "identity", "state": "ok", "detail": "no rights"}],
    "version": "1",
    "age_s": 5.0,
}
_SLOT: Final = {"slot": "host/1.0", "announcement": _ANNOUNCED}


def _send(body: Json) -> Making:
    return lambda world: Call(who="worker", body=body)


def _waiting(world: World) -> Match:
    return make_match(world.scene.versions[:2], sent_at=Now())


def _job(world: World) -> Job:
    return claim(_waiting(world), world.worker)


def _of_job(make: Callable[[Job], Json]) -> Making:
    """Return a call about a match that the worker plays."""

    def call(world: World) -> Call:
        job = _job(world)
        told = {"match_id": job.match_id, "token": str(job.token), **make(job)}
        return Call(who="worker", body=told)

    return call


def _claims(world: World) -> Call:
    return Call(who="worker", body={"match_ids": [_waiting(world).pk], **_SLOT})


def _passed(world: World) -> Call:
    return Call(who="worker", body={"match_ids": [_waiting(world).pk]})


def _leases(world: World) -> Call:
    job = _job(world)
    lease = {"match_id": job.match_id, "token": str(job.token), "ply": 7}
    return Call(who="worker", body={"leases": [lease]})


def _results(world: World) -> Call:
    job = _job(world)
    report = report_of(record_of(job))
    told = submission_to_json(submission_of(job, report))
    return Call(who="worker", body={"results": [told]})


def _frames(job: Job) -> Json:
    return {"events": list(record_of(job)["events"][:2])}


def _archive(world: World) -> Call:
    job = _job(world)
    content_hash = world.scene.versions[0].archive_id
    return Call(who="worker", path={"content_hash": content_hash}, query={"match": job.match_id})


_COMMAND: Final = ["./bot"]
_BUILD: Final = ["cc", "-o", "bot", "main.c"]


def _build(make: Callable[[BotVersion], Json]) -> Making:
    """Return a call about the build of a bot that sits in a match of the worker."""

    def call(world: World) -> Call:
        version = world.scene.versions[0]
        BotVersion.objects.filter(pk=version.pk).update(manifest=_manifest(version).to_json())
        job = _job(world)
        told = {"match_id": job.match_id, "token": str(job.token), "version_id": version.pk}
        return Call(who="worker", body={**told, **make(version)})

    return call


def _manifest(version: BotVersion) -> Manifest:
    return Manifest(
        name=version.bot.name,
        games=tuple(version.manifest["games"]),
        language="command",
        main=None,
        command=tuple(_COMMAND),
        build=tuple(_BUILD),
    )


def _built(version: BotVersion) -> Json:
    manifest = _manifest(version)
    target = io.BytesIO()
    with ZipFile(target, "w") as archive:
        lines = (
            f"name = {json.dumps(manifest.name)}",
            f"games = {json.dumps(manifest.games)}",
            f"command = {json.dumps(_COMMAND)}",
            f"build = {json.dumps(_BUILD)}",
        )
        archive.writestr("bot.toml", "\n".join(lines))
        archive.writestr("bot", b"\x7fELF")
    return {"archive": base64.b64encode(target.getvalue()).decode()}


def _wanted(world: World) -> Match:
    """Return a match whose curve somebody has asked for."""
    match = Match.objects.with_privacy().get(pk=world.ids["done match"])
    ask_for_analysis(match)
    return match


def _of_analysis(make: Callable[[Match, UUID], Json]) -> Making:
    def call(world: World) -> Call:
        match = _wanted(world)
        found = claim_analysis(match.pk)
        assert found is not None
        told = {"match_id": match.pk, "token": str(found[0])}
        return Call(who="worker", body={**told, **make(match, found[0])})

    return call


def _of_stretch(make: Callable[[FriendlyStretch], Json]) -> Making:
    def call(world: World) -> Call:
        stretch = claimed(_bots_turn(world))
        told = {"friendly_id": stretch.friendly_id, "token": str(stretch.token)}
        return Call(who="worker", body={**told, **make(stretch)})

    return call


def _bots_turn(world: World) -> Any:  # Any: a friendly
    friendly = begun(person=world.organiser, bot=world.scene.versions[2], seat=1)
    friendly.sent_at = Now()
    friendly.save()
    return friendly


def _claim_friendly(world: World) -> Call:
    return Call(who="worker", body={"friendly_ids": [_bots_turn(world).pk], **_SLOT})


def _pass_friendly(world: World) -> Call:
    return Call(who="worker", body={"friendly_ids": [_bots_turn(world).pk]})


def _claim_analysis(world: World) -> Call:
    return Call(who="worker", body={"match_id": _wanted(world).pk})


_RETURNED: Final = {"reason": "The host stops.", "has_failed": False}

CALLS: Final[dict[str, Making]] = {
    "fleet_heartbeats_create": _send(
        {"name": "host/1", "held_slots": 0, "announcement": _ANNOUNCED}
    ),
    "fleet_hints_create": _send(
        {"wait_s": 2, "queues": ["friendly", "match", "ladder"], "most": 2}
    ),
    "fleet_passed_hints_create": _passed,
    "fleet_claims_create": _claims,
    "fleet_leases_create": _leases,
    "fleet_frames_create": _of_job(_frames),
    "fleet_results_create": _results,
    "fleet_returns_create": _of_job(lambda job: _RETURNED),
    "fleet_archives_retrieve": _archive,
    "fleet_builds_create": _build(_built),
    "fleet_build_logs_create": _build(lambda version: {"log": "cc -o bot main.c\n"}),
    "fleet_build_refusals_create": _build(
        lambda version: {"reason": "It does not build.", "log": "main.c:1: error\n"}
    ),
    "fleet_analyses_claims_create": _claim_analysis,
    "fleet_analyses_demand_create": _send({}),
    "fleet_analyses_loans_create": lambda world: Call(
        who="worker", body={"match_id": _wanted(world).pk, "held_s": 1.5}
    ),
    "fleet_analyses_leases_create": _of_analysis(lambda match, token: {}),
    "fleet_analyses_results_create": _of_analysis(
        lambda match, token: {"curve": make_curve(match.ply), "cpu_ms": 1200}
    ),
    "fleet_friendlies_claims_create": _claim_friendly,
    "fleet_friendlies_passed_hints_create": _pass_friendly,
    "fleet_friendlies_leases_create": _of_stretch(lambda stretch: {"ply": 1}),
    "fleet_friendlies_results_create": _of_stretch(
        lambda stretch: {"result": stretch_result_to_json(result_of(answered(stretch)))}
    ),
    "fleet_friendlies_returns_create": _of_stretch(lambda stretch: _RETURNED),
}
