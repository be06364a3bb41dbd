"""Swiss rounds: no avoidable rematch, equal scores, byes."""

from collections import Counter
from collections.abc import Iterator, Sequence

import pytest

from pentathlon_engines.seeds import draw_many
from pentathlon_engines.tournament.departures import results_of_rounds
from pentathlon_engines.tournament.formats import swiss
from pentathlon_engines.tournament.formats.interface import (
    Batch,
    FieldEntry,
    Over,
    Plan,
    PlayedBlock,
)
from pentathlon_engines.tournament.tie_breaks import values_of
from tests.deep import mostly_deep
from tests.engines.tournament.formats.playing import (
    Event,
    Judge,
    all_void,
    by_chance,
    by_number,
    field_of,
    plan_of,
    play,
)

SWISS = swiss.Swiss()


def _rounds(event: Event) -> list[list[tuple[int, ...]]]:
    return [[block.seatings[0] for block in batch.blocks] for batch in event.batches]


def _all_pairings(bots: Sequence[int | None]) -> Iterator[tuple[tuple[int, int], ...]]:
    """Yield all ways to pair places of a row."""

    def pair(places: tuple[int, ...]) -> Iterator[tuple[tuple[int, int], ...]]:
        if not places:
            yield ()
            return
        one, *others = places
        for other in others:
            rest = tuple(place for place in others if place != other)
            for pairs in pair(rest):
                yield ((one, other), *pairs)

    return pair(tuple(range(len(bots))))


def _naive_scores(
    bots: Sequence[int], played: Sequence[PlayedBlock]
) -> tuple[dict[int, int], Counter[int]]:
    """Return half points and byes, match by match, sharing nothing with the code under test."""
    scores, byes = dict.fromkeys(bots, 0), Counter[int]()
    for turn in sorted({block.round for block in played}):
        blocks = [block for block in played if block.round == turn]
        for bot in bots:
            mine = [block for block in blocks if bot in block.seatings[0]]
            if not mine:
                if all(bot not in block.left for block in blocks):
                    byes[bot] += 1
                    scores[bot] += 4
                continue
            (block,) = mine
            gained, has_won_by_forfeit = 0, False
            for leg, seating in enumerate(block.seatings):
                ranks = (block.ranks or ())[leg] if block.ranks else None
                if ranks is None:
                    continue
                own, other = ranks[seating.index(bot)], ranks[1 - seating.index(bot)]
                gained += {True: 2, False: 0}[own < other] + (own == other == 0)
                has_won_by_forfeit |= leg in block.forfeits and own == 0
            scores[bot] += 4 if has_won_by_forfeit else gained
    return scores, byes


def _priorities(
    pairs: Sequence[tuple[int, int]],
    bots: Sequence[int | None],
    entries: Sequence[FieldEntry],
    played: Sequence[PlayedBlock],
) -> tuple[int, int, int, int, int]:
    """Judge a pairing as the documentation says, with no unit and no sum of costs in common."""
    met = Counter(tuple(sorted(block.seatings[0])) for block in played)
    numbers = [entry.number for entry in entries]
    scores, byes = _naive_scores(numbers, played)
    floated = _floated(numbers, played)
    rematches = authors = bye_score = apart = again = 0
    for places in pairs:
        seated = sorted(bot for place in places if (bot := bots[place]) is not None)
        if len(seated) == 1:
            rematches += byes[seated[0]]
            bye_score = scores[seated[0]]
            again += seated[0] in floated
            continue
        one, other = seated
        rematches += met[one, other]
        authors += entries[one].author == entries[other].author
        apart += (scores[one] - scores[other]) ** 2
        again += scores[one] > scores[other] and one in floated
        again += scores[other] > scores[one] and other in floated
    return rematches, authors, bye_score, apart, again


def _floated(numbers: Sequence[int], played: Sequence[PlayedBlock]) -> set[int]:
    """Return who met a lower score in the last round, or had the bye."""
    if not played:
        return set()
    last = [block for block in played if block.round == played[-1].round]
    before, _ = _naive_scores(numbers, played[: len(played) - len(last)])
    floated = set(_naive_scores(numbers, last)[1])
    for block in last:
        one, other = block.seatings[0]
        floated |= {bot for bot in (one, other) if before[bot] > min(before[one], before[other])}
    return floated


def _chosen(bots: Sequence[int | None], batch: Batch) -> set[frozenset[int | None]]:
    pairs: set[frozenset[int | None]] = {frozenset(block.seatings[0]) for block in batch.blocks}
    seated = {bot for pair in pairs for bot in pair}
    return pairs | {
        frozenset({bot, None}) for bot in bots if bot not in seated and bot is not None
    }


