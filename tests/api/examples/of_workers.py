"""Examples of what machines that play for the site ask."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Callable
from typing import Final
from zipfile import ZipFile

from django.db.models.functions import Now

from pentathlon.bots.models import BotVersion
from pentathlon.matches.jobs import Job
from pentathlon.matches.models import Match
from pentathlon.matches.wire import submission_to_json
from pentathlon_engines import GAMES
from pentathlon_engines.manifest import Manifest
from tests.api.examples.asking import Call, Json, Making
from tests.api.examples.world import World
from tests.factories import make_match
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
        told = {"id": job.match_id, "token": str(job.token), **make(job)}
        return Call(who="worker", body=told)

    return call


def _claims(world: World) -> Call:
    return Call(who="worker", body={"ids": [_waiting(world).pk], **_SLOT})


def _passed(world: World) -> Call:
    return Call(who="worker", body={"ids": [_waiting(world).pk]})


def _leases(world: World) -> Call:
    job = _job(world)
    lease = {"id": job.match_id, "token": str(job.token), "ply": 7}
    return Call(who="worker", body={"leases": [lease]})


def _results(world: World) -> Call:
    job = _job(world)
    report = report_of(record_of(job))
    told = submission_to_json(submission_of(job, report))
    return Call(who="worker", body={"results": [{"task": job.task, **told}]})


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
        told = {"id": job.match_id, "token": str(job.token), "version_id": version.pk}
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
    "fleet_demand_create": _send({}),
}
