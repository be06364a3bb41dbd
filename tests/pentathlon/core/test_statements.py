"""Statements that are compiled once find and write what their queries would."""

from typing import Any
from uuid import uuid4

import pytest
from django.db.models import CharField, UUIDField
from django.db.models.sql.compiler import SQLCompiler

from pentathlon.core.models import Leadership, by_id
from pentathlon.core.statements import Read, Update, store_rows
from pentathlon.matches.models import Match, MatchSeat
from tests.factories import make_match, make_version, make_worker
from tests.pentathlon.matches.acting import claimed

pytestmark = pytest.mark.django_db

SEATS = Read(
    lambda ids: (
        MatchSeat.objects.filter(match__pk__in=ids)
        .order_by("match", "seat")
        .values_list("match", "seat")
    )
)


@pytest.mark.parametrize("count", [0, 1, 3, 8, 11])
def test_lists_of_any_length_are_read(count: int) -> None:
    ids = [make_match().pk for _ in range(count + 1)][:count]

    assert SEATS(ids) == [(pk, seat) for pk in ids for seat in (0, 1)]


def test_query_is_compiled_once_for_short_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    ids = [make_match().pk for _ in range(5)]
    SEATS(ids[:1])

    monkeypatch.delattr(SQLCompiler, "as_sql")

    assert len(SEATS(ids)) == 10


def test_rows_are_objects_with_what_was_selected() -> None:
    version = make_version()
    matches = [make_match([version, version], options={"size": number}) for number in (1, 2)]
    token = claimed(matches[1]).token
    read = Read(lambda ids: Match.objects.filter(pk__in=ids).order_by("pk").with_openness())

    first, second = read([match.pk for match in matches])

    assert (first.options, first.token, first.may_be_watched) == ({"size": 1}, None, True)
    assert (second.options, second.token, second.started_at is None) == ({"size": 2}, token, False)


def test_update_gives_each_row_its_value() -> None:
    update = Update(
        lambda ids, tokens, worker: (
            Match.objects.filter(pk__in=ids),
            {"token": by_id(dict(zip(ids, tokens, strict=True)), UUIDField()), "worker": worker},
        )
    )
    tokens = {make_match().pk: uuid4() for _ in range(3)}
    other = make_match()

    assert update(list(tokens), list(tokens.values()), "w") == 3

    stored = Match.objects.exclude(pk=other.pk).values_list("pk", "token", "worker")
    assert sorted(stored) == sorted((pk, token, "w") for pk, token in tokens.items())
    assert update([], [], "w") == 0


def test_texts_may_hold_anything() -> None:
    text = "100 % of '%s' \\ \"é\""
    update = Update(
        lambda ids, texts: (
            Match.objects.filter(pk__in=ids),
            {"worker": by_id(dict(zip(ids, texts, strict=True)), CharField())},
        )
    )
    match = make_match()

    update([match.pk], [text])

    assert Match.objects.get().worker == text


def test_update_runs_for_each_row() -> None:
    rank = Update(
        lambda match, seat, rank: (
            MatchSeat.objects.filter(match=match, seat=seat),
            {"rank": rank},
        )
    )
    match = make_match()

    rank.each((match.pk, seat, 1 - seat) for seat in (0, 1))
    rank.each([])

    assert list(match.seats.order_by("seat").values_list("rank", flat=True)) == [1, 0]


class TestStoredRows:
    def test_database_fills_what_no_row_has(self) -> None:
        store_rows(
            Match(kind="ladder", game="tuned", rules_version=1, seed=seed) for seed in (4, 5)
        )
        store_rows([])

        first, second = Match.objects.order_by("pk")
        assert (first.seed, second.seed, first.options, first.rated) == (4, 5, {}, False)
        assert first.created_at is not None

    def test_rows_may_differ_in_what_the_database_fills(self) -> None:
        shared: dict[str, Any] = {"kind": "ladder", "game": "tuned", "rules_version": 1}

        store_rows([Match(seed=4, course="by half", **shared), Match(seed=5, **shared)])

        rows = Match.objects.order_by("seed").values_list("seed", "course")
        assert list(rows) == [(4, "by half"), (5, "")]

    def test_known_row_gets_new_values_of_the_named_columns(self) -> None:
        match = make_match()
        seats = list(match.seats.order_by("seat"))
        for seat in seats:
            seat.rank, seat.score = seat.seat, 9

        store_rows(seats, unique=("id",), update=("rank",))

        stored = match.seats.order_by("seat").values_list("pk", "rank", "score")
        assert list(stored) == [(seats[0].pk, 0, None), (seats[1].pk, 1, None)]

    def test_known_and_new_rows_go_together_by_their_columns(self) -> None:
        match = make_match()
        known = match.seats.get(seat=0)
        known.rank = 2
        new = MatchSeat(match=match, seat=5, version=known.version, rank=3)

        store_rows([known, new], unique=("match", "seat"), update=("rank",))

        stored = match.seats.order_by("seat").values_list("seat", "rank")
        assert list(stored) == [(0, 2), (1, None), (5, 3)]

    def test_known_row_is_left_as_it_is(self) -> None:
        until = make_worker().seen_at
        rows = [Leadership(name="a", holder=holder, until=until) for holder in ("one", "two")]

        store_rows(rows, ignores_known=True)

        assert Leadership.objects.get(name="a").holder == "one"
