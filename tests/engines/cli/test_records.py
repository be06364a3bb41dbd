"""Records by a match's number or address, as `replay` and `fork` take them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pentathlon_engines.cli import records
from pentathlon_engines.cli.failure import CHECK_FAILED, USAGE
from tests.engines.cli.client.fake_sites import ORIGIN, FakeSite, as_site, refused
from tests.engines.commands import Run
from tests.engines.record.random_records import tuned_record

RECORD = tuned_record()
DONE = {"state": "done", "chain": RECORD["chain"]}
Ask = Callable[..., Any]

pytestmark = pytest.mark.usefixtures("_in_process")


@pytest.fixture
def ask(run: Run, monkeypatch: pytest.MonkeyPatch) -> Ask:
    """Return a function that runs a command at a site with this match and this record."""

    def ask_site(match: Any, record: Any, *arguments: str) -> Any:
        site = FakeSite({"matches/126/": match, "replays/126/": record})
        monkeypatch.setattr(records, "connect", lambda address: as_site(site))
        return run(*arguments)

    return ask_site


@pytest.mark.parametrize("match", ["126", f"{ORIGIN}/matches/126/"])
def test_match_of_a_site_is_replayed_and_forked(ask: Ask, match: str) -> None:
    replayed = ask(DONE, RECORD, "replay", match, "--ply", "1")
    forked = ask(DONE, RECORD, "fork", match, "--ply", "1", "random", "greedy", "--json")

    assert (replayed.code, forked.code) == (0, 0)
    assert replayed.out.startswith("ply 1 of")
    assert forked.data["fork"] == {"chain": RECORD["chain"], "ply": 1}


def test_record_of_a_match_is_saved_as_verify_reads_it(ask: Ask, tmp_path: Path) -> None:
    saved = ask(DONE, RECORD, "replay", "126", "--save", "match.json")

    assert (saved.code, saved.out, saved.err) == (0, "", "Record written: match.json\n")
    assert json.loads((tmp_path / "match.json").read_text()) == RECORD
    assert ask(DONE, RECORD, "verify", "match.json").code == 0


def test_file_with_a_number_for_a_name_is_meant_first(ask: Ask, tmp_path: Path) -> None:
    (tmp_path / "126").write_text(json.dumps(RECORD))

    assert ask(refused("not_found"), None, "replay", "126", "--ply", "0").code == 0


@pytest.mark.parametrize(
    ("match", "record", "code", "said"),
    [
        (refused("not_found", status=404), None, USAGE, "there is none, or it is private"),
        ({"state": "running", "chain": ""}, None, CHECK_FAILED, "Match 126 is running"),
        (DONE, refused("sealed", status=409), CHECK_FAILED, "refused: sealed"),
        ({**DONE, "chain": "00"}, RECORD, CHECK_FAILED, "a different chain"),
    ],
)
def test_record_that_is_not_to_be_had_is_explained(
    ask: Ask, match: Any, record: Any, code: int, said: str
) -> None:
    ended = ask(match, record, "replay", "126")

    assert (ended.code, ended.out) == (code, "")
    assert said in ended.err
    assert "Try: " in ended.err
