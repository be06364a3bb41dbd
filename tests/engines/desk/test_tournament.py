"""Tournaments on this machine: the schedule of a server, and nothing lost when they stop."""

import json
from pathlib import Path
from typing import Any

import pytest

from pentathlon_engines.desk.match_pool import DeskMatch
from pentathlon_engines.desk.standings import standings, tally_of
from pentathlon_engines.desk.tournament import DeskTournament, Kept
from pentathlon_engines.desk.tournament_folder import TournamentFolder, open_folder
from pentathlon_engines.errors import BadFolder
from pentathlon_engines.record.record import chain
from pentathlon_engines.seeds import event_key_of
from pentathlon_engines.tournament.batches import draw_schedule
from pentathlon_engines.tournament.document import document_hash
from tests.engines.desk.acting import SECRET, desk_result, make_document, play_tournament
from tests.engines.record.random_records import tuned_record


@pytest.mark.parametrize(
    ("scheduler", "changes"),
    [
        ("round_robin/2", {"params": {"cycles": 2}}),
        ("tables/2", {"game": "way_of_the_dragon", "entries": 6, "table_seats": 3}),
        ("gauntlet/1", {}),
        ("swiss/1", {"entries": 7}),
        ("knockout/1", {"entries": 6}),
        ("finals/1", {"params": {"blocks": 40}}),
        ("ab_test/1", {"entries": 2, "params": {"matches": 80}}),
    ],
)
def test_every_format_plays_to_its_end(scheduler: str, changes: dict[str, Any]) -> None:
    tournament = DeskTournament(make_document(scheduler, **changes), secret=SECRET)

    played = play_tournament(tournament)

    size = tournament.size
    assert tournament.over is not None
    assert size.fewest <= len(played) <= size.most
    table = standings(tournament)
    assert sorted(row.number for row in table) == list(range(len(tournament.document.entries)))
    assert table[0].place == 1
    assert all(row.interval[0] < row.strength < row.interval[1] for row in table)


def test_schedule_and_seeds_are_those_of_a_server_with_the_same_secret() -> None:
    document = make_document(params={"cycles": 2})
    tournament = DeskTournament(document, secret=SECRET)

    played = play_tournament(tournament)

    key = event_key_of(SECRET, document_hash(document.to_json()))
    assert [(match.players, match.seed, match.alias) for match in played] == [
        (pairing.seating, pairing.seed, pairing.alias)
        for pairing in draw_schedule(document, key=key)
    ]


@pytest.mark.parametrize("scheduler", ["swiss/1", "knockout/1", "finals/1"])
def test_stopped_tournament_goes_on_and_ends_alike(scheduler: str) -> None:
    document = make_document(
        scheduler, entries=6, params={"blocks": 60} if "finals" in scheduler else {}
    )
    whole = DeskTournament(document, secret=SECRET)
    play_tournament(whole)
    first = DeskTournament(document, secret=SECRET)
    play_tournament(first, most=7)
    kept = dict(first.results)

    second = DeskTournament(
        document,
        secret=SECRET,
        find=lambda match: Kept(kept[match.index]) if match.index in kept else None,
    )
    again = play_tournament(second)

    assert len(again) == len(whole.results) - 7
    assert second.results == whole.results
    assert standings(second) == standings(whole)


def test_void_match_takes_its_block_out_of_the_table() -> None:
    tournament = DeskTournament(make_document(entries=3), secret=SECRET)
    first = tournament.next_match()
    second = tournament.next_match()
    assert first is not None
    assert second is not None
    assert first.block == second.block

    tournament.take(first, desk_result((0, 1)))
    tournament.take(second, None)

    assert sum(line.matches for line in tally_of(tournament).lines) == 0
    assert tournament.blocks[0].is_complete
    assert not tournament.blocks[0].counts
    play_tournament(tournament)
    assert tournament.over is not None


def test_places_of_the_format_come_first() -> None:
    tournament = DeskTournament(make_document("knockout/1"), secret=SECRET)
    play_tournament(tournament)

    assert tournament.over is not None
    assert tournament.over.places is not None
    table = standings(tournament)
    assert (table[0].number,) == tournament.over.places[0]
    assert [row.place for row in table] == sorted(row.place for row in table)


