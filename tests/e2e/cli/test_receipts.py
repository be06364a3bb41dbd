"""What `verify` says of the log: to somebody who has seen it before, history stays as it was."""

import json

import pytest
from django.test import override_settings

from pentathlon.matches.models import Match
from pentathlon.matches.replays.codec import CODEC, pack
from pentathlon.matches.replays.models import Replay
from pentathlon.matches.replays.services import read_record
from pentathlon.matches.transparency import services
from pentathlon.matches.transparency.models import LogEntry, LogTile
from pentathlon.matches.transparency.services import Tiles, continue_log, log_key, log_size
from pentathlon_engines.cli import receipts
from pentathlon_engines.record.record import canonical, chain
from tests.e2e.cli.conftest import SITE
from tests.engines.commands import Run
from tests.pentathlon.matches.transparency.logging_matches import log_matches, play_matches

pytestmark = pytest.mark.django_db


def address(match: Match) -> str:
    return f"{SITE}/matches/{match.pk}/"


def forget_log() -> None:
    for model in (LogEntry, LogTile):
        model.objects.all().delete()


def replace_record(match: Match) -> None:
    """Let the site show another match everywhere, with a chain that is right."""
    replay = Replay.objects.get(match=match)
    record = read_record(replay)
    record["sandbox"] = "landlock"
    record["chain"] = chain(record)
    Replay.objects.filter(match=match).update(data=pack(canonical(record)), codec=CODEC)
    Match.objects.filter(pk=match.pk).update(chain=record["chain"])


def test_receipt_is_checked_and_the_key_noted(run: Run) -> None:
    first, second = log_matches(2)

    told = run("verify", address(first))
    again = run("verify", address(second), "--json")

    assert f"log: signed receipt 0 of 2; noted the site's key {log_key().to_text()}" in told.out
    assert again.data["log"] == {
        "index": 1,
        "size": 2,
        "grown_from": 2,
        "new_key": None,
        "restored": None,
    }


def test_log_has_grown_from_what_was_seen_before(run: Run) -> None:
    (first,) = log_matches(1)
    run("verify", address(first))
    log_matches(4)

    told = run("verify", address(first))

    assert "signed receipt 0 of 5, grown from the 1 seen before" in told.out


def test_result_that_is_not_logged_yet(run: Run) -> None:
    (match,) = play_matches(1)

    told = run("verify", address(match))

    assert told.code == 0
    assert "log: the receipt is not in the log yet" in told.out


def test_record_that_was_replaced_after_it_was_logged(run: Run) -> None:
    (match,) = log_matches(1)
    replace_record(match)

    refused = run("verify", address(match))

    assert refused.code == 1
    assert "the receipt is for another record" in refused.err


def test_log_that_was_begun_anew(run: Run) -> None:
    first, second = log_matches(2)
    run("verify", address(first))
    forget_log()
    Replay.objects.filter(match=second).update(awaits_log=True)
    again = log_matches(3)

    refused = run("verify", address(again[0]))

    assert refused.code == 1
    assert "the first 2 entries of the log have changed" in refused.err


def test_log_that_is_shorter_than_it_was(run: Run) -> None:
    run("verify", address(log_matches(3)[0]))
    forget_log()
    (match,) = log_matches(1)

    refused = run("verify", address(match))

    assert refused.code == 1
    assert "the log had 3 entries before, now 1" in refused.err


def test_log_that_was_restored_says_so_once(run: Run) -> None:
    run("verify", address(log_matches(3)[0]))
    forget_log()
    continue_log()
    (match,) = log_matches(1)

    told, again = run("verify", address(match)), run("verify", address(match))

    assert (told.code, again.code) == (0, 0)
    assert "continued its log from size 0: of the 3 entries seen before" in told.out
    assert "restored" not in again.out


def test_receipt_that_was_changed(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a site that does not look at what it serves, as ours does."""
    monkeypatch.setattr(services, "read_note", lambda *_, **__: "")
    (match,) = log_matches(1)
    entry = LogEntry.objects.get()
    monkeypatch.setattr(services, "leaf_hash", lambda _: Tiles().subtree(0, entry.index))
    entry.receipt = entry.receipt.replace("namespaces", "landlock")
    entry.save()

    refused = run("verify", address(match))

    assert refused.code == 1
    assert "the signature does not match this text" in refused.err


def test_new_key_of_the_site_is_told_and_the_old_one_kept(run: Run) -> None:
    (old,) = log_matches(1)
    run("verify", address(old))
    with override_settings(SECRET_KEY="another key " * 5):
        (new,) = log_matches(1)

        told, again = run("verify", address(old)), run("verify", address(new))
        new_key = log_key().to_text()

    assert (told.code, again.code, log_size()) == (0, 0, 2)
    assert f"noted the site's key {new_key}" in told.out
    assert "noted" not in again.out
    assert len(json.loads(receipts.logs_path().read_text())[SITE]["keys"]) == 2