@pytest.mark.parametrize("entries", mostly_deep(range(2, 11), keep=[2, 3, 6, 7]))
@pytest.mark.parametrize("judge", [by_number, by_chance, all_void])
def test_every_round_is_the_best_of_all_pairings(entries: int, judge: Judge) -> None:
    field = field_of(entries, authors=max(2, entries - 2))
    plan = plan_of(SWISS, rounds=min(7, entries - 1 + entries % 2))

    event = play(SWISS, plan, field, judge)

    played: list[PlayedBlock] = []
    for batch in event.batches:
        bots, costs = SWISS.round_costs(plan, field, played)
        pairings = list(_all_pairings(bots))
        totals = sorted(
            (sum(costs[one][other] for one, other in pairs), pairs) for pairs in pairings
        )
        best = totals[0][1]
        assert len(totals) == 1 or totals[0][0] < totals[1][0]
        assert _chosen(bots, batch) == {frozenset(bots[place] for place in pair) for pair in best}
        wanted = min(_priorities(pairs, bots, field, played) for pairs in pairings)
        assert _priorities(best, bots, field, played) == wanted
        played = event.played[: len(played) + len(batch.blocks)]


@pytest.mark.parametrize(("entries", "rounds"), [(8, 5), (9, 9), (31, 9), (64, 9), (6, 5)])
def test_nobody_meets_twice_or_has_two_byes(entries: int, rounds: int) -> None:
    event = play(SWISS, plan_of(SWISS, rounds=rounds), field_of(entries), by_chance)

    assert max(Counter(event.groups).values()) == 1
    assert max(swiss.count_byes(field_of(entries), event.played).values(), default=0) <= 1
    assert len(event.batches) == rounds
    for pairs in _rounds(event):
        players = [bot for pair in pairs for bot in pair]
        assert len(players) == len(set(players)) == entries - entries % 2


def test_the_default_is_as_many_rounds_as_leave_one_unbeaten() -> None:
    for entries, rounds in [(2, 1), (3, 2), (8, 3), (9, 4), (200, 8)]:
        assert SWISS.rounds(plan_of(SWISS), entries) == rounds
    event = play(SWISS, plan_of(SWISS), field_of(16), by_number)
    scores = sorted(swiss.round_scores(field_of(16), event.played).values())
    assert scores[-1] == 4 * 4 > scores[-2]


def test_bots_of_one_author_meet_only_where_nothing_else_is_left() -> None:
    field = field_of(12, authors=6)

    event = play(SWISS, plan_of(SWISS, rounds=5), field, by_chance)

    assert all(field[a].author != field[b].author for a, b in event.groups)
    own = play(SWISS, plan_of(SWISS, rounds=3), field_of(4, authors=1), by_chance)
    assert len(own.played) == 6


def test_a_seeded_first_round_pairs_the_halves() -> None:
    field = [entry._replace(strength=float(entry.number)) for entry in field_of(7)]

    event = play(SWISS, plan_of(SWISS, seeded=True), field, by_chance)

    assert {frozenset(pair) for pair in _rounds(event)[0]} == {
        frozenset({6, 3}),
        frozenset({5, 2}),
        frozenset({4, 1}),
    }


def test_the_lowest_has_the_bye_and_its_points() -> None:
    event = play(SWISS, plan_of(SWISS, rounds=2), field_of(5), by_number)

    first = {bot for pair in _rounds(event)[0] for bot in pair}
    after_one = event.played[: len(event.batches[0].blocks)]
    scores = swiss.round_scores(field_of(5), after_one)
    (had_bye,) = set(range(5)) - first
    assert scores[had_bye] == 4
    second = {bot for pair in _rounds(event)[1] for bot in pair}
    (has_bye,) = set(range(5)) - second
    assert scores[has_bye] == 0


def test_it_goes_on_with_those_who_have_not_left() -> None:
    event = play(
        SWISS, plan_of(SWISS, rounds=5), field_of(8), by_chance, leavers={3: 1, 4: 1, 5: 3}
    )

    assert [len(pairs) for pairs in _rounds(event)] == [4, 3, 3, 2, 2]
    assert max(Counter(event.groups).values()) == 1


def test_it_ends_when_one_is_left() -> None:
    event = play(SWISS, plan_of(SWISS, rounds=3), field_of(4), leavers={0: 1, 1: 1, 2: 1})

    assert len(event.batches) == 1
    assert event.over == Over()


@pytest.mark.parametrize("key", range(12))
def test_scores_byes_and_tie_breaks_are_those_counted_by_hand(key: int) -> None:
    """Random fields in which bots leave between rounds and in the middle of one."""
    words = draw_many(bytes(32), "leavers", key)
    entries = 5 + next(words) % 8
    field, plan = field_of(entries), plan_of(SWISS, key=bytes([key]) * 32, rounds=4)
    quitters = {next(words) % entries: (next(words) % 4, next(words) % 3) for _ in range(3)}
    leavers = {next(words) % entries: 1 + next(words) % 3}

    event = play(SWISS, plan, field, by_chance, leavers=leavers, quitters=quitters)

    scores, byes = _naive_scores(range(entries), event.played)
    assert swiss.round_scores(field, event.played) == scores
    assert {bot: count for bot, count in SWISS.byes(field, event.played).items() if count} == byes
    results = results_of_rounds(field, event.played, fit={})
    assert {bot: results.points(bot) * 2 for bot in range(entries)} == scores
    assert {bot: count for bot, count in results.byes.items() if count} == byes
    values = values_of(
        [range(entries)], by=["buchholz_cut_1", "sonneborn_berger"], results=results
    )
    for bot in range(entries):
        buchholz, berger = _naive_tie_breaks(bot, event.played, entries)
        assert values[bot] == {"buchholz_cut_1": buchholz, "sonneborn_berger": berger}


