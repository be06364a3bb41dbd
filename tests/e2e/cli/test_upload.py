"""`pentathlon upload`: show others a match that was played at a desk."""

import json
from pathlib import Path

import pytest

from pentathlon.accounts.models import User
from pentathlon.matches.desk_records.models import DeskRecord
from pentathlon_engines import GAMES
from pentathlon_engines.record.rerun import fork_at
from tests.e2e.cli.conftest import SITE, sign_in
from tests.engines.commands import Run
from tests.engines.record.random_records import make_record, tuned_record

pytestmark = pytest.mark.django_db


@pytest.fixture
def record_file() -> Path:
    path = Path("match.json")
    path.write_text(json.dumps(tuned_record()))
    return path


def test_record_gets_a_page(run: Run, author: User, record_file: Path) -> None:
    done = run("upload", "match.json")

    kept = DeskRecord.objects.get()
    assert (done.code, done.out) == (0, f"{SITE}/records/{kept.pk}/\n")
    assert kept.author == author


def test_same_record_again_is_told_and_the_others_go_on(
    run: Run, author: User, record_file: Path
) -> None:
    Path("other.json").write_text(json.dumps(make_record(GAMES["tuned"], seats=2, seed=8)))
    run("upload", "match.json")

    done = run("upload", "match.json", "other.json", "--json")

    assert done.code == 1
    assert [each.get("refused") for each in done.data] == ["same_record", None]
    assert (
        "match.json is not uploaded: This record has already been uploaded: /records/" in done.err
    )


@pytest.mark.parametrize("kind", ["forked", "tampered"])
def test_what_the_site_would_refuse_is_not_sent(run: Run, author: User, kind: str) -> None:
    record = tuned_record()
    if kind == "forked":
        record = make_record(GAMES["tuned"], seats=2, fork=fork_at(record, 2))
    else:
        record["events"][0][2] += 1
    Path("bad.json").write_text(json.dumps(record))

    done = run("upload", "bad.json")

    assert done.code == 1
    assert "bad.json is not uploaded: " in done.err
    assert not DeskRecord.objects.exists()


def test_token_without_the_scope_is_wrong_use(
    run: Run, author: User, record_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sign_in(author, monkeypatch, "private:read")

    refused = run("upload", "match.json")

    assert refused.code == 2
    assert "lacks the scope bots:write" in refused.err
