"""Nothing that anybody is shown reveals a seed that is still to be played."""

import logging
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from rest_framework.test import APIClient

from pentathlon.accounts.models import User
from pentathlon.insight.datasets.services import DatasetMaker
from pentathlon.matches.models import Match, MatchState
from pentathlon.ratings.services import apply_results
from pentathlon.tournaments.documents.document import event_key
from pentathlon.tournaments.models import Tournament
from pentathlon.tournaments.organising.drafts import Draft, create_tournament
from pentathlon.tournaments.services import cancel_tournament, close_finished, start_tournament
from pentathlon_engines.seeds import dice_of
from pentathlon_engines.tournament.document import TournamentDocument
from pentathlon_engines.tournament.proof import check_proof
from tests.api.client import V1, assert_problem
from tests.api.everything import EACH_BLOCK, answers
from tests.factories import make_user, make_version
from tests.pentathlon.matches.acting import claimed
from tests.pentathlon.matches.replays.playing import record_of, submit
from tests.pentathlon.tournaments.acting import matches_of
from tests.pentathlon.webhooks.receiving import make_endpoint

pytestmark = pytest.mark.django_db


@pytest.fixture
def organiser() -> User:
    person = make_user(organiser=True)
    make_endpoint(person)  # for all events
    return person


def _open(organiser: User) -> Tournament:
    return create_tournament(
        actor=organiser,
        draft=Draft(
            name="Cup",
            document=TournamentDocument(game="azure"),
            versions=[make_version(owner=organiser, games=("azure",)).pk for _ in range(3)],
        ),
    )


def _play(*matches: Match) -> None:
    for match in matches:
        job = claimed(match)
        submit(job, record_of(job, luck=match.pk))
    apply_results()


def _half_played(organiser: User) -> Tournament:
    """Return a tournament with one block done, one half done, and one not begun."""
    tournament = start_tournament(actor=organiser, tournament=_open(organiser))
    _play(*matches_of(tournament)[:3])
    claimed(matches_of(tournament)[3])
    DatasetMaker().make_datasets(for_s=60)
    return tournament


def _sealed(tournament: Tournament) -> dict[str, str]:
    """Return everything that nobody may see, by what it is."""
    secret, key = tournament.secret, event_key(tournament).hex()
    hidden = {"secret": secret, "secret as a number": str(int(secret, 16))}
    hidden |= {"event key": key, "event key as a number": str(int(key, 16))}
    for match in matches_of(tournament)[2:]:
        hidden |= {
            f"seed of match {match.pk}": str(match.seed),
            f"seed of match {match.pk} in hex": f"{match.seed:x}",
            f"alias of match {match.pk}": match.alias,
        }
        for seat, dice in enumerate(dice_of(match.seed, match=match.alias, seats=2)):
            hidden[f"dice of seat {seat} in match {match.pk}"] = dice
    return hidden


def _leaks(
    person: User | None,
    hidden: dict[str, str],
    *tournaments: Tournament,
    where: Callable[[str], bool] = bool,
    matches: Sequence[int] = EACH_BLOCK,
) -> list[str]:
    return [
        f"{what} in {address}"
        for address, text in answers(person, *tournaments, where=where, matches=matches)
        for what, value in hidden.items()
        if value in text.lower().replace(",", "")
    ]


@pytest.fixture
def people(organiser: User, pytestconfig: pytest.Config) -> list[User | None]:
    """Return nobody and the organiser, who is the author of the bots as well; or more people.

    Nobody is shown less of the same, so the usual run asks as nobody for what is kept for all.
    """
    if not pytestconfig.getoption("every_reader"):
        return [None, organiser]
    staff = User.objects.create_superuser("root", "root@example.org", "x")
    return [None, organiser, make_user(), staff]


