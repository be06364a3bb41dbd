"""Rows and uploads for tests: plain functions, every argument optional."""

import io
import itertools
import stat
import uuid
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from pentathlon.accounts.models import ApiToken, Scope, User
from pentathlon.accounts.services import create_token
from pentathlon.bots.archives import read_archive
from pentathlon.bots.models import Archive, Bot, BotVersion, VersionGame, VersionState
from pentathlon.fleet.models import Worker
from pentathlon.matches.models import Match, MatchKind, MatchSeat, MatchState
from pentathlon.matches.replays.codec import CODEC, pack
from pentathlon.matches.replays.models import Replay
from pentathlon.tournaments.models import Entry, Tournament, TournamentState
from pentathlon.tournaments.people_rows import Team, TeamMember
from pentathlon_engines import GAMES
from pentathlon_engines.manifest import built_in_bots
from pentathlon_engines.record.record import canonical

SECRET = "5ec4e7" + "0" * 58
PASSWORD = "correct horse battery staple"
_counter = itertools.count(1)


def next_number() -> int:
    """Return a number that no other row of this run has used."""
    return next(_counter)


def make_user(username: str = "", *, organiser: bool = False, password: str = PASSWORD) -> User:
    """Store a person."""
    username = username or f"person-{next_number()}"
    return User.objects.create_user(
        username=username,
        email=f"{username}@example.org",
        verified_email=f"{username}@example.org",
        password=password,
        is_organiser=organiser,
    )


def make_staff(*, superuser: bool = False) -> User:
    """Store somebody who runs the platform."""
    person = make_user()
    person.is_staff, person.is_superuser = True, superuser
    person.save()
    return person


def make_token(user: User, *, scopes: Sequence[str] = tuple(Scope.values)) -> tuple[ApiToken, str]:
    """Store a token and return it with its secret."""
    return create_token(actor=user, name="test", scopes=scopes, days=1)


def zip_files(
    files: Mapping[str, bytes | str], *, modes: Mapping[str, int] | None = None
) -> bytes:
    """Pack files as an honest author's zip tool would."""
    target = io.BytesIO()
    with ZipFile(target, "w", ZIP_DEFLATED) as archive:
        for name, data in files.items():
            info = ZipInfo(name, date_time=(2026, 1, 1, 0, 0, 0))
            info.compress_type = ZIP_DEFLATED
            mode = (modes or {}).get(name, 0o644)
            info.external_attr = (stat.S_IFREG | mode) << 16
            archive.writestr(info, data)
    return target.getvalue()


def make_upload(
    name: str = "", *, games: Sequence[str] = ("tuned",), like: str = "random", salt: str = ""
) -> bytes:
    """Pack one of the built-in bots under another name; another salt is another content."""
    name = name or f"bot-{next_number()}"
    folder = built_in_bots()[like]
    files: dict[str, bytes | str] = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }
    keys = ", ".join(f'"{game}"' for game in games)
    files["bot.toml"] = (
        f'name = "{name}"\ngames = [{keys}]\nlanguage = "python"\nmain = "main.py"\n# {salt}\n'
    )
    return zip_files(files)


def make_bot(name: str = "", *, owner: User | None = None) -> Bot:
    """Store a bot without versions."""
    return Bot.objects.create(owner=owner or make_user(), name=name or f"bot-{next_number()}")


def make_version(
    *,
    bot: Bot | None = None,
    owner: User | None = None,
    name: str = "",
    games: Sequence[str] = ("tuned",),
    state: VersionState = VersionState.ELIGIBLE,
    like: str = "random",
) -> BotVersion:
    """Store the next version of a bot, with a real archive."""
    number = bot.versions.count() + 1 if bot else 1
    bot = bot or make_bot(name, owner=owner)
    checked = read_archive(make_upload(bot.name, games=games, like=like, salt=str(number)))
    # Store the rows directly: the service asks for much more, and its own tests upload through it.
    archive = Archive(
        content_hash=checked.content_hash,
        data=checked.normalised,
        unpacked_bytes=checked.unpacked_bytes,
        files=len(checked.files),
    )
    Archive.objects.bulk_create([archive], ignore_conflicts=True)
    manifest = checked.manifest.to_json()
    version = BotVersion.objects.create(
        bot=bot, number=number, archive=archive, manifest=manifest, state=state
    )
    VersionGame.objects.bulk_create(VersionGame(version=version, game=game) for game in games)
    return version


