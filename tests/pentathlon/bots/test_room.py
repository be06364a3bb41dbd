"""No author fills the disks or the workers."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from pentathlon.bots import archives
from pentathlon.bots.archives import read_archive
from pentathlon.bots.models import BotVersion, VersionState
from pentathlon.bots.services import keep_build
from pentathlon.core.errors import Conflict
from pentathlon.matches.uploads.services import submit_version
from tests.api.client import V1, assert_problem, client_of
from tests.factories import make_upload, make_user, make_version

pytestmark = pytest.mark.django_db


def test_author_has_a_number_of_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    author, other = make_user(), make_user()
    first = submit_version(actor=author, archive=make_upload())
    taken = len(bytes(first.archive.data))
    monkeypatch.setattr(archives, "ACCOUNT_BYTES", taken + 10)

    with pytest.raises(Conflict, match=f"take {taken:,} bytes") as refused:
        submit_version(actor=author, archive=make_upload())

    assert refused.value.code == "quota_exceeded"
    assert submit_version(actor=other, archive=make_upload()).number == 1


def test_builds_count_towards_the_bytes_of_their_author() -> None:
    version = make_version()
    author = version.bot.owner
    before = archives.archive_quota(author).used
    built = read_archive(make_upload(version.bot.name, salt="built"))

    keep_build(version_id=version.pk, built=built, is_trusted=True)

    assert archives.archive_quota(author).used == before + len(built.normalised)


def test_author_has_a_number_of_validations_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MOST_VALIDATING", 1)
    author = make_user()
    first = submit_version(actor=author, archive=make_upload())

    with pytest.raises(Conflict) as refused:
        submit_version(actor=author, bot=first.bot, archive=make_upload())
    BotVersion.objects.filter(pk=first.pk).update(state=VersionState.ELIGIBLE)

    assert refused.value.code == "too_many_validating"
    assert submit_version(actor=author, archive=make_upload()).number == 1


def test_refusal_reaches_people_and_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MOST_VALIDATING", 0)
    author = make_user()
    browser = Client()
    browser.force_login(author)

    answer = client_of(author).post(f"{V1}/bots/", {"archive": _file()}, format="multipart")
    page = browser.post("/bots/new/", {"archive": _file()})

    assert_problem(answer, status=409, code="too_many_validating")
    assert "are being validated" in page.content.decode()


def _file() -> SimpleUploadedFile:
    return SimpleUploadedFile("bot.zip", make_upload())
