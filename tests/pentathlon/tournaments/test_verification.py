"""A stored schedule is compared with what document, secret and results give."""

from collections.abc import Callable
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from pentathlon.tournaments.batches import Batch
from pentathlon.tournaments.models import Tournament, TournamentMatch
from pentathlon.tournaments.scheduling.schedules import make_schedules
from pentathlon.tournaments.scheduling.verification import schedule_differences
from pentathlon.tournaments.services import start_tournament
from tests.factories import make_user, make_version
from tests.pentathlon.tournaments.acting import open_cup

pytestmark = pytest.mark.django_db


@pytest.fixture
def cup() -> Tournament:
    """Return a Swiss cup of four bots whose first round is made."""
    owner = make_user(organiser=True)
    made = open_cup(owner, format="swiss", versions=[make_version().pk for _ in range(4)])
    start_tournament(actor=owner, tournament=made)
    make_schedules()
    made.refresh_from_db()
    return made


def move_the_last_match(cup: Tournament) -> None:
    last = TournamentMatch.objects.filter(tournament=cup).order_by("index").last()
    assert last is not None
    TournamentMatch.objects.filter(pk=last.pk).update(index=99)


def change_the_digest(cup: Tournament) -> None:
    Batch.objects.filter(tournament=cup).update(input_digest="0" * 64)


def lengthen_the_batch(cup: Tournament) -> None:
    batch = Batch.objects.get(tournament=cup)
    Batch.objects.filter(pk=batch.pk).update(last_block=batch.last_block + 1)


@pytest.mark.parametrize(
    ("tamper", "found"),
    [
        (move_the_last_match, ["match 4 is missing", "match 99 does not follow from the secret"]),
        (change_the_digest, ["its digest differs from that of its note"]),
        (
            lengthen_the_batch,
            ["had 3 blocks and would have 2 today", "does not follow from the secret"],
        ),
    ],
)
def test_what_was_changed_afterwards_is_named(
    tamper: Callable[[Tournament], None], found: list[str], cup: Tournament
) -> None:
    tamper(cup)

    differences = list(schedule_differences(cup))

    for words in found:
        assert any(words in each for each in differences), differences


def test_command_names_tournaments_that_are_not_there(cup: Tournament) -> None:
    draft = open_cup(make_user(organiser=True), is_draft=True)

    with pytest.raises(CommandError, match=rf"not started: \[{draft.pk}, 123456\]"):
        call_command("verify_schedules", cup.pk, draft.pk, 123456, stdout=StringIO())
