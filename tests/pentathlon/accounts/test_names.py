"""A name belongs to whoever took it first, with all that look like it, for good."""

from __future__ import annotations

from functools import partial

import pytest
from django.core.management import call_command
from django.test import Client

from pentathlon.accounts.models import NameKind, TakenName, User
from pentathlon.accounts.names import digest_of, free_names, take_name
from pentathlon.accounts.services import register
from pentathlon.bots.archives import read_archive
from pentathlon.bots.models import Bot
from pentathlon.bots.services import store_version
from pentathlon.core.errors import Conflict, InvalidInput
from pentathlon.ladders.reference import platform_account
from pentathlon.operations.personal_data.deletion import delete_own_account
from tests.factories import PASSWORD, make_staff, make_upload, make_user
from tests.pentathlon.together import all_at_once

pytestmark = pytest.mark.django_db


def signed_up(username: str) -> User:
    return register(username=username, email=f"{username}@example.org", password=PASSWORD)


def uploaded(name: str, *, by: User) -> Bot:
    return store_version(actor=by, archive=read_archive(make_upload(name))).bot


@pytest.mark.parametrize("other", ["R-MAC", "r_mac", "rmac", "r-rnac"])
def test_nobody_gets_a_username_that_looks_like_a_taken_one(other: str) -> None:
    signed_up("r-mac")

    with pytest.raises(Conflict) as refused:
        signed_up(other)

    assert refused.value.code == "username_taken"


@pytest.mark.parametrize("name", ["admin", "Adm1n", "pentathlon-team", "deleted-7", "greedy"])
def test_nobody_gets_a_username_of_the_house(name: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        signed_up(name)

    assert refused.value.code == "bad_username"


def test_nobody_looks_like_staff_whom_a_command_has_made() -> None:
    call_command("createsuperuser", username="boss", email="boss@example.org", interactive=False)

    with pytest.raises(Conflict):
        signed_up("b0ss")


@pytest.mark.parametrize("other", ["R-MAC", "r mac", "rmac", "r-rnac"])
def test_bots_of_two_people_never_look_alike(other: str) -> None:
    uploaded("r-mac", by=make_user())
    ada = make_user("ada")

    with pytest.raises(Conflict) as refused:
        uploaded(other, by=ada)

    assert refused.value.code == "name_taken"
    assert refused.value.allowed == [f"ada-{other}"]


def test_bots_of_one_person_may_look_alike() -> None:
    ada = make_user()

    uploaded("tiger-1.1", by=ada)

    assert uploaded("tiger-11", by=ada).name == "tiger-11"


def test_a_person_is_told_the_own_name_as_it_is_stored() -> None:
    ada = make_user()
    uploaded("Tiger", by=ada)

    with pytest.raises(Conflict, match="You have a bot named Tiger already") as refused:
        uploaded("tiger", by=ada)

    assert refused.value.code == "bot_exists"


def test_bots_of_the_house_are_uploaded_by_the_house_alone() -> None:
    with pytest.raises(Conflict, match="belongs to the platform itself") as refused:
        uploaded("mcts", by=make_user("ada"))

    assert refused.value.allowed == ["ada-mcts"]
    assert uploaded("reference-mcts", by=platform_account()).name == "reference-mcts"


def test_names_of_a_deleted_account_stay_taken() -> None:
    ada = signed_up("ada-lovelace")
    uploaded("ada-lovelace-engine", by=ada)
    uploaded("analytical", by=ada)

    delete_own_account(actor=ada, username="ada-lovelace", password=PASSWORD)

    bob = make_user()
    for name in ("ada-lovelace-engine", "Ada Lovelace Engine", "analytica1"):
        with pytest.raises(Conflict):
            uploaded(name, by=bob)
    for name in ("ada-lovelace", "AdaLovelace"):
        with pytest.raises(Conflict):
            signed_up(name)


def test_a_name_is_stored_as_a_digest_alone() -> None:
    signed_up("ada-lovelace")

    (row,) = TakenName.objects.filter(kind=NameKind.AUTHOR, digest=digest_of("AdaLovelace"))

    assert len(row.digest) == 64


def test_free_names_are_of_nobody_and_not_of_the_house() -> None:
    take_name(kind=NameKind.BOT, name="tiger", holder=make_user())

    found = free_names(kind=NameKind.BOT, names=["TIGER", "lion", "greedy", "t1ger", "li-on"])

    assert found == ["lion", "li-on"]
    assert free_names(kind=NameKind.AUTHOR, names=["tiger"]) == ["tiger"]


def test_account_that_the_administration_makes_takes_its_name() -> None:
    client = Client()
    client.force_login(make_staff(superuser=True))
    form = {"username": "r-mac", "usable_password": "false"}

    assert client.post("/admin/accounts/user/add/", form).status_code == 302

    with pytest.raises(Conflict):
        signed_up("rmac")


@pytest.mark.django_db(transaction=True)
def test_of_names_that_look_alike_one_is_taken_at_the_same_moment() -> None:
    people = [make_user() for _ in range(3)]
    names = ("tiger", "Tiger", "t1ger")

    outcomes = all_at_once(
        [partial(uploaded, name, by=person) for name, person in zip(names, people, strict=True)]
    )

    assert sum(isinstance(outcome, Bot) for outcome in outcomes) == 1
    assert sum(isinstance(outcome, Conflict) for outcome in outcomes) == 2
