"""Models of bots: stored once, counted once, erased and exported with their versions."""

from __future__ import annotations

import io
from zipfile import ZipFile

import pytest

from pentathlon.accounts.models import User
from pentathlon.bots.archives import archive_quota, find_upload
from pentathlon.bots.models import Archive, BotVersion
from pentathlon.matches.models import Match
from pentathlon.matches.services import void_matches
from pentathlon.matches.uploads.services import submit_named
from pentathlon.operations.personal_data.deletion import delete_own_account
from pentathlon.operations.personal_data.erasure import erase_deleted
from pentathlon.operations.personal_data.export import export_account
from pentathlon_engines.archive.archives import read_archive
from tests.factories import PASSWORD, make_user, zip_files

pytestmark = pytest.mark.django_db

MODEL = b"\x08" + b"w" * 5000


def make_upload(name: str, *, salt: str = "") -> bytes:
    manifest = f'name = "{name}"\ngames = ["tuned"]\nlanguage = "python"\nmodel = "a.onnx"\n'
    return zip_files({"bot.toml": manifest, "main.py": f"# {salt}", "a.onnx": MODEL})


def submit(owner: User, name: str = "learned", *, salt: str = "") -> BotVersion:
    return submit_named(actor=owner, archive=read_archive(make_upload(name, salt=salt)))


def models() -> list[Archive]:
    return list(Archive.objects.exclude(modelled_versions=None).distinct())


def test_versions_and_authors_with_the_same_model_share_it() -> None:
    ada, bob = make_user(), make_user()
    first, second = submit(ada, salt="1"), submit(ada, salt="2")
    third = submit(bob, "other")

    assert first.archive_id != second.archive_id
    assert [row.pk for row in models()] == [first.model_id] == [third.model_id]
    rows = Archive.objects.filter(pk__in=(first.archive_id, second.archive_id, first.model_id))
    assert archive_quota(ada).used == sum(len(bytes(row.data)) for row in rows)
    assert archive_quota(bob).used > len(MODEL)


def test_author_gets_the_model_back() -> None:
    version = submit(make_user())
    data = find_upload(version.archive_id, model=version.model_id, manifest=version.manifest)

    with ZipFile(io.BytesIO(data)) as archive:
        assert archive.read("a.onnx") == MODEL


def test_export_has_the_model() -> None:
    ada = make_user()
    submit(ada)

    whole = ZipFile(io.BytesIO(b"".join(export_account(ada))))

    with ZipFile(io.BytesIO(whole.read("archives/learned/1.zip"))) as archive:
        assert archive.read("a.onnx") == MODEL


def test_model_is_erased_with_the_last_account_that_has_it() -> None:
    ada, bob = make_user(), make_user()
    submit(ada)
    submit(bob, "other")
    void_matches(matches=Match.objects.all(), reason="x")

    for person, is_erased in ((ada, False), (bob, True)):
        delete_own_account(actor=person, username=person.username, password=PASSWORD)
        while erase_deleted():
            pass
        assert [row.is_erased for row in models()] == [is_erased]