def make_replay(match: Match, record: Mapping[str, Any]) -> Replay:  # Any: JSON
    """Store the record of a match, which is that of its result from now on."""
    text = canonical(record)
    match.chain = record["chain"]
    Match.objects.filter(pk=match.pk).update(chain=match.chain)
    return Replay.objects.create(match=match, codec=CODEC, data=pack(text), raw_bytes=len(text))


def make_match(
    versions: Sequence[BotVersion] = (),
    *,
    game: str = "tuned",
    state: MatchState = MatchState.PENDING,
    kind: MatchKind = MatchKind.TOURNAMENT,
    ranks: Sequence[int] = (0, 1),
    faults: Mapping[int, str] | None = None,
    **fields: Any,  # Any: whatever columns a test cares about
) -> Match:
    """Store a match of two or more bot versions, in the given state; `faults` by seat."""
    faults = faults or {}
    versions = versions or (make_version(), make_version())
    columns: dict[str, Any] = {
        "rules_version": 1,
        "seed": next_number(),
        "alias": uuid.uuid4().hex,
        "validated_version": versions[0].pk if kind is MatchKind.VALIDATION else None,
        "newcomer_of": versions[0].bot.owner_id if kind is MatchKind.VALIDATION else None,
    }
    match = Match.objects.create(
        kind=kind, game=game, state=state, **{**columns, **_state_columns(state), **fields}
    )
    done = state is MatchState.DONE
    MatchSeat.objects.bulk_create(
        MatchSeat(
            match=match,
            seat=seat,
            version=version,
            rank=ranks[seat] if done else None,
            fault_kind=faults.get(seat, ""),
        )
        for seat, version in enumerate(versions)
    )
    return match


def make_worker(name: str = "", **fields: Any) -> Worker:  # Any: whatever a test cares about
    """Store a worker that is alive, in production shape unless told otherwise."""
    now = datetime.now(tz=UTC)
    columns: dict[str, Any] = {
        "slots": 2,
        "games": {key: game.info.version for key, game in GAMES.items()},
        "runtimes": ["command", "python"],
        "sandbox": "namespaces",
        "layers": [{"layer": "identity", "state": "ok", "detail": "no rights"}],
        "version": "1.0",
        "started_at": now,
        "seen_at": now,
    }
    name = name or f"host/{next_number()}"
    return Worker.objects.create(name=name, **{**columns, **fields})


def make_tournament(
    owner: User | None = None,
    *,
    versions: Sequence[BotVersion] = (),
    state: TournamentState = TournamentState.OPEN,
    **fields: Any,  # Any: whatever columns a test cares about
) -> Tournament:
    """Store a tournament with its entries, without matches."""
    columns: dict[str, Any] = {"name": f"Cup {next_number()}", "game": "tuned", "secret": SECRET}
    tournament = Tournament.objects.create(
        owner=owner or make_user(organiser=True),
        format="round_robin",
        state=state,
        **{**columns, **fields},
    )
    Entry.objects.bulk_create(
        Entry(tournament=tournament, version=version, number=number)
        for number, version in enumerate(versions)
    )
    return tournament


def make_team(name: str = "", *, owner: User | None = None, members: Sequence[User] = ()) -> Team:
    """Store a team whose members have accepted."""
    owner = owner or make_user()
    team = Team.objects.create(name=name or f"Team {next_number()}", owner=owner)
    now = datetime.now(tz=UTC)
    TeamMember.objects.bulk_create(
        TeamMember(team=team, person=person, accepted_at=now) for person in (owner, *members)
    )
    return team


def _state_columns(state: MatchState) -> dict[str, Any]:
    now = datetime.now(tz=UTC)
    if state is MatchState.RUNNING:
        return {
            "token": uuid.uuid4(),
            "lease_until": now + timedelta(seconds=30),
            "started_at": now,
            "attempts_made": 1,
        }
    if state is MatchState.DONE:
        return {
            "started_at": now,
            "finished_at": now,
            "attempts_made": 1,
            "outcome_reason": "line",
            "sandbox": "namespaces",
            "ply": 20,
        }
    return {}
