"""Tokens of workers: what they may be called, and what they can be trusted with."""

import pytest

from pentathlon.core.errors import Conflict, InvalidInput
from pentathlon.fleet.announcements import MOST_SLOTS, Work
from pentathlon.fleet.models import WorkerToken
from pentathlon.fleet.tokens import LONGEST_NAME, create_worker_token, find_worker_token

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("", id="empty"),
        pytest.param("  ", id="blank"),
        pytest.param("x" * (LONGEST_NAME + 1), id="too long"),
        pytest.param("bell\x07", id="unprintable"),
    ],
)
def test_name_that_nobody_could_read_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        create_worker_token(actor=None, name=name, work=[Work.RATED])

    assert refused.value.field == "name"
    assert not WorkerToken.objects.exists()


@pytest.mark.parametrize("work", [[], ["everything"], [Work.RATED, "everything"]], ids=repr)
def test_token_names_work_that_there_is(work: list[str]) -> None:
    with pytest.raises(InvalidInput, match="rated") as refused:
        create_worker_token(actor=None, name="machine", work=work)

    assert (refused.value.code, refused.value.field) == ("unknown_work", "work")


@pytest.mark.parametrize("slots", [-1, 0, MOST_SLOTS + 1])
def test_token_has_slots_that_make_sense(slots: int) -> None:
    with pytest.raises(InvalidInput) as refused:
        create_worker_token(actor=None, name="machine", work=[Work.RATED], slots=slots)

    assert (refused.value.code, refused.value.field) == ("bad_slots", "slots")


def test_name_is_taken_once() -> None:
    create_worker_token(actor=None, name="machine", work=[Work.RATED])

    with pytest.raises(Conflict) as refused:
        create_worker_token(actor=None, name=" machine ", work=[Work.RATED])

    assert refused.value.code == "name_taken"


def test_work_is_kept_in_one_order_without_repeats() -> None:
    asked = [Work.ANALYSES, Work.RATED, Work.RATED]

    token, secret = create_worker_token(actor=None, name="machine", work=asked)

    assert token.work == [Work.RATED, Work.ANALYSES]
    assert find_worker_token(secret) == token


@pytest.mark.parametrize("secret", ["", "ptw_", "ptl_1", "ptw_é", "ptw_" + "0" * 64], ids=repr)
def test_secret_of_no_token_finds_none(secret: str) -> None:
    assert find_worker_token(secret) is None
