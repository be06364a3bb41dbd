"""Everything about one person as one zip, sent while it is made, so that memory stays small.

Rows come from the database in chunks and go out as lines of JSON. The zip holds no secret, and
nothing about anybody else that the person could not read on the site.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import timedelta
from typing import Any, Final, cast
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import QuerySet
from django.utils import timezone

from pentathlon.accounts.audit.models import AuditEvent
from pentathlon.accounts.models import ApiToken, BrowserSession, DeviceLogin, Passkey, User
from pentathlon.accounts.oauth.models import OAuthApp
from pentathlon.accounts.oauth.services import AllowedApp, allowed_apps
from pentathlon.accounts.services import passkey_quota, token_quota
from pentathlon.bots.archives import ArchiveDamaged, archive_quota, find_upload, validation_quota
from pentathlon.bots.models import Bot, BotVersion, BuildLog
from pentathlon.core.clock import database_now
from pentathlon.core.quotas import Quota
from pentathlon.core.throttle import read_rate
from pentathlon.friendlies import services as friendlies
from pentathlon.friendlies.models import Friendly
from pentathlon.ladders.models import LadderMember
from pentathlon.matches.desk_records import services as desk_records
from pentathlon.matches.desk_records.models import DeskRecord
from pentathlon.matches.models import Match, MatchSeat, SeatLog
from pentathlon.ratings.rankings.models import FormerPlace
from pentathlon.tournaments.challenges import services as challenges
from pentathlon.tournaments.challenges.models import Challenge
from pentathlon.tournaments.models import Entry, Tournament
from pentathlon.tournaments.people_rows import Invitation, TeamMember
from pentathlon.tournaments.teams.services import team_quota
from pentathlon.webhooks.models import Delivery, WebhookEndpoint
from pentathlon.webhooks.services import endpoint_quota

Row = Mapping[str, Any]  # Any: JSON
_Table = tuple[QuerySet[Any], tuple[str, ...]]  # Any: rows of any table
_CHUNK: Final = 500
_PIECE: Final = 64 * 1024

_ABOUT: Final = """Everything that this site has about the account {username}, as of {now}.

account.json            the account itself
tokens.ndjson           API tokens, without their secrets
sessions.ndjson         browsers in which you have signed in
passkeys.ndjson         your passkeys, by name
devices.ndjson          terminals that waited to be signed in
apps.ndjson             apps that you have registered
allowed_apps.ndjson     apps that act for you
webhooks.ndjson         webhooks and e-mail, without their secrets
deliveries.ndjson       what was sent there
bots.ndjson             bots
versions.ndjson         their versions
archives/               the files of each version, as they were uploaded
build_logs.ndjson       what builds have written
ladders.ndjson          what you have chosen for bots in ladders
matches.ndjson          matches of your bots, without those whose results are hidden
seats.ndjson            how your bots did in them
logs.ndjson             what your bots wrote there
entries.ndjson          your bots in tournaments
tournaments.ndjson      tournaments that you organise
teams.ndjson            teams that you are a member of, or invited to
invitations.ndjson      invitations to tournaments
challenges.ndjson       challenges that you have made
friendlies.ndjson       your games against bots
desk_records.ndjson     records that you have uploaded
ranking.ndjson          your places in the ranking, day by day
audit.ndjson            what the audit log says about you

