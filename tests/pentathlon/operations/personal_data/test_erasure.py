"""Files go with the account, and come back only with somebody who uploads them again."""

from __future__ import annotations

from functools import partial

import pytest

from pentathlon.accounts.models import TakenName, User
from pentathlon.bots.archives import read_archive, store_archive
from pentathlon.bots.models import Archive
from pentathlon.bots.services import keep_build, refuse_build
from pentathlon.matches.models import Match
from pentathlon.matches.services import void_matches
from pentathlon.matches.uploads.services import submit_version
from pentathlon.operations.personal_data.deletion import delete_own_account
from pentathlon.operations.personal_data.erasure import erase_deleted
from tests.deep import mostly_deep
from tests.factories import PASSWORD, make_upload, make_user, make_version
from tests.pentathlon.together import all_at_once

pytestmark = pytest.mark.django_db


def _erase(person: User) -> None:
    void_matches(matches=Match.objects.all(), reason="x")
    delete_own_account(actor=person, username=person.username, password=PASSWORD)
    while erase_deleted():
        pass


def test_files_that_were_erased_are_stored_anew() -> None:
    ada, zipped = make_user("ada"), make_upload("ada-wolf")
    size = len(bytes(submit_version(actor=ada, archive=zipped).archive.data))
    _erase(ada)
    assert Archive.objects.get().is_erased

    # Only the same name gives the same files, and that stays taken for everybody else.
    again = store_archive(read_archive(zipped))

    assert len(bytes(again.data)) == size > 0
    assert (again.files, again.unpacked_bytes) > (0, 0)


def test_build_that_was_erased_is_stored_anew() -> None:
    built = read_archive(make_upload("Wolf", salt="built"))
    for owner in (make_user(), make_user()):
        version = make_version(owner=owner)
        keep_build(version_id=version.pk, built=built, is_trusted=True)
        assert not Archive.objects.get(pk=built.content_hash).is_erased
        _erase(owner)
        assert Archive.objects.get(pk=built.content_hash).is_erased


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("_turn", mostly_deep(range(5), keep=range(2)))
def test_upload_during_the_erasing_keeps_its_files(_turn: int) -> None:
    ada, zipped = make_user("ada"), make_upload("ada-wolf")
    submit_version(actor=ada, archive=zipped)
    void_matches(matches=Match.objects.all(), reason="x")
    delete_own_account(actor=ada, username="ada", password=PASSWORD)
    TakenName.objects.all().delete()  # or nobody else could upload files of the same name

    again, _ = all_at_once(
        [partial(submit_version, actor=make_user("ada"), archive=zipped), erase_deleted]
    )

    again.refresh_from_db()
    assert not again.archive.is_erased


def test_replaced_build_leaves_nothing() -> None:
    ada = make_user("ada")
    version = make_version(owner=ada)
    for salt, is_trusted in (("by a stranger", False), ("by us", True)):
        built = read_archive(make_upload(version.bot.name, salt=salt))
        keep_build(version_id=version.pk, built=built, is_trusted=is_trusted)
    assert Archive.objects.count() == 2

    _erase(ada)

    assert all(archive.is_erased for archive in Archive.objects.all())


def test_refused_build_leaves_nothing() -> None:
    version = make_version()
    built = read_archive(make_upload(version.bot.name, salt="built"))
    keep_build(version_id=version.pk, built=built, is_trusted=False)

    refuse_build(version_id=version.pk, reason="it differs", log="")

    assert list(Archive.objects.all()) == [version.archive]


def test_build_of_two_versions_stays_for_the_other() -> None:
    built = read_archive(make_upload("Wolf", salt="built"))
    first, second = make_version(), make_version()
    for version in (first, second):
        keep_build(version_id=version.pk, built=built, is_trusted=False)

    refuse_build(version_id=first.pk, reason="it differs", log="")

    second.refresh_from_db()
    assert second.built is not None
    assert not second.built.is_erased