def test_no_answer_tells_what_is_sealed_in_open_and_running_tournaments(
    organiser: User,
    people: list[User | None],
    pytestconfig: pytest.Config,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)
    matches = EACH_BLOCK if pytestconfig.getoption("every_reader") else (0, 3)
    waiting, running = _open(organiser), _half_played(organiser)
    hidden = _sealed(running) | {
        "secret of the open one": waiting.secret,
        "the same as a number": str(int(waiting.secret, 16)),
    }

    for person in people:
        where = bool if person or pytestconfig.getoption("every_reader") else _is_about_play
        assert _leaks(person, hidden, waiting, running, matches=matches, where=where) == []

    written = capfd.readouterr()
    logged = caplog.text + written.out + written.err
    assert [what for what, value in hidden.items() if value in logged] == []


def test_the_look_at_everything_finds_what_is_no_secret_any_more(organiser: User) -> None:
    tournament = _half_played(organiser)
    hidden = _sealed(tournament)

    cancel_tournament(actor=organiser, tournament=tournament)

    leaks = _leaks(None, hidden, tournament, where=_is_about_play)
    found = {leak.partition(" in /")[0] for leak in leaks}
    assert {"secret", "event key"} <= found
    assert {what for what in hidden if what.startswith("seed") and "hex" not in what} <= found


def _is_about_play(address: str) -> bool:
    return address.startswith(f"{V1}/") and ("/tournaments/" in address or "/matches/" in address)


def test_seed_and_record_come_with_the_last_match_of_the_block(
    organiser: User, anonymous: APIClient
) -> None:
    tournament = start_tournament(actor=organiser, tournament=_open(organiser))
    first, second = matches_of(tournament)[:2]
    _play(first)

    before = anonymous.get(f"{V1}/matches/{first.pk}/").json()
    refused = anonymous.get(f"{V1}/replays/{first.pk}/")
    board = anonymous.get(f"{V1}/replays/{first.pk}/board.svg")
    _play(second)
    after = anonymous.get(f"{V1}/matches/{first.pk}/").json()
    record = anonymous.get(f"{V1}/replays/{first.pk}/").json()

    assert (before["state"], before["seed"], before["alias"]) == ("done", None, None)
    assert_problem(refused, status=409, code="sealed")
    assert board.status_code == 200
    assert (after["seed"], after["alias"]) == (first.seed, first.alias)
    assert (record["seed"], record["match"]) == (first.seed, first.alias)


def test_bundle_of_an_own_bot_waits_for_the_block_too(organiser: User) -> None:
    tournament = start_tournament(actor=organiser, tournament=_open(organiser))
    first, second = matches_of(tournament)[:2]
    _play(first)
    client = APIClient()
    client.force_authenticate(organiser)

    refused = client.get(f"{V1}/matches/{first.pk}/seats/0/bundle.zip")
    _play(second)

    assert_problem(refused, status=409, code="sealed")
    assert client.get(f"{V1}/matches/{first.pk}/seats/0/bundle.zip").status_code == 200


@pytest.mark.parametrize("blocks", [0, 1, 3])
def test_proof_verifies_at_every_stage(organiser: User, anonymous: APIClient, blocks: int) -> None:
    tournament = start_tournament(actor=organiser, tournament=_open(organiser))
    _play(*matches_of(tournament)[: 2 * blocks])
    close_finished()

    proof: Any = anonymous.get(f"{V1}/tournaments/{tournament.pk}/proof/").json()
    open_ones = Match.objects.filter(place__tournament=tournament, state=MatchState.DONE)
    records = [anonymous.get(f"{V1}/replays/{match.pk}/").json() for match in open_ones]
    states = {check.name: check.state for check in check_proof(proof, records=records)}

    assert "failed" not in states.values()
    assert ("records" in states) == bool(blocks)
    assert ("sealed" in states.values()) == (blocks < 3)


def test_proof_takes_as_many_queries_for_any_size(
    organiser: User, anonymous: APIClient, django_assert_max_num_queries: Any
) -> None:
    tournament = _half_played(organiser)

    with django_assert_max_num_queries(12):
        anonymous.get(f"{V1}/tournaments/{tournament.pk}/proof/")
