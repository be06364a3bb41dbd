"""`manage.py worker_token` makes, lists and revokes tokens."""

import io
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db.models.functions import Now

from pentathlon.fleet.announcements import Work
from pentathlon.fleet.models import WorkerToken
from pentathlon.fleet.tokens import create_worker_token, find_worker_token
from pentathlon.matches.models import Attempt
from tests.factories import make_match
from tests.pentathlon.matches.acting import claimed

pytestmark = pytest.mark.django_db


def printed(*words: str) -> str:
    output = io.StringIO()
    call_command("worker_token", *words, stdout=output)
    return output.getvalue()


def make_token(name: str, **columns: Any) -> WorkerToken:
    token, _ = create_worker_token(actor=None, name=name, work=tuple(Work))
    WorkerToken.objects.filter(pk=token.pk).update(**columns)
    return token


def test_secret_is_all_that_is_printed() -> None:
    token = find_worker_token(printed("create", "machine", "--work", "rated", "builds").strip())

    assert token is not None
    assert (token.name, token.work) == ("machine", ["rated", "builds"])


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("create", "machine"), "There is a worker token machine already"),
        (("create", "bell\x07"), "printable characters"),
        (("revoke", "other"), "There is no worker token other. `list` shows all."),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(words: tuple[str, str], sentence: str) -> None:
    make_token("machine")

    with pytest.raises(CommandError, match=sentence):
        printed(*words)


def test_list_names_state_trust_use_and_attempts() -> None:
    token = make_token("busy")
    make_token("calm", quarantined_at=Now())
    make_token("gone", quarantined_at=Now(), revoked_at=Now())
    claimed(make_match())
    Attempt.objects.update(worker_token=token.pk)

    lines = printed("list").splitlines()

    assert [line.partition(",")[0] for line in lines] == [
        "busy: valid",
        "calm: in quarantine",
        "gone: revoked",
    ]
    assert [line.rpartition(", ")[2] for line in lines] == [
        "attempts 1",
        "attempts 0",
        "attempts 0",
    ]
    assert "last used never" in lines[0]


def test_revoking_tells_how_many_matches_wait_again() -> None:
    make_token("machine")

    assert printed("revoke", "machine") == ("Revoked. Matches that went back to the queue: 0.\n")


def test_revoked_token_frees_its_name() -> None:
    printed("create", "machine")
    printed("revoke", "machine")

    secret = printed("create", "machine").strip()

    assert str(find_worker_token(secret)) == "machine"
    assert "machine (revoked " in printed("list")


def test_rotated_token_has_one_secret() -> None:
    first = printed("create", "machine").strip()

    second = printed("rotate", "machine").strip()

    assert find_worker_token(first) is None
    assert str(find_worker_token(second)) == "machine"


def test_file_of_a_secret_is_private_and_survives_a_refusal(tmp_path: Path) -> None:
    path = tmp_path / "token"
    assert printed("create", "machine", "--to", str(path)) == ""
    first = path.read_text()

    for words in (("create", "machine"), ("create", "other"), ("rotate", "nobody")):
        with pytest.raises(CommandError):
            printed(*words, "--to", str(path))

    assert path.read_text() == first
    assert path.stat().st_mode & 0o777 == 0o600
    printed("rotate", "machine", "--to", str(path))
    assert str(find_worker_token(path.read_text().strip())) == "machine"
    assert [each.name for each in tmp_path.iterdir()] == ["token"]