def _naive_tie_breaks(
    bot: int, played: Sequence[PlayedBlock], entries: int
) -> tuple[float, float]:
    """Return Buchholz without the lowest and Sonneborn–Berger, in points, as FIDE's rules say."""
    turns = sorted({block.round for block in played})

    def of_round(who: int, turn: int) -> tuple[float, int | None, str]:
        """Return points, opponent, and whether the round was played, won, lost or missed."""
        blocks = [block for block in played if block.round == turn]
        points = _naive_scores([who], blocks)[0][who] / 2
        mine = [block for block in blocks if who in block.seatings[0]]
        if not mine:
            return points, None, "away" if any(who in block.left for block in blocks) else "bye"
        (other,) = set(mine[0].seatings[0]) - {who}
        if len(mine[0].forfeits) < len(mine[0].seatings):
            return points, other, "played"
        return points, other, "won" if points else "lost"

    def adjusted(who: int) -> float:
        rounds = [of_round(who, turn) for turn in turns]
        total = 0.0
        for place, (points, _, kind) in enumerate(rounds):
            later = {kind for *_, kind in rounds[place + 1 :]}
            total += 1.0 if kind == "away" and later <= {"away", "lost"} else points
        return total

    own = sum(of_round(bot, turn)[0] for turn in turns)
    voluntary: list[float] = []
    others: list[float] = []
    berger = 0.0
    for turn in turns:
        points, other, kind = of_round(bot, turn)
        if kind == "played":
            worth = adjusted(other or 0)
        elif other is not None:
            worth = min(own, adjusted(other))
        else:
            worth = min(own, len(turns) * 1.0)
        berger += points * worth
        (voluntary if kind in {"away", "lost"} else others).append(worth)
    return sum((sorted(voluntary) + sorted(others))[1:]), berger


def test_round_that_a_bot_had_left_is_no_bye_of_it() -> None:
    """It comes back afterwards, with another version."""
    played = [
        PlayedBlock(1, ((0, 1), (1, 0)), ((0, 1), (1, 0)), left=(3,)),
        PlayedBlock(2, ((0, 3), (3, 0)), ((0, 1), (1, 0))),
    ]

    assert swiss.count_byes(field_of(4), played) == {1: 1, 2: 2}
    assert swiss.round_scores(field_of(4), played)[3] == 0


def test_bot_that_floated_down_costs_more_to_do_so_again() -> None:
    """0 and 4 lead; 4 has met a lower bot in the last round, so 0 meets 3 rather than 4."""
    won = ((0, 1), (1, 0))
    played = [
        *(PlayedBlock(1, (pair, pair[::-1]), won) for pair in ((0, 2), (1, 3), (4, 5))),
        *(PlayedBlock(2, (pair, pair[::-1]), won) for pair in ((0, 1), (4, 2), (3, 5))),
    ]

    assert swiss.floated_down(field_of(6), played) == {4}
    _, costs = SWISS.round_costs(plan_of(SWISS, rounds=3), field_of(6), played)
    assert (costs[4][3] >> 80) - (costs[0][3] >> 80) == 1


def test_forfeited_block_is_no_reason_for_a_bye_as_well() -> None:
    """4 and 2 have won a block each, but 4 without a match, so a bye of it costs like a second."""
    won = ((0, 1), (1, 0))
    played = [
        PlayedBlock(1, ((4, 0), (0, 4)), won, forfeits=(0, 1)),
        PlayedBlock(1, ((1, 2), (2, 1)), ((1, 0), (0, 1))),
    ]
    field = field_of(6, gone=[0])

    assert swiss.count_forfeits(played) == {4: 1}
    bots, costs = SWISS.round_costs(plan_of(SWISS, rounds=3), field, played)
    bye_of = {bot: costs[bots.index(bot)][-1] for bot in bots if bot is not None}
    assert bots[-1] is None
    assert bye_of[4] > 2 * bye_of[2]


def test_too_many_rounds_are_named_with_the_largest_number() -> None:
    (problem,) = SWISS.problems(plan_of(SWISS, rounds=8), 8)

    assert problem.pointer == "/params/rounds"
    assert problem.allowed == {"minimum": 1, "maximum": 7}
    assert SWISS.problems(plan_of(SWISS, rounds=7), 8) == []
    assert SWISS.problems(plan_of(SWISS, rounds=7), 7) == []


def test_the_order_of_completion_decides_nothing() -> None:
    """As nothing is paired before a round is complete."""
    plan: Plan = plan_of(SWISS, rounds=3)
    event = play(SWISS, plan, field_of(6))

    partly = [block._replace(ranks=None) for block in event.played[:1]] + event.played[1:3]
    assert not isinstance(SWISS.next(plan, field_of(6), partly), Batch)
