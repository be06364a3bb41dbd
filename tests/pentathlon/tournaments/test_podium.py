"""Who won a tournament: the first three places, shared ones too."""

import pytest

from pentathlon.tournaments.models import FinalRow, Tournament
from pentathlon.tournaments.results.final_table import podiums
from tests.factories import make_bot, make_user, make_version
from tests.pentathlon.tournaments.acting import open_cup

pytestmark = pytest.mark.django_db

BOTS = ("azote", "birch", "cedar", "drum", "elm", "fir", "gum")


def _closed(*places: int) -> Tournament:
    versions = [make_version(bot=make_bot(name=name)) for name in BOTS[: len(places)]]
    cup = open_cup(make_user(organiser=True), versions=[version.pk for version in versions])
    by_version = {entry.version_id: entry for entry in cup.entries.all()}
    for version, place in zip(versions, places, strict=True):
        figures = {"group": 1, "mu": 25.0, "sigma": 1.0, "chance_of_best": 0.5}
        FinalRow.objects.create(entry=by_version[version.pk], place=place, **figures)
    return cup


@pytest.mark.parametrize(
    ("places", "story"),
    [
        ((2, 1, 3, 4), "birch won, ahead of azote and cedar."),
        ((1, 1, 3, 4), "azote and birch share the first place, ahead of cedar."),
        ((1, 2, 2, 4), "azote won, ahead of birch and cedar."),
        ((1, 1), "azote and birch share the first place."),
        ((1,) * 7, "azote, birch, cedar, drum, elm and 2 more share the first place."),
    ],
)
def test_sentence_names_the_winner_and_who_came_next(places: tuple[int, ...], story: str) -> None:
    cup = _closed(*places)

    assert podiums([cup.pk])[cup.pk].story == story


def test_tournament_without_a_table_has_no_podium() -> None:
    cup = open_cup(make_user(organiser=True))

    assert podiums([cup.pk]) == {}
