"""What a bot is told of its match, and what it is not told."""

import json

import pytest

from pentathlon.matches.jobs import Job
from pentathlon.matches.services import fail_attempt
from pentathlon_engines import GAMES
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.match.protocol import MatchFacts, hello
from pentathlon_engines.seeds import dice_of
from tests.pentathlon.matches.acting import claimed
from tests.pentathlon.tournaments.acting import matches_of, started

pytestmark = pytest.mark.django_db


def _hello(job: Job, seat: int) -> dict[str, object]:
    """Return what the worker has the runner say."""
    facts = MatchFacts(
        game=job.game,
        rules=job.rules_version,
        seats=len(job.seats),
        options=GAMES[job.game].start(len(job.seats), job.options).options,
        limits=Limits.from_json(job.limits),
        match=job.told_name,
        dice=dice_of(job.seed, match=job.told_name, seats=len(job.seats)),
    )
    return hello(facts, seat=seat)


def test_matches_differ_for_a_bot_in_seat_name_and_dice_alone() -> None:
    jobs = [claimed(match) for match in matches_of(started(bots=4))]

    told = [_hello(job, seat) for job in jobs for seat in range(2)]

    for each in told:
        del each["match"], each["seat"], each["dice"]
    assert all(each == told[0] for each in told)


def test_names_of_the_legs_of_a_block_have_nothing_in_common() -> None:
    tournament = started(bots=4)
    jobs = [claimed(match) for match in matches_of(tournament)]

    names = [job.told_name for job in jobs]

    assert len(set(names)) == len(jobs)
    assert all(len(bytes.fromhex(name)) == 16 for name in names)
    # Sorting by name must not sort by block, round or number.
    assert sorted(names) != names


def test_name_of_a_bot_or_its_author_is_never_told() -> None:
    tournament = started(bots=2)
    (job, _) = [claimed(match) for match in matches_of(tournament)]

    text = json.dumps([_hello(job, seat) for seat in range(2)])

    for seat in job.seats:
        assert seat.name not in text
        assert seat.content_hash not in text
    assert tournament.name not in text


def test_second_attempt_has_the_same_name() -> None:
    match = matches_of(started(bots=2))[0]
    first = claimed(match)
    fail_attempt(match_id=match.pk, token=first.token, reason="The host failed.")

    assert claimed(match).told_name == first.told_name
