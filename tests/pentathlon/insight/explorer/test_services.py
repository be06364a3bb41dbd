"""Positions of public matches are counted once each, to a limited depth, in a limited room."""

from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from pentathlon.core.errors import InvalidInput
from pentathlon.insight.explorer import services
from pentathlon.insight.explorer.exploration import explore
from pentathlon.insight.explorer.models import ExploredGame, ExploredMatch, ExploredPosition
from pentathlon.insight.explorer.services import DEPTH, GROWS_AT, count_positions
from pentathlon.matches.endings import note_corrections
from pentathlon.matches.hidden_lanes import HiddenLane
from pentathlon.matches.models import Match, MatchKind, MatchState
from pentathlon.ratings.services import revoke_results
from pentathlon_engines import GAMES
from tests.engines.record.random_records import make_record
from tests.factories import make_match, make_replay, make_user, make_version

pytestmark = pytest.mark.django_db

TUNED = GAMES["tuned"]
DUE = ExploredMatch.objects.filter(is_due=True)


@pytest.fixture(autouse=True)
def settled_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "_SETTLED_S", -60)


def played(number: int = 1, *, game: str = "tuned", seed: int = 7, **fields: Any) -> list[Match]:
    """Store matches that all went as one random match did."""
    record = make_record(GAMES[game], seats=2, seed=seed)
    versions = [make_version(), make_version()]
    matches = []
    for _ in range(number):
        match = make_match(versions, game=game, state=MatchState.DONE, **fields)
        make_replay(match, record)
        matches.append(match)
    return matches


def count_all() -> int:
    return count_positions(for_s=60)


def rows(game: str = "tuned") -> dict[str, tuple[int, list[float]]]:
    found = ExploredPosition.objects.filter(game=game)
    return {row.key: (row.matches, row.points) for row in found}


def test_every_match_is_counted_once() -> None:
    played(3)

    assert (count_all(), count_all()) == (3, 0)

    start = rows()[TUNED.position_key(TUNED.start()) or ""]
    assert start == (3, [3.0, 0.0])
    assert ExploredGame.objects.get(game="tuned").matches == 3


def test_match_in_which_all_failed_gives_nobody_points() -> None:
    [match] = played()
    match.seats.update(rank=1)

    count_all()

    assert rows()[TUNED.position_key(TUNED.start()) or ""] == (1, [0.0, 0.0])


def test_tree_grows_where_matches_go_and_to_a_limited_depth() -> None:
    seed = next(
        seed for seed in range(99) if len(make_record(TUNED, seats=2, seed=seed)["events"]) > DEPTH
    )
    played(2, seed=seed)
    count_all()
    assert len(rows()) == 1

    played(60, seed=seed)
    count_all()

    found = rows()
    assert len(found) == 1 + DEPTH
    assert ExploredGame.objects.get(game="tuned").positions == len(found)
    counts = sorted((matches for matches, _ in found.values()), reverse=True)
    assert counts == [62 - GROWS_AT * ply for ply in range(1 + DEPTH)]


def test_game_has_no_more_rows_than_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "MOST_POSITIONS", 2)
    played(30)

    count_all()

    assert len(rows()) == 2
    assert max(matches for matches, _ in rows().values()) == 30


def test_validations_and_hidden_results_are_not_counted() -> None:
    played(kind=MatchKind.VALIDATION)
    (hidden,) = played(lane=9)
    HiddenLane.objects.create(lane=9, organiser=make_user())
    played()

    count_all()
    assert rows()[TUNED.position_key(TUNED.start()) or ""][0] == 1
    assert list(DUE.values_list("match", flat=True)) == [hidden.pk]

    HiddenLane.objects.all().delete()
    assert (count_all(), count_all()) == (1, 0)
    assert rows()[TUNED.position_key(TUNED.start()) or ""][0] == 2
    assert not DUE.exists()


def revoke(matches: list[Match], *, is_revoked: bool = True) -> None:
    """Take the results of matches back, or let them count again."""
    Match.objects.filter(pk__in=[match.pk for match in matches]).update(is_revoked=is_revoked)
    note_corrections([match.pk for match in matches])


