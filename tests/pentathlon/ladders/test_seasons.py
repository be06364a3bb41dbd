"""Seasons that end and begin, and divisions of fields that are too large for one table."""

import pytest
from django.core.management import CommandError, call_command

from pentathlon.accounts.audit.models import AuditEvent
from pentathlon.ladders import membership, seasons
from pentathlon.ladders.membership import seat_members, seat_versions
from pentathlon.ladders.models import Division, LadderMember, Season, SeasonState
from pentathlon.ladders.seasons import close_seasons, lot_of, open_divisions, turn_seasons
from pentathlon.matches.models import Match, MatchKind, MatchState
from pentathlon.ratings.models import Rating
from pentathlon.ratings.services import open_live_pool
from pentathlon.tournaments.documents.document import document_json, event_key
from pentathlon.tournaments.models import Entry, FinalRow, Tournament
from pentathlon.tournaments.services import close_finished
from pentathlon_engines.seeds import commitment_to
from pentathlon_engines.tournament.formats import divisions as formats_divisions
from tests.factories import make_version
from tests.pentathlon.ladders.playing import (
    division_of,
    make_reference,
    open_ladder,
    play_waiting,
    seat_all,
    step,
)

pytestmark = pytest.mark.django_db


def _end_all() -> None:
    Season.objects.running().update(closes_at="2020-01-01T00:00Z")
    turn_seasons()


def test_commitment_is_public_at_once_and_the_secret_only_at_the_close() -> None:
    tournament = division_of(open_ladder()).tournament

    assert document_json(tournament)["commitment"] == tournament.commitment
    assert tournament.revealed_secret is None
    _end_all()
    close_finished()
    secret = Tournament.objects.get(pk=tournament.pk).revealed_secret or ""
    assert commitment_to(bytes.fromhex(secret)) == tournament.commitment


def test_season_opens_when_the_one_before_ends_and_everybody_stays() -> None:
    ladder = open_ladder()
    versions = [make_version(), make_version(), make_version()]
    seat_all()
    step()

    _end_all()
    while seat_members():
        pass

    old, new = Season.objects.filter(ladder=ladder).order_by("number")
    assert (old.state, new.state) == (SeasonState.CLOSING, SeasonState.RUNNING)
    entered = division_of(ladder).tournament.entries.values_list("version", flat=True)
    assert set(entered) == {version.pk for version in versions}
    assert division_of(ladder).tournament.secret != old.divisions.get().tournament.secret


def test_ended_season_closes_with_its_last_match_and_a_final_table() -> None:
    ladder = open_ladder()
    best = make_version()
    make_version()
    seat_all()
    step()
    season = Season.objects.get(ladder=ladder)
    tournament = division_of(ladder).tournament

    _end_all()
    close_finished()
    close_seasons()
    season.refresh_from_db()
    assert season.state == SeasonState.CLOSING  # its last matches are still to come

    play_waiting(winner=best.pk)
    close_finished()
    close_seasons()
    season.refresh_from_db()
    assert season.state == SeasonState.CLOSED
    assert season.closed_at is not None
    table = FinalRow.objects.filter(entry__tournament=tournament).order_by("place")
    assert table[0].entry.version_id == best.pk


def test_ended_season_gets_no_more_matches() -> None:
    ladder = open_ladder()
    make_version()
    make_version()
    seat_all()
    old = division_of(ladder).tournament
    _end_all()

    step()

    matches = Match.objects.filter(kind=MatchKind.LADDER, state=MatchState.PENDING)
    assert not matches.filter(lane=old.pk).exists()


def test_staff_ends_a_season_by_command() -> None:
    ladder = open_ladder()

    call_command("end_season", "tuned")

    states = (
        Season.objects.filter(ladder=ladder).order_by("number").values_list("state", flat=True)
    )
    assert list(states) == ["closing", "running"]


