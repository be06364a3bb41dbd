"""When a version plays next in its ladder, in a sentence."""

from datetime import timedelta
from typing import Any

import pytest
from django.db.models import F
from django.db.models.functions import Now
from pytest_django.fixtures import Settings

from pentathlon.bots.models import BotVersion
from pentathlon.fleet.models import Worker
from pentathlon.ladders.membership import join_ladder, pause_ladder
from pentathlon.ladders.models import Division, Ladder, LadderMember
from pentathlon.ladders.tables import NextMatch, next_match, place_in
from pentathlon.matches.models import Match, MatchState
from pentathlon.tournaments.estimates.progress import progress
from tests.factories import make_version
from tests.pentathlon.ladders.playing import division_of, open_ladder, play_waiting, seat_all, step
from tests.pentathlon.matches.acting import claimed
from tests.pentathlon.tournaments.acting import matches_of, started

pytestmark = pytest.mark.django_db

DONE: dict[str, Any] = {
    "state": MatchState.DONE, "finished_at": Now(), "sandbox": "namespaces", "token": None,
    "lease_until": None,
}  # fmt: skip


def told(version: BotVersion, ladder: Ladder) -> NextMatch:
    members = LadderMember.objects.select_related("version", "entry__tournament", "bot", "ladder")
    found = next_match(version, place_in(ladder, members.filter(bot=version.bot).first()))
    assert found is not None
    return found


def test_next_match_of_a_version_is_told_all_the_way(settings: Settings) -> None:
    ladder = open_ladder()
    version = make_version()
    seat_all()
    assert "It waits for opponents" in told(version, ladder).reason.sentence

    make_version()
    seat_all()
    assert "made within seconds" in told(version, ladder).reason.sentence

    step()
    waiting = told(version, ladder)
    assert waiting.match is not None
    assert waiting.reason.sentence == "Matches are paused: the scheduler is not answering."

    claimed(waiting.match)
    live = told(version, ladder)
    assert (live.match, live.reason.sentence) == (waiting.match, "It is being played now.")
    assert live.is_first

    Match.objects.update(**DONE)
    Division.objects.update(is_settled=True)
    settings.LADDER_MATCHES_AN_HOUR = None
    assert "made when a slot is idle" in told(version, ladder).reason.sentence
    settings.LADDER_MATCHES_AN_HOUR = 60
    assert told(version, ladder).reason.sentence.endswith("so it plays now and then.")
    assert not told(version, ladder).is_first


def test_paused_bot_gets_a_match_when_it_joins_again() -> None:
    ladder = open_ladder()
    version = make_version()
    seat_all()

    pause_ladder(actor=version.bot.owner, ladder=ladder, bot=version.bot)
    paused = told(version, ladder).reason.sentence
    join_ladder(actor=version.bot.owner, ladder=ladder, bot=version.bot)
    Worker.objects.all().delete()

    assert "when you have it join again" in paused
    assert "No worker is alive" in told(version, ladder).reason.sentence


def test_version_without_a_place_of_its_own_plays_nowhere() -> None:
    ladder = open_ladder()
    version = make_version()
    seat_all()
    newer = make_version(bot=version.bot)

    place = place_in(ladder, LadderMember.objects.get(bot=version.bot))

    assert next_match(newer, place) is None
    assert next_match(version, place_in(ladder, None)) is None


def test_end_of_a_division_is_told_while_a_tournament_is_played_beside_it() -> None:
    ladder = open_ladder()
    for _ in range(3):
        make_version()
    seat_all()
    step()
    division = division_of(ladder).tournament
    own = list(Match.objects.of_lane(division.pk).order_by("pk"))
    play_waiting(only=own[0].pk)
    Match.objects.filter(pk=own[0].pk).update(started_at=F("finished_at") - timedelta(seconds=3))
    for match in (own[1], matches_of(started())[0]):
        claimed(match)

    remaining_s = progress(division).remaining_s

    assert remaining_s is not None
    assert remaining_s > 0
