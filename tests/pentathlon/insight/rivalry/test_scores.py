"""Two accounts that feed each other stand out to staff; honest pairs and one's own bots do not."""

import pytest
from django.urls import reverse

from pentathlon.insight.rivalry.scores import LEAST_MEETINGS, author_residuals
from tests.api.client import V1, client_of
from tests.factories import make_staff, make_user, make_version
from tests.pentathlon.insight.rivalry.playing import count, end
from tests.pentathlon.ladders.playing import make_reference
from tests.pentathlon.web.pages import page_of
from tests.pentathlon.web.test_forms import as_person

pytestmark = pytest.mark.django_db


def test_author_whose_bots_are_fed_comes_first() -> None:
    first, second, third, fourth = (make_version() for _ in range(4))
    sister = make_version(owner=second.bot.owner)
    for _ in range(LEAST_MEETINGS // 2):
        end(first, second)
        end(first, sister)
        end(third, fourth)
        end(fourth, third)
        end(second, sister)
        end(second, sister)
    count()

    fed, *others = author_residuals()

    names = (first.bot.owner.username, second.bot.owner.username, "tuned")
    assert (fed.author, fed.other, fed.game, fed.rated) == (*names, LEAST_MEETINGS)
    assert fed.standard_errors > 1.5
    assert {each.author for each in others} <= {
        each.bot.owner.username for each in (third, fourth)
    }
    assert all(each.standard_errors < 1 for each in others)


def test_reference_bots_feed_nobody() -> None:
    version, reference = make_version(), make_reference()
    for _ in range(LEAST_MEETINGS):
        end(version, reference)
    count()

    assert author_residuals() == []


def test_feeding_in_turn_does_not_cancel_out() -> None:
    azure, tuned = make_version(games=["azure"]), make_version(games=["tuned"])
    rivals = make_user()
    others = [make_version(owner=rivals, games=[game]) for game in ("azure", "tuned")]
    tuned.bot.owner = azure.bot.owner
    tuned.bot.save()

    for _ in range(LEAST_MEETINGS):
        end(azure, others[0], game="azure")
        end(others[1], tuned, game="tuned")
    count()

    assert {(each.game, each.author) for each in author_residuals()} == {
        ("azure", azure.bot.owner.username),
        ("tuned", rivals.username),
    }


def test_few_meetings_say_nothing() -> None:
    first, second = make_version(), make_version()
    for _ in range(LEAST_MEETINGS - 1):
        end(first, second)
    count()

    assert author_residuals() == []


def test_staff_alone_sees_them_on_a_page_and_in_the_api() -> None:
    first, second = make_version(), make_version()
    for _ in range(LEAST_MEETINGS):
        end(first, second)
    count()
    staff, person, path = make_staff(), make_user(), f"{V1}/audit/residuals/"

    page = page_of(as_person(staff).get(reverse("residuals")))
    rows = client_of(staff).get(path).json()["results"]

    assert first.bot.owner.username in page.text
    assert (rows[0]["author"], rows[0]["rated"]) == (first.bot.owner.username, LEAST_MEETINGS)
    assert as_person(person).get(reverse("residuals")).status_code == 403
    assert client_of(person).get(path).status_code == 403