A file that ends in .ndjson has one JSON object in each line. Times are in UTC. Replays of matches
are at /api/v1/replays/ID/.
"""
_READERS: Final = (
    validation_quota,
    archive_quota,
    challenges.daily_quota,
    challenges.under_way_quota,
    friendlies.daily_quota,
    friendlies.under_way_quota,
    desk_records.daily_quota,
    desk_records.kept_quota,
    token_quota,
    passkey_quota,
    endpoint_quota,
    team_quota,
)
_RATES: Final[Mapping[str, str]] = {
    "uploads": "Uploads of bots",
    "desk_records": "Uploads of records from your desk",
    "exports": "Exports of whole tables and proofs",
    "own_exports": "Exports of everything about yourself",
    "histories": "Stretches of histories of a game",
    "searches": "Searches",
    "webhook_sends": "Test events and redeliveries of webhooks",
}
"""What the rates of one person count that are not of all requests."""


def export_account(person: User) -> Iterator[bytes]:
    """Yield the zip, piece by piece."""
    target = _Pieces()
    # Any: a file that is only written to, which the stubs do not know
    with ZipFile(cast(Any, target), "w", ZIP_DEFLATED) as archive:
        about = _ABOUT.format(username=person.username, now=database_now().isoformat())
        yield from _file(archive, target, "README.txt", [about.encode()])
        yield from _file(archive, target, "account.json", [_json(_account(person)) + b"\n"])
        for name, rows in _tables(person).items():
            yield from _file(archive, target, f"{name}.ndjson", map(_line, rows()))
        for version in _versions(person).iterator(chunk_size=_CHUNK):
            path = f"archives/{version['bot__name']}/{version['number']}.zip"
            try:
                data = find_upload(
                    version["archive"], model=version["model"], manifest=version["manifest"]
                )
            except ArchiveDamaged as error:
                path, data = f"{path}.damaged.txt", error.detail.encode()
            yield from _file(archive, target, path, [data], packs=False)
    yield target.take()


class _Pieces:
    """A write-only file; its content is taken out again and again."""

    def __init__(self) -> None:
        self._written = bytearray()

    def write(self, data: bytes) -> int:
        self._written += data
        return len(data)

    def flush(self) -> None:
        """Do nothing, because `take` returns everything."""

    def is_full(self) -> bool:
        return len(self._written) >= _PIECE

    def take(self) -> bytes:
        taken = bytes(self._written)
        self._written.clear()
        return taken


def _file(
    archive: ZipFile,
    target: _Pieces,
    path: str,
    parts: Iterable[bytes],
    *,
    packs: bool = True,
) -> Iterator[bytes]:
    info = ZipInfo(path, date_time=(1980, 1, 1, 0, 0, 0))
    info.compress_type = ZIP_DEFLATED if packs else ZIP_STORED
    with archive.open(info, "w") as file:
        for part in parts:
            file.write(part)
            if target.is_full():
                yield target.take()
    yield target.take()


def _line(row: Row) -> bytes:
    return _json(row) + b"\n"


def _json(value: object) -> bytes:
    return json.dumps(value, cls=DjangoJSONEncoder, ensure_ascii=False).encode()


def _account(person: User) -> Row:
    return {
        "id": person.pk,
        "username": person.username,
        "email": person.email,
        "email_is_verified": person.has_verified_email,
        "first_name": person.first_name,
        "last_name": person.last_name,
        "is_organiser": person.is_organiser,
        "is_vouched": person.is_vouched,
        "is_staff": person.is_staff,
        "is_superuser": person.is_superuser,
        "takes_organiser_entries": person.takes_organiser_entries,
        "groups": list(person.groups.values_list("name", flat=True)),
        "date_joined": person.date_joined,
        "last_login": person.last_login,
    }


def _tables(person: User) -> dict[str, Callable[[], Iterable[Row]]]:
    """Return a function that reads each table, by the name of the table's file."""
    parts = (_tables_of_account, _tables_of_bots, _tables_of_competitions)
    tables = {name: table for part in parts for name, table in part(person).items()}
    found: dict[str, Callable[[], Iterable[Row]]] = {
        name: _reader(rows, columns) for name, (rows, columns) in tables.items()
    }
    found["allowed_apps"] = lambda: map(_allowed_app, allowed_apps(person))
    found["friendlies"] = lambda: map(_friendly, _friendlies(person))
    found["desk_records"] = lambda: map(_desk_record, _desk_records(person))
    return found


def _tables_of_account(person: User) -> dict[str, _Table]:
    return {
        "tokens": (
            ApiToken.objects.filter(user=person).order_by("created"),
            ("public_id", "name", "scopes", "created", "expiry", "last_used_at"),
        ),
        "sessions": (
            BrowserSession.objects.filter(person=person),
            ("public_id", "address", "user_agent", "begun_at", "seen_at"),
        ),
        "passkeys": (
            Passkey.objects.filter(person=person),
            ("name", "host", "created_at", "last_used_at"),
        ),
        "devices": (
            DeviceLogin.objects.filter(person=person),
            ("name", "scopes", "address", "answer", "created_at"),
        ),
        "apps": (
            OAuthApp.objects.owned_by(person),
            ("id", "name", "homepage", "redirect_uris", "client_id", "client_type", "created"),
        ),
        "webhooks": (
            WebhookEndpoint.objects.kept().filter(owner=person),
            ("id", "channel", "url", "is_enabled", "disabled_reason", "created_at"),
        ),
        "deliveries": (
            Delivery.objects.filter(endpoint__owner=person),
            ("endpoint", "event__type", "event__data", "state", "tries", "created_at", "ended_at"),
        ),
    }


