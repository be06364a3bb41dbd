"""Looking back at an own game: the moments that decided it, and where to try again."""

from __future__ import annotations

import pytest
from django.test import Client

from pentathlon.friendlies.review import look_back
from pentathlon.friendlies.services import act
from tests.pentathlon.friendlies.acting import answer, begun, play_to_end
from tests.pentathlon.web.pages import page_of

pytestmark = pytest.mark.django_db


def test_missed_win_is_told_with_where_to_try_again() -> None:
    friendly = begun()
    for own, other in (("add cat a1", "add cat b1"), ("add donkey b2", "add cat c1")):
        friendly = act(
            actor=friendly.person, friendly_id=friendly.pk, ply=friendly.ply, action=own
        )
        friendly = answer(friendly, other)

    (moment,) = look_back(friendly.record, seat=0)

    assert (moment.ply, moment.again) == (3, 2)
    assert moment.said == ("You put a donkey on b2. You could have won at once: put a cat on c1")


def test_moments_of_a_game_with_points_are_the_largest_swings() -> None:
    friendly = play_to_end(begun(game="azure"))

    moments = look_back(friendly.record, seat=0)

    assert 1 <= len(moments) <= 3
    assert [moment.ply for moment in moments] == sorted(moment.ply for moment in moments)
    assert all("you" in moment.said.lower() for moment in moments)
    for moment in moments:
        assert friendly.record["events"][moment.again][0] == 0


def test_person_looks_back_and_nobody_else_does() -> None:
    friendly = play_to_end(begun(game="azure"))
    client = Client()
    client.force_login(friendly.person)

    own = page_of(client.get(f"/play/{friendly.pk}/"))
    other = page_of(Client().get(f"/play/{friendly.pk}/"))

    assert "Looking back" in own.text
    again = look_back(friendly.record, seat=0)[0].again
    assert f"/play/new/?friendly={friendly.pk}&ply={again}" in own.links()
    assert "Points of each seat" in client.get(f"/play/{friendly.pk}/").content.decode()
    assert "Looking back" not in other.text