def test_revoked_results_leave_the_positions_and_come_back() -> None:
    """Each leaves just those in which it was counted: the tree had grown since."""
    kept = played(GROWS_AT + 2)
    count_all()
    alone, counted = rows(), ExploredGame.objects.get(game="tuned")
    others = [*played(2), *played(9, seed=8)]
    count_all()

    revoke(others)
    count_all()

    assert {key: row for key, row in rows().items() if key in alone} == alone
    assert set(rows()) == set(alone)
    now = ExploredGame.objects.get(game="tuned")
    assert (now.matches, now.positions) == (counted.matches, counted.positions)

    revoke([*kept, *others])
    count_all()
    assert rows() == {}

    revoke(kept, is_revoked=False)
    count_all()
    assert rows()[TUNED.position_key(TUNED.start()) or ""][0] == len(kept)


def test_result_revoked_before_its_turn_is_not_counted() -> None:
    revoke(played(2))
    played()

    count_all()

    assert rows()[TUNED.position_key(TUNED.start()) or ""][0] == 1


def test_revocation_reaches_the_explorer() -> None:
    (match,) = played()
    count_all()
    Match.objects.filter(pk=match.pk).update(is_revoked=True)

    revoke_results(match_ids=[match.pk])
    count_all()

    assert rows() == {}


def test_many_hidden_results_do_not_keep_others_from_being_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(services, "_LATE", 2)
    played(5, lane=9)
    HiddenLane.objects.create(lane=9, organiser=make_user())
    shown = played(1)
    count_all()

    revoke(shown)
    count_all()

    assert rows() == {}
    assert DUE.count() == 5


def test_rebuilding_gives_the_same_rows() -> None:
    played(12)
    played(12, seed=8)
    played(8, game="way_of_the_dragon")
    count_all()
    before = rows(), rows("way_of_the_dragon")

    call_command("rebuild_explorer", verbosity=0)

    assert (rows(), rows("way_of_the_dragon")) == before
    with pytest.raises(CommandError, match="azure"):
        call_command("rebuild_explorer", "azure")


def test_step_that_was_cut_off_stores_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    played(5)

    def fail(*_: object, **__: object) -> int:
        raise OSError("cut off")

    monkeypatch.setattr(services, "_add", fail)
    with pytest.raises(OSError, match="cut off"):
        count_all()
    monkeypatch.undo()
    monkeypatch.setattr(services, "_SETTLED_S", -60)

    assert count_all() == 5
    assert ExploredGame.objects.get(game="tuned").matches == 5


def test_turned_and_mirrored_positions_are_one() -> None:
    keys = set()
    for corner in ("a1", "c1", "a3", "c3"):
        state = TUNED.start()
        state.apply(state.parse(f"add donkey {corner}"))
        keys.add(TUNED.position_key(state))
    edge = TUNED.start()
    edge.apply(edge.parse("add donkey b1"))

    assert len(keys) == 1
    assert TUNED.position_key(edge) not in keys


def test_order_of_moves_does_not_matter_to_a_position() -> None:
    lines = (
        ["add donkey a1", "add donkey b2", "add donkey c1"],
        ["add donkey c1", "add donkey b2", "add donkey a1"],
    )

    first, second = (explore(TUNED, line).state for line in lines)

    assert TUNED.position_key(first) == TUNED.position_key(second)
    assert TUNED.position_key(first) != TUNED.position_key(explore(TUNED, lines[0][:2]).state)


def test_hidden_games_have_no_key_of_positions() -> None:
    for game in GAMES.values():
        assert (game.position_key(game.start()) is None) is game.info.hidden


def test_reading_costs_as_many_queries_for_many_actions_as_for_few() -> None:
    with CaptureQueriesContext(connection) as queries:
        found = explore(TUNED, [])

    assert len(queries) == 2
    texts = [text for each in found.nexts for text in (each.text, *each.also)]
    assert len(texts) == len(TUNED.start().legal_actions())
    assert len(found.nexts) == 9  # three animals on a corner, an edge or the centre


@pytest.mark.parametrize(
    "line",
    [
        ["nonsense"],
        ["add donkey z9"],
        ["move a1 b1 1"],
        ["<script>"],
        [""],
        ["add donkey a1"] * 13,
    ],
)
def test_line_that_cannot_be_played_is_refused(line: list[str]) -> None:
    with pytest.raises(InvalidInput) as refused:
        explore(TUNED, line)

    assert refused.value.code == "bad_line"