def test_tie_breaks_of_the_document_order_the_table() -> None:
    document = make_document(tie_breaks=("points", "sonneborn_berger"))
    tournament = DeskTournament(document, secret=SECRET)
    play_tournament(tournament)

    points = [row.tie_breaks["points"] or 0.0 for row in standings(tournament)]

    assert points == sorted(points, reverse=True)
    assert points == [row.points for row in standings(tournament)]


def test_bye_counts_as_a_won_block() -> None:
    document = make_document("swiss/1", entries=5, params={"rounds": 2}, tie_breaks=("points",))
    tournament = DeskTournament(document, secret=SECRET)
    play_tournament(tournament)

    table = standings(tournament)

    assert sorted(row.byes for row in table) == [0, 0, 0, 1, 1]
    assert sum(row.points for row in table) == 12
    assert [row.tie_breaks["points"] for row in table] == [row.points for row in table]
    assert all(row.points >= 2 for row in table if row.byes)
    for row in table:
        assert row.line.matches + 2 * row.byes == 4


def test_repeated_matches_are_noted_for_formats_that_read_them() -> None:
    document = make_document("finals/2", entries=2, params={"blocks": 12, "confidence": 0.999})
    tournament = DeskTournament(document, secret=SECRET)

    play_tournament(tournament)

    # All results here have the same course, so only the first match of each seating is new.
    assert [block.repeats for block in tournament.blocks[:3]] == [(), (0, 1), (0, 1)]


DOCUMENT = {"game": "tuned"}
HASHES = ["sha256:00", "sha256:00"]
MATCH = DeskMatch(index=1, block=1, players=(0, 1), seed=7, alias="local")


def _open(path: Path, **changes: object) -> TournamentFolder:
    facts = {"document": DOCUMENT, "hashes": HASHES, "secret": None, **changes}
    return open_folder(path, **facts)  # type: ignore[arg-type]  # tests change one at a time


def test_record_that_was_kept_is_found(tmp_path: Path) -> None:
    record = tuned_record()

    _open(tmp_path).keep_record(MATCH, record)

    kept = _open(tmp_path).find(MATCH)
    assert kept is not None
    assert kept.result is not None
    assert list(kept.result.ranks) == record["outcome"]["ranks"]
    assert [path.name for path in (tmp_path / "records").iterdir()] == ["00001.json"]


def test_secret_stays_from_run_to_run(tmp_path: Path) -> None:
    assert len(_open(tmp_path).secret) == 32
    assert _open(tmp_path).secret == _open(tmp_path).secret


def test_void_match_stays_void(tmp_path: Path) -> None:
    _open(tmp_path).keep_void(MATCH, "too slow")

    assert _open(tmp_path).find(MATCH) == Kept(None)


def test_damaged_record_is_as_good_as_none(tmp_path: Path) -> None:
    folder = _open(tmp_path)
    changed = tuned_record()
    changed["outcome"]["ranks"].reverse()
    other_seed = tuned_record()
    other_seed["seed"] += 1
    other_seed["chain"] = chain(other_seed)

    for text in ("", "{", "[]", json.dumps(changed), json.dumps(other_seed)):
        folder.record_file(1).write_text(text)

        assert folder.find(MATCH) is None


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"document": {"game": "azure"}}, "holds another tournament"),
        ({"hashes": ["sha256:01", "sha256:00"]}, "other bot files"),
        ({"secret": bytes(32)}, "another secret"),
    ],
)
def test_folder_of_another_tournament_is_refused(
    tmp_path: Path, changes: dict[str, object], message: str
) -> None:
    _open(tmp_path)

    with pytest.raises(BadFolder, match=message):
        _open(tmp_path, **changes)


@pytest.mark.parametrize("text", ["", "[]", '{"format": 99}'])
def test_state_that_cannot_be_read_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "state.json").write_text(text)

    with pytest.raises(BadFolder):
        _open(tmp_path)
