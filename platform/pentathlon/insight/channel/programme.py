"""The programme of Channel Pentathlon: made of rows and the clock, once for all who watch.

The clock is cut into windows. What is shown in one is chosen once, a little before it begins, from
the matches that had ended by then. Where people watch, the reconciler chooses, because it may read
replays to see how matches went; the first window is chosen by the page that asks, from rows alone.
While a site has no match yet, built-in policies play.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache as kept
from random import Random
from typing import Final

from django.core.cache import cache
from django.db.models import Exists, OuterRef
from redis import RedisError

from pentathlon.core.errors import Damaged, Unavailable
from pentathlon.insight.analyses.models import Analysis
from pentathlon.insight.analyses.services import ask_for_analysis
from pentathlon.insight.channel.director import (
    Candidate,
    Showing,
    closeness_of,
    heat_of,
    in_order,
    lay_out,
    swings_of,
    take,
)
from pentathlon.insight.rivalry.models import Meeting
from pentathlon.insight.rivalry.scores import MILLION
from pentathlon.insight.stories import Line
from pentathlon.matches.models import COMPETITIONS, Match, MatchKind
from pentathlon.matches.replays.moments import score_line
from pentathlon.matches.replays.services import read_record
from pentathlon.ratings.models import Pool, Rating
from pentathlon.tournaments.models import TournamentMatch, TournamentState
from pentathlon_engines import GAMES
from pentathlon_engines.lookahead import winning_action
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.match.referee import Referee
from pentathlon_engines.record.record import seal
from pentathlon_engines.record.shape import Record

WINDOW_S: Final = 600
LEAD_S: Final = 240
"""How long before a window it is chosen, so that everybody can be told what comes."""
_AHEAD_S: Final = 60
"""How long before anybody can be told the reconciler chooses."""
_LATEST: Final = 40
"""How many of the latest matches of each game are considered."""
_READ: Final = 12
"""How many of the most promising are chosen from, and read for their course."""
_MOST_ASKED: Final = 24
"""How many curves of upsets and finals are asked for at a time."""
_BEST: Final = 40.0
"""A rating that hardly any bot has."""
_HALF_LIFE_H: Final = 3.0
"""After how many hours a match is half as new."""
_SHOWN: Final = 0.3
"""The novelty of what the window before has shown."""
_UPSET: Final = 0.35
_UNKNOWN: Final = 0.7
"""How exciting a running match is: nobody knows how it ends."""
_AT_LEAST_S: Final = 5
"""How long a running match must have been on, since most are over before anybody looks."""
_MOST_RUNNING: Final = 200
"""How many running matches are considered: the oldest, which have something to show already."""
_WITH_FINAL: Final = ("knockout", "finals")
"""The formats whose last round is the final."""
_KINDS: Final = (*COMPETITIONS, MatchKind.CHALLENGE)

_windows: dict[str, list[Showing]] = {}
_choosing = threading.Lock()


def programme(game: str, *, now: float) -> list[Showing]:
    """Return what is on at a moment and what follows, of one game or of all (empty)."""
    index = int(now // WINDOW_S)
    slots = _window(game, index, now)
    if now >= (index + 1) * WINDOW_S - LEAD_S:
        slots = [*slots, *_window(game, index + 1, now)]
    return [slot for slot in slots if slot.ends > now]


def compose_ahead() -> int:
    """Choose the next window of a channel that is watched, by how its matches went.

    The reconciler calls it again and again. The curves of what comes are computed first, then
    those of upsets and finals. While the broker is away, each page chooses for itself.
    """
    with suppress(RedisError):
        return _compose_ahead(time.time())
    return 0


def _compose_ahead(now: float) -> int:
    index = int((now + LEAD_S + _AHEAD_S) // WINDOW_S)
    for game in ("", *GAMES):
        key = _key(game, index)
        if cache.get(key) is None and (on := cache.get(_key(game, index - 1))):
            slots = _choose(game, index * WINDOW_S, now, on=on, course_of=_read_course)
            cache.set(key, slots, 2 * WINDOW_S)
            latest = _latest(game, before=now)
            notable = _notable(latest)
            for match in [match for match in latest if match.pk in notable][:_MOST_ASKED]:
                ask_for_analysis(match)
            return 1
    return 0


def best_running(game: str, *, slot: Showing | None = None) -> Match | None:
    """Return the running match that is worth most, if it is worth more than what is on.

    Only matches count that everybody may watch, and that had begun before the slot did.
    """
    running = Match.objects.public().live().watchable()
    if game:
        running = running.of_game(game)
    if slot is not None:
        begun_by = datetime.fromtimestamp(slot.starts - _AT_LEAST_S, tz=UTC)
        running = running.filter(started_at__lte=begun_by)
    matches = list(running.with_seats().order_by("started_at", "pk")[:_MOST_RUNNING])
    strengths = _strengths(matches)
    best = max(matches, key=lambda match: strengths[match.pk], default=None)
    if best is None or slot is None:
        return best
    on = Candidate(
        source=str(best.pk),
        game=best.game,
        bots=frozenset(),
        strength=strengths[best.pk],
        swings=_UNKNOWN,
        closeness=_UNKNOWN,
        novelty=1.0,
    )
    return best if on.worth > slot.worth else None


def record_of(source: str) -> tuple[Match | None, Record] | None:
    """Return a public match with its record, or only the record of an exhibition; else None."""
    if source in GAMES:
        return None, exhibition(source)
    match = Match.objects.public().recent().filter(pk=int(source)).with_seats()
    found = match.select_related("replay").filter(replay__isnull=False).first()
    return None if found is None else (found, read_record(found.replay))


def line_of(match: Match | None, record: Record) -> Line | None:
    """Return the chances of each seat at every ply, else the points, else None."""
    found = Analysis.objects.filter(match=match, curve__isnull=False).only("curve").first()
    if match is None or found is None or found.curve is None:
        return score_line(record)
    points, line = found.curve["points"], list[Sequence[int]]()
    for point in points:
        # Between two measured plies nothing is known to happen.
        line += [line[-1] if line else point[2]] * (point[0] - len(line))
        line.append(point[2])
    return line


@kept
def exhibition(game: str) -> Record:
    """Return a match of the game's own policies against chance, always the same one."""
    seats = GAMES[game].info.seats[0]
    referee = Referee(game=GAMES[game], seats=seats, options=None, seed=2026)
    policy = next(iter(GAMES[game].policies().values()), None)
    rng, options = Random(2026), referee.state.options
    while (seat := referee.seat_to_ask()) is not None:
        state = referee.state
        action = state.random_action(rng)
        if seat == 0 and policy is not None:
            action = policy(state, state.legal_actions(), rng)
        elif (win := winning_action(state)) is not None:
            action = win
        referee.accept(state.text(action), cpu_ms=0, wall_ms=0)
    return seal(
        {
            "game": game,
            "rules": GAMES[game].info.version,
            "seats": seats,
            "options": options,
            "seed": 2026,
            "match": "exhibition",
            "bots": [{"name": name, "hash": ""} for name in _POLICIES[:seats]],
            "limits": Limits().to_json(),
            "sandbox": "process",
            "layers": [],
        },
        events=referee.events,
        faults=[],
        outcome=referee.final_outcome(),
    )