def _tables_of_bots(person: User) -> dict[str, _Table]:
    own = BotVersion.objects.owned_by(person)
    matches = Match.objects.visible_to(person)
    seats = MatchSeat.objects.filter(version__in=own, match__in=matches)
    return {
        "bots": (Bot.objects.owned_by(person), ("id", "name", "created_at")),
        "versions": (
            own,
            (
                *("id", "bot", "number", "archive", "manifest", "notes", "state"),
                *("state_reason", "validation_log", "repairs", "is_candidate", "created_at"),
                *("validated_at", "stopped_at"),
            ),
        ),
        "build_logs": (BuildLog.objects.filter(version__in=own), ("version", "text")),
        "ladders": (
            LadderMember.objects.filter(bot__owner=person),
            ("ladder__key", "bot", "choice", "version"),
        ),
        "matches": (
            matches.filter(pk__in=seats.values("match")),
            (
                *("id", "kind", "game", "rules_version", "options", "limits", "rated", "state"),
                *("state_reason", "created_at", "started_at", "finished_at"),
            ),
        ),
        "seats": (
            seats,
            (
                *("match", "seat", "version", "rank", "score", "fault_kind", "fault_ply"),
                *("fault_detail", "cpu_ms", "wall_ms", "memory_peak_mb", "exit_status"),
            ),
        ),
        "logs": (
            SeatLog.objects.readable_by(person).filter(seat__in=seats),
            ("seat__match", "seat__seat", "text", "notes"),
        ),
    }


def _tables_of_competitions(person: User) -> dict[str, _Table]:
    own = BotVersion.objects.owned_by(person)
    return {
        "entries": (
            Entry.objects.filter(
                version__in=own, tournament__in=Tournament.objects.visible_to(person)
            ),
            ("tournament", "version", "number", "team__name", "state", "reason", "left_at"),
        ),
        "tournaments": (
            Tournament.objects.organised_by(person),
            ("id", "name", "game", "format", "state", "created_at", "started_at", "finished_at"),
        ),
        "teams": (
            TeamMember.objects.filter(person=person),
            ("team", "team__name", "team__owner__username", "invited_at", "accepted_at"),
        ),
        "invitations": (Invitation.objects.filter(person=person), ("tournament", "invited_at")),
        "challenges": (
            Challenge.objects.by_author(person),
            (
                *("id", "game", "version", "opponent", "others", "blocks", "planned", "done"),
                *("void", "state", "created_at", "finished_at"),
            ),
        ),
        "ranking": (FormerPlace.objects.filter(author=person), ("day", "rank", "share")),
        "audit": (
            AuditEvent.objects.about(person),
            ("id", "at", "action", "kind", "object_id", "object_name", "reason", "details"),
        ),
    }


def _reader(rows: QuerySet[Any], columns: tuple[str, ...]) -> Callable[[], Iterable[Row]]:
    ordered = rows if rows.query.order_by else rows.order_by("pk")
    return lambda: ordered.values(*columns).iterator(chunk_size=_CHUNK)


def _versions(person: User) -> QuerySet[BotVersion, Any]:  # Any: a row
    own = BotVersion.objects.owned_by(person).order_by("bot", "number")
    return own.values("bot__name", "number", "archive", "model", "manifest")


def _allowed_app(allowed: AllowedApp) -> Row:
    return {
        "app": allowed.app.name,
        "homepage": allowed.app.homepage,
        "may": allowed.may,
        "since": allowed.since,
        "last": allowed.last,
    }


def _friendlies(person: User) -> Iterator[Friendly]:
    found = Friendly.objects.of_person(person).prefetch_related("seats").order_by("pk")
    return found.iterator(chunk_size=20)


def _friendly(friendly: Friendly) -> Row:
    return {
        "id": friendly.pk,
        "game": friendly.game,
        "options": friendly.options,
        "seat": friendly.seat,
        "versions": [each.version_id for each in friendly.seats.all()],
        "state": friendly.state,
        "created_at": friendly.created_at,
        "finished_at": friendly.finished_at,
        "record": friendly.record if friendly.data is not None else None,
    }


def _desk_records(person: User) -> Iterator[DeskRecord]:
    return DeskRecord.objects.filter(author=person).order_by("pk").iterator(chunk_size=20)


def _desk_record(row: DeskRecord) -> Row:
    return {"id": row.pk, "created_at": row.created_at, "record": row.record}


def read_quotas(person: User) -> list[Quota]:
    """Return each quota and rate as it stands now; one or two queries for each."""
    return [read(person) for read in _READERS] + [_rate(name, person) for name in _RATES]


def _rate(name: str, person: User) -> Quota:
    state = read_rate(name, person.pk)
    window = {60: "in a minute", 3600: "in an hour", 86_400: "in a day"}[state.window_s]
    renews_at = timezone.now() + timedelta(seconds=state.resets_s) if state.resets_s else None
    return Quota(
        key=f"rate_{name}",
        about=f"{_RATES[name]} {window}",
        limit=state.limit,
        used=min(state.taken, state.limit),
        renews_at=renews_at,
        code="throttled",
    )