@pytest.fixture
def _small_divisions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let ten bots fill a division, not sixty: the doctests of the engines count to those."""
    monkeypatch.setattr(formats_divisions, "MOST_BOTS", 10)
    monkeypatch.setattr(membership, "FULL", 10)


@pytest.mark.usefixtures("_small_divisions")
def test_bot_that_fills_a_division_makes_a_second_one() -> None:
    ladder = open_ladder()
    mark = make_reference()
    author = make_version().bot.owner
    for _ in range(8):
        make_version(owner=author)
    seat_all()
    assert Division.objects.filter(season__ladder=ladder).count() == 1

    make_version(owner=author)
    seat_all()

    upper, lower = (division_of(ladder, level).tournament.entries.active() for level in (1, 2))
    assert [upper.count(), lower.count()] == [6, 6]
    assert upper.filter(version=mark).exists()
    assert lower.filter(version=mark).exists()


@pytest.mark.usefixtures("_small_divisions")
def test_best_of_a_lower_division_are_promoted_with_the_next_season() -> None:
    ladder = open_ladder()
    author = make_version().bot.owner
    for _ in range(9):
        make_version(owner=author)
    seat_all()
    below = division_of(ladder, 2).tournament.entries.active()
    best = below.order_by("-number").first()
    assert best is not None
    pool = open_live_pool(game="tuned")
    Rating.objects.create(pool=pool, version=best.version, mu=40, sigma=1)

    _end_all()
    while seat_members():
        pass

    above = division_of(ladder, 1).tournament.entries.active()
    assert above.filter(version=best.version_id).exists()
    assert above.count() == 5


@pytest.mark.usefixtures("_small_divisions")
@pytest.mark.parametrize("secret", ["5e" * 32, "c7" * 32])
def test_lot_decides_who_is_promoted_among_equals(secret: str) -> None:
    ladder = open_ladder()
    author = make_version().bot.owner
    for _ in range(9):
        make_version(owner=author)
    seat_all()
    lower = division_of(ladder, 2)
    Tournament.objects.filter(pk=lower.tournament_id).update(secret=secret)
    lower.tournament.refresh_from_db()
    pool = open_live_pool(game="tuned")
    entries = list(lower.tournament.entries.active().select_related("version"))
    for entry in entries:
        Rating.objects.create(pool=pool, version=entry.version, mu=30, sigma=1)
    key = event_key(lower.tournament)
    first = min(entries, key=lambda entry: lot_of(entry.version.bot_id, key=key))

    _end_all()

    members = LadderMember.objects.get(ladder=ladder, bot=first.version.bot_id)
    above, below = Season.objects.running().get(ladder=ladder).seating
    assert members.pk in above
    others = LadderMember.objects.filter(version__in=[entry.version_id for entry in entries])
    assert set(others.values_list("pk", flat=True)) - {members.pk} <= set(below)


def test_lot_decides_who_moves_where_a_division_is_halved(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(membership, "FULL", 6)
    ladder = open_ladder()
    pool = open_live_pool(game="tuned")
    versions = [make_version() for _ in range(6)]
    for version in versions:
        Rating.objects.create(pool=pool, version=version, mu=30, sigma=1)

    seat_all()

    key = event_key(division_of(ladder, 1).tournament)
    in_order = sorted(versions, key=lambda version: lot_of(version.bot_id, key=key))
    lower = division_of(ladder, 2).tournament.entries.active()
    assert {entry.version_id for entry in lower} == {version.pk for version in in_order[3:]}


def test_season_that_ends_while_members_wait_for_seats_keeps_their_levels(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(formats_divisions, "MOST_BOTS", 2)
    monkeypatch.setattr(membership, "MOST_BOTS", 2)
    ladder = open_ladder()
    pool = open_live_pool(game="tuned")
    for strength in (40, 35, 30, 25):
        Rating.objects.create(pool=pool, version=make_version(), mu=strength, sigma=1)
    seat_all()
    _end_all()
    before = Season.objects.running().get(ladder=ladder).seating
    while open_divisions():
        pass

    _end_all()

    after = Season.objects.running().get(ladder=ladder).seating
    assert len(before) > 1
    assert after == before


def test_division_that_grows_too_large_is_halved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(membership, "FULL", 6)
    ladder = open_ladder()
    mark = make_reference()
    pool = open_live_pool(game="tuned")
    versions = [make_version() for _ in range(6)]
    for place, version in enumerate(versions):
        Rating.objects.create(pool=pool, version=version, mu=40 - place, sigma=1)

    seat_all()

    lower = division_of(ladder, 2).tournament.entries.active()
    assert {entry.version_id for entry in lower} == {mark.pk, *(v.pk for v in versions[3:])}
    assert Division.objects.filter(season__ladder=ladder).count() == 2


def test_seasons_are_no_tournaments_of_the_list() -> None:
    open_ladder(all_others=True)

    assert not Tournament.objects.organised().exists()


def test_bot_that_joins_while_divisions_are_being_opened_gets_its_place_after(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(seasons, "_OPENED_AT_ONCE", 2)
    monkeypatch.setattr(formats_divisions, "MOST_BOTS", 2)
    ladder = open_ladder()
    for _ in range(5):
        make_version()
    seat_all()
    _end_all()
    season = Season.objects.running().get(ladder=ladder)
    assert (season.divisions.count(), season.unopened) == (2, 1)

    newcomer = make_version()
    while seat_versions():
        pass
    while seat_members():
        pass
    assert not Entry.objects.filter(tournament__ladder_division__season=season).exists()

    open_divisions(for_s=60)
    while seat_members():
        pass

    lowest = division_of(ladder, 3).tournament.entries.active()
    assert lowest.filter(version=newcomer).exists()
    assert [division_of(ladder, level).tournament.entries.count() for level in (1, 2, 3)] == [
        *(1, 2, 3)
    ]


def test_season_of_no_ladder_cannot_be_ended() -> None:
    with pytest.raises(CommandError, match="There is no ladder 'king'"):
        call_command("end_season", "king")


def test_season_that_is_being_opened_is_not_ended() -> None:
    ladder = open_ladder()
    Season.objects.filter(ladder=ladder).update(unopened=1)

    with pytest.raises(CommandError, match="still being opened"):
        call_command("end_season", ladder.key)

    assert Season.objects.get(ladder=ladder).state == SeasonState.RUNNING
    assert not AuditEvent.objects.exists()
