"""Old replays move to a store; there they are as good as here, and one that is away says so."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import boto3
import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.core.management import CommandError, call_command
from django.test import Client
from moto.server import ThreadedMotoServer
from pytest_django import Settings

from pentathlon.connections import replay_store
from pentathlon.env import BadEnvironment
from pentathlon.matches.models import Match
from pentathlon.matches.replays.models import Replay
from pentathlon.matches.replays.services import read_record
from pentathlon.matches.replays.store import (
    ALIAS,
    ReplayDamaged,
    ReplayMover,
    ReplayStoreAway,
    bring_back_replays,
    move_old_replays,
)
from pentathlon.matches.transparency.verification import log_differences
from pentathlon.operations.backups import make_backup, restore_backup
from pentathlon_engines.record.record import verify_record
from tests.api.client import V1, assert_problem
from tests.databases import delete_all_rows
from tests.deep import mostly_deep
from tests.factories import make_match
from tests.pentathlon.matches.acting import claimed
from tests.pentathlon.matches.replays.playing import record_of, submit
from tests.pentathlon.matches.transparency.logging_matches import log_matches

pytestmark = pytest.mark.django_db

_BUCKET = "games"
_NOBODY = "http://127.0.0.1:9"
"""An address at which nobody listens."""


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    """A store in this process that speaks S3."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the library of AWS looks for."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")


@pytest.fixture(params=mostly_deep(["s3", "file"], keep=["file"]))
def store(
    request: pytest.FixtureRequest, endpoint: str, tmp_path: Path, settings: Settings
) -> None:
    """A store of either kind, for replays of whatever age."""
    if request.param == "file":
        _use(settings, f"file://{tmp_path}/replays")
        return
    boto3.client("s3", endpoint_url=endpoint).create_bucket(Bucket=_BUCKET)
    _use(settings, f"s3://{_BUCKET}/{tmp_path.name}?endpoint={endpoint}")


@pytest.fixture
def match() -> Match:
    job = claimed(make_match())
    return submit(job, record_of(job))


def _use(settings: Settings, address: str) -> None:
    others = {alias: each for alias, each in settings.STORAGES.items() if alias != ALIAS}
    settings.STORAGES = {**others, **replay_store(address)}
    settings.REPLAY_DAYS = 0


def _cut_off(settings: Settings) -> None:
    _use(settings, f"s3://{_BUCKET}?endpoint={_NOBODY}")


def _replay() -> Replay:
    return Replay.objects.get()


either_store = pytest.mark.parametrize("store", ["s3", "file"], indirect=True)


@pytest.mark.usefixtures("store")
class TestStore:
    @either_store
    def test_moved_replay_reads_as_before_and_is_no_longer_here(self, match: Match) -> None:
        before, data = read_record(_replay()), bytes(_replay().data)

        assert move_old_replays() == 1

        moved = _replay()
        assert bytes(moved.data) == b""
        assert moved.object_name
        assert read_record(moved) == before
        with storages[ALIAS].open(moved.object_name) as file:
            assert file.read() == data
        assert move_old_replays() == 0

    def test_young_replay_stays(self, match: Match, settings: Settings) -> None:
        settings.REPLAY_DAYS = 7

        assert move_old_replays() == 0
        assert not _replay().object_name

    def test_reconciler_moves_a_little_at_a_time(self, match: Match) -> None:
        mover = ReplayMover()

        mover.step()
        mover.step()

        assert _replay().object_name

    def test_pages_and_api_show_a_moved_replay(self, match: Match, client: Client) -> None:
        pages = [f"/matches/{match.pk}/", f"/matches/{match.pk}/?ply=3", f"/games/{match.game}/"]
        before = [client.get(page).status_code for page in pages]
        move_old_replays()

        assert [client.get(page).status_code for page in pages] == before == [200] * len(pages)
        answer = client.get(f"{V1}/replays/{match.pk}/")
        assert verify_record(answer.json()).outcome is not None
        assert client.get(f"{V1}/replays/{match.pk}/board.svg?ply=3").content.startswith(b"<svg")

    def test_log_of_receipts_is_verified_against_the_store(self) -> None:
        (match,) = log_matches(1)
        move_old_replays()

        assert [*log_differences()] == []

        storages[ALIAS].save(_replay().object_name, ContentFile(b"another match"))
        (difference,) = log_differences()
        assert f"The replay of match {match.pk} cannot be read" in difference

    def test_other_content_under_its_name_is_found_out(self, match: Match) -> None:
        move_old_replays()
        name = _replay().object_name
        storages[ALIAS].save(name, ContentFile(b"another match"))

        with pytest.raises(ReplayDamaged, match="has other content") as found:
            read_record(_replay())

        assert found.value.code == "replay_damaged"
        with pytest.raises(CommandError, match="1 replay cannot be read"):
            call_command("replays", "--check", stdout=StringIO())

    def test_object_that_is_gone_is_named(self, match: Match) -> None:
        move_old_replays()
        name = _replay().object_name
        storages[ALIAS].delete(name)

        with pytest.raises(ReplayDamaged, match=f"{name} of the store is not there"):
            read_record(_replay())

    def test_moving_again_after_a_crash_changes_nothing(self, match: Match) -> None:
        move_old_replays()
        name = _replay().object_name
        with storages[ALIAS].open(name) as file:
            data = file.read()
        Replay.objects.update(data=data, object_name="")

        move_old_replays()

        assert _replay().object_name == name
        assert read_record(_replay())["chain"] == match.chain

    def test_all_come_back(self, match: Match) -> None:
        data = bytes(_replay().data)
        move_old_replays()

        assert bring_back_replays() == 1

        assert (bytes(_replay().data), _replay().object_name) == (data, "")

    def test_command_counts_moves_and_checks(self, match: Match) -> None:
        said = StringIO()

        call_command("replays", "--move", stdout=said)
        call_command("replays", "--check", stdout=said)

        assert said.getvalue() == "Replays: 0 in the database, 1 in the store.\n" * 2


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("store")
def test_backup_is_whole_without_the_store(tmp_path: Path, settings: Settings) -> None:
    job = claimed(make_match())
    match, path = submit(job, record_of(job)), tmp_path / "site.backup"
    data = bytes(_replay().data)
    move_old_replays()

    make_backup(path)
    delete_all_rows()
    _cut_off(settings)
    restore_backup(path)

    assert (bytes(_replay().data), _replay().object_name) == (data, "")
    assert read_record(_replay())["chain"] == match.chain


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("store")
def test_backup_is_refused_and_leaves_no_file_while_the_store_is_away(
    tmp_path: Path, settings: Settings
) -> None:
    job = claimed(make_match())
    submit(job, record_of(job))
    move_old_replays()
    _cut_off(settings)

    with pytest.raises(CommandError, match="does not answer at the moment"):
        call_command("backup", str(tmp_path / "site.backup"))

    assert not [*tmp_path.glob("*.backup*")]