_POLICIES: Final = ("greedy", "random", "random too", "random again", "random as well")


def _window(game: str, index: int, now: float) -> list[Showing]:
    """Return what a window shows; it is chosen by the first who asks, in any process."""
    key = _key(game, index)
    found = _windows.get(key)
    if found and found[-1].ends > now:
        return found
    with _choosing:
        found = _windows.get(key)
        if found and found[-1].ends > now:
            return found
        with suppress(RedisError):
            found = cache.get(key)
        if not found or found[-1].ends <= now:
            on = _windows.get(_key(game, index - 1), [])
            found = _choose(game, index * WINDOW_S, now, on=on, course_of=_no_course)
            with suppress(RedisError):
                cache.set(key, found, 2 * WINDOW_S)
        for old in [name for name in _windows if int(name.rpartition(":")[2]) < index - 1]:
            del _windows[old]
        _windows[key] = found
        return found


def _no_course(_: Match) -> Line | None:
    """Return that the course is unknown: a page has no time to read replays."""
    return None


def _read_course(match: Match) -> Line | None:
    """Return how a match went, and have its curve computed for those who will watch it."""
    ask_for_analysis(match)
    return line_of(match, read_record(match.replay))


def _choose(
    game: str,
    starts: float,
    now: float,
    *,
    on: Collection[Showing],
    course_of: Callable[[Match], Line | None],
) -> list[Showing]:
    """Return the slots of the window that starts at a time, after the one with what is `on`.

    A young site begins at once.
    """
    ends = starts + WINDOW_S
    latest = _latest(game, before=starts - LEAD_S)
    if not latest:
        starts, latest = max(starts, now), _latest(game, before=now)
    shown, takes = {slot.source for slot in on}, {}
    for candidate, match in _candidates(latest, shown=shown, salt=str(ends))[:_READ]:
        with suppress(Damaged, Unavailable):
            line = course_of(match)
            candidate = replace(candidate, swings=swings_of(line))  # noqa: PLW2901
            takes[candidate] = take(candidate, heat_of(line, plies=match.ply))
    if not takes:
        key = game or list(GAMES)[int(now // WINDOW_S) % len(GAMES)]
        candidate = _candidate(key, key, strength=0, closeness=0, novelty=0)
        line = score_line(exhibition(key))
        only = take(candidate, heat_of(line, plies=len(exhibition(key)["events"])))
        return lay_out([only], starts=now, ends=now + only.length_s)
    ordered = [takes[candidate] for candidate in in_order(takes)]
    return lay_out(ordered, starts=starts, ends=max(ends, starts + ordered[0].length_s))


def _key(game: str, index: int) -> str:
    return f"channel:{game}:{index}"


def _latest(game: str, *, before: float) -> list[Match]:
    """Return the latest finished matches of one game or of all that everybody may see."""
    ended = (
        Match.objects.public()
        .recent()
        .filter(
            finished_at__lt=datetime.fromtimestamp(before, tz=UTC),
            kind__in=_KINDS,
            is_revoked=False,
            replay__isnull=False,
        )
    )
    latest = list[Match]()
    for key in [game] if game else GAMES:
        of_game = ended.of_game(key).filter(rules_version=GAMES[key].info.version)
        latest += of_game.with_seats()[:_LATEST]
    return latest


def _candidates(
    matches: Collection[Match], *, shown: Collection[str], salt: str
) -> list[tuple[Candidate, Match]]:
    """Return the candidates with their matches, the most promising first."""
    if not matches:
        return []
    newest = max(match.finished_at for match in matches if match.finished_at)
    strengths = _strengths(matches)
    notable, candidates = _notable(matches), {}
    for match in matches:
        age_h = (newest - (match.finished_at or newest)).total_seconds() / 3600
        novelty = 1.0 if match.pk in notable else _HALF_LIFE_H / (_HALF_LIFE_H + age_h)
        novelty *= _SHOWN if str(match.pk) in shown else 1.0
        has_failed = match.outcome_reason == "fault"
        scores = [seat.score for seat in match.seats.all()]
        candidate = _candidate(
            str(match.pk),
            match.game,
            bots=frozenset(seat.version.bot.name for seat in match.seats.all()),
            strength=strengths[match.pk],
            closeness=0.0 if has_failed else closeness_of(scores),
            novelty=novelty * (1 - 0.4 * _chance(match.pk, salt)),
        )
        candidates[candidate] = match
    return [(candidate, candidates[candidate]) for candidate in in_order(candidates)]


def _notable(matches: Collection[Match]) -> set[int]:
    """Return the numbers of upsets and finals."""
    upsets = Meeting.objects.filter(match__in=matches, surprise__lt=_UPSET * MILLION)
    later = TournamentMatch.objects.filter(
        tournament=OuterRef("tournament"), round__gt=OuterRef("round")
    )
    finals = TournamentMatch.objects.filter(
        ~Exists(later),
        match__in=matches,
        tournament__format__in=_WITH_FINAL,
        tournament__state=TournamentState.CLOSED,
    )
    return {*upsets.values_list("match", flat=True), *finals.values_list("match", flat=True)}


def _candidate(source: str, game: str, **qualities: object) -> Candidate:
    facts = {"source": source, "game": game, "bots": frozenset[str](), "swings": swings_of(None)}
    return Candidate(**{**facts, **qualities})  # type: ignore[arg-type]  # fields by name


def _chance(match: int, salt: str) -> float:
    """Return a number from 0 to 1 that differs by window, so that not always the same are on."""
    return hashlib.sha256(f"{match} {salt}".encode()).digest()[0] / 255


def _strengths(matches: Collection[Match]) -> dict[int, float]:
    """Return the mean rating of the bots of each match, from 0 to 1; without a rating it is 0."""
    versions = {seat.version_id for match in matches for seat in match.seats.all()}
    rated = Rating.objects.filter(pool__in=Pool.objects.live(), version__in=versions)
    scores: dict[int, float] = dict(rated.values_list("version", "score"))
    means = {
        match.pk: sum(scores.get(seat.version_id, 0.0) for seat in match.seats.all())
        / len(match.seats.all())
        for match in matches
    }
    return {pk: min(1.0, max(0.0, mean / _BEST)) for pk, mean in means.items()}