class TestStoreThatIsAway:
    @pytest.fixture
    def moved(self, match: Match, store: None, settings: Settings) -> Match:
        """A match whose replay cannot be had."""
        move_old_replays()
        _cut_off(settings)
        return match

    def test_nothing_is_half_moved(self, match: Match, settings: Settings) -> None:
        _cut_off(settings)
        data = bytes(_replay().data)

        with pytest.raises(ReplayStoreAway):
            move_old_replays()

        assert (bytes(_replay().data), _replay().object_name) == (data, "")

    def test_results_are_accepted_all_the_same(self, settings: Settings) -> None:
        _cut_off(settings)
        job = claimed(make_match())

        match = submit(job, record_of(job))

        assert read_record(_replay())["chain"] == match.chain

    @either_store
    def test_api_says_so_by_a_stable_code(self, moved: Match) -> None:
        client = Client(raise_request_exception=False)

        answer = client.get(f"{V1}/replays/{moved.pk}/")

        assert_problem(answer, status=503, code="replay_store_away")
        assert f"The replay of match {moved.pk}" in answer.json()["detail"]
        assert answer.headers["Retry-After"] == "5"

    def test_page_says_so(self, moved: Match, client: Client) -> None:
        answer = client.get(f"/matches/{moved.pk}/")

        assert answer.status_code == 503
        assert "store of old replays" in answer.content.decode()
        assert answer.headers["Retry-After"] == "5"

    @pytest.mark.parametrize(
        "page", mostly_deep(["/", "/games/tuned/", "/matches/"], keep=["/matches/"])
    )
    def test_pages_with_pictures_go_on_without(
        self, moved: Match, client: Client, page: str
    ) -> None:
        assert client.get(page).status_code == 200

    def test_command_says_so(self, moved: Match) -> None:
        with pytest.raises(CommandError, match="replay_store_away"):
            call_command("replays", "--bring-back")


def test_bucket_is_described_by_its_address() -> None:
    address = "s3://games/old/replays?endpoint=https://store.example&region=eu-1"

    options: dict[str, Any] = replay_store(address)[ALIAS]["OPTIONS"]

    assert options == {
        "bucket_name": "games",
        "location": "old/replays",
        "endpoint_url": "https://store.example",
        "region_name": "eu-1",
    }
    assert replay_store(None) == {}


@pytest.mark.parametrize(
    "address",
    ["games", "s3://", "s3://games?secret=1", "file://", "file://host/folder", "ftp://x"],
)
def test_address_that_names_no_store_is_refused(address: str) -> None:
    with pytest.raises(BadEnvironment, match="PENTATHLON_REPLAYS must be like s3://bucket"):
        replay_store(address)


def test_bucket_without_its_packages_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pentathlon.connections.find_spec", lambda _: None)

    with pytest.raises(BadEnvironment, match=r"pip install -r requirements/s3\.txt"):
        replay_store("s3://games")


def test_command_without_a_store_says_what_to_set() -> None:
    with pytest.raises(CommandError, match="set PENTATHLON_REPLAYS"):
        call_command("replays", "--move")
