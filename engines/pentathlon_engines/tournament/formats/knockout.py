"""`knockout/1`: the winners of each round meet in the next one, until one is left.

Two bots play the best of m blocks: a block is won with more points, and a drawn or void block is
nobody's. A bot that has left loses the matches that it misses; those that it has won stand. If
both have won equally many blocks, tie-break blocks follow, one at a time, until one is won. If all
of those are drawn, the bot that has played fewer matches to get here goes on. If that is equal,
the tie-break blocks are played once more, and at last the better seed goes on; the order of equal
seeds is drawn from the event key.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import Final, NamedTuple

from pentathlon_engines.tournament.formats.bracket import bracket_of, separate_bracket
from pentathlon_engines.tournament.formats.interface import (
    FORFEIT,
    PAIR,
    FieldEntry,
    Format,
    Group,
    Over,
    Parameter,
    Plan,
    PlannedBlock,
    PlayedBlock,
    Problem,
    Size,
    Step,
    Wait,
    are_complete,
    count_points,
    make_batch,
    seatings_of,
)
from pentathlon_engines.tournament.formats.parameters import (
    check_entries,
    check_params,
    check_seats,
)
from pentathlon_engines.tournament.formats.seeding import seed_order

_MOST_ENTRIES: Final = 256
_FEWEST_FOR_THIRD: Final = 4


class Duel(NamedTuple):
    """Two bots who meet in the bracket; None stands for a bye."""

    round: int
    first: int | None
    second: int | None


class Rules(NamedTuple):
    """The length of a duel, and the round in which two losers play for the third place."""

    blocks: int
    tie_blocks: int
    third_round: int | None


class Knockout(Format):
    """A bracket by seeds; all undecided duels of a round go on together."""

    name = "knockout/1"
    title = "Knockout"
    text = (
        "A bracket by seeds, with byes for the best; two bots play the best of some blocks, and "
        "the winner goes on. The bracket decides the places: an undecided duel goes to tie-break "
        "blocks, then to the bot that has played fewer matches, then to the better seed, and "
        "equal seeds are ordered by a lot from the sealed secret."
    )
    laws = (FORFEIT,)
    """Somebody must go on, so what a bot misses is lost for it."""
    parameters = {
        "blocks": Parameter(
            default=3,
            schema={"type": "integer", "enum": list(range(1, 32, 2))},
            text="Two bots play the best of this many blocks.",
            repeats_from=2,
        ),
        "tie_blocks": Parameter(
            default=2,
            schema={"type": "integer", "minimum": 0, "maximum": 20},
            text="At most this many blocks follow, one at a time, if both have won equally many.",
        ),
        "third_place": Parameter(
            default=True,
            schema={"type": "boolean"},
            text=(
                "Whether the losers of the semi-finals play for the third place, before the final."
            ),
        ),
        "same_author": Parameter(
            default=True,
            schema={"type": "boolean"},
            text=(
                "Whether two bots of one author may meet early; if not, as late as seeds let them."
            ),
        ),
    }

    def problems(self, plan: Plan, entries: int) -> list[Problem]:
        """Return what is wrong."""
        return (
            check_params(self.parameters, plan)
            + check_seats(plan, most=PAIR)
            + check_entries(entries, fewest=PAIR, most=_MOST_ENTRIES)
        )

    def size(self, plan: Plan, entries: int) -> Size:
        """Return the matches of all duels if none, some or all of them are close."""
        duels = entries - 1 + self._has_third(plan, entries)
        blocks = self.param(plan, "blocks")
        ties = self.param(plan, "tie_blocks")
        fewest = blocks // 2 + 1
        expected = (fewest + blocks + 1) // 2
        return Size(*(duels * each * PAIR for each in (fewest, expected, blocks + 2 * ties)))

    def next(
        self, plan: Plan, entries: Sequence[FieldEntry], played: Sequence[PlayedBlock]
    ) -> Step:
        """Return the next blocks of all undecided duels of one round, or the places."""
        if not are_complete(played):
            return Wait()
        seeds = seed_order(entries, plan.key)
        book = _Book(self._rules(plan, len(seeds)), entries, played, seeds)
        slots = self.first_round(plan, entries, seeds)
        fallen: list[list[int]] = []
        """The groups of bots that share a place, the worst first."""
        number = 0
        while len(slots) > 1:
            number += 1
            if len(slots) == PAIR and self._has_third(plan, len(seeds)):
                third = Duel(number, *fallen.pop())
                if blocks := book.missing_blocks([third]):
                    return make_batch(blocks)
                fallen += [[bot] for bot in reversed(book.ends(third))]
                number += 1
            pairs = zip(slots[::2], slots[1::2], strict=True)
            duels = [Duel(number, *pair) for pair in pairs]
            if blocks := book.missing_blocks(duels):
                return make_batch(blocks)
            ends = [book.ends(duel) for duel in duels]
            slots = [end[0] for end in ends]
            fallen.append([loser for end in ends for loser in end[1:]])
        champion = [bot for bot in slots if bot is not None]
        shared = (tuple(sorted(bots)) for bots in reversed(fallen) if bots)
        return Over((tuple(champion), *shared))

    def is_out(
        self,
        plan: Plan,
        entries: Sequence[FieldEntry],
        played: Sequence[PlayedBlock],
        *,
        number: int,
    ) -> bool:
        """Whether a bot has lost its last duel, or its opponent there has gone on without it."""
        seeds = seed_order(entries, plan.key)
        book = _Book(self._rules(plan, len(seeds)), entries, played, seeds)
        has_third = self._has_third(plan, len(seeds))
        slots = self.first_round(plan, entries, seeds)
        turn = 0
        while len(slots) > 1:
            turn += 1 + (len(slots) == PAIR and has_third)
            duels = [Duel(turn, *pair) for pair in zip(slots[::2], slots[1::2], strict=True)]
            mine = next(duel for duel in duels if number in {duel.first, duel.second})
            if not book.is_decided(mine):
                return False
            ends = [book.ends(duel) if book.is_decided(duel) else () for duel in duels]
            if book.ends(mine)[0] != number:
                losers = [end[1] for end in ends if len(end) == PAIR]
                is_semi_final = len(slots) == _FEWEST_FOR_THIRD and has_third
                return not is_semi_final or (
                    len(losers) == PAIR and book.is_decided(Duel(turn + 1, *losers))
                )
            slots = [end[0] if end else None for end in ends]
        return False

    def first_round(
        self, plan: Plan, entries: Sequence[FieldEntry], seeds: Sequence[int]
    ) -> list[int | None]:
        """Return who stands in each place of the bracket, two by two; None stands for a bye."""
        if self.param(plan, "same_author"):
            return bracket_of(seeds)
        authors = {entry.number: entry.author for entry in entries}
        return separate_bracket(seeds, authors.__getitem__)

    def _rules(self, plan: Plan, entries: int) -> Rules:
        blocks = self.param(plan, "blocks")
        ties = self.param(plan, "tie_blocks")
        rounds = (entries - 1).bit_length()
        return Rules(blocks, ties, rounds if self._has_third(plan, entries) else None)

    def _has_third(self, plan: Plan, entries: int) -> bool:
        return self.param(plan, "third_place") and entries >= _FEWEST_FOR_THIRD


class _Book:
    """What has been played, duel by duel."""

    def __init__(
        self,
        rules: Rules,
        entries: Sequence[FieldEntry],
        played: Sequence[PlayedBlock],
        seeds: Sequence[int],
    ) -> None:
        self.rules = rules
        self.active = {entry.number: entry.is_active for entry in entries}
        self.seed = {number: place for place, number in enumerate(seeds)}
        self.blocks: dict[tuple[int, Group], list[PlayedBlock]] = defaultdict(list)
        self.rounds: dict[int, list[int]] = defaultdict(list)
        """The round of each match, by bot; forfeited ones included."""
        self.missed: dict[int, list[int]] = defaultdict(list)
        """The round of each forfeited match, by bot."""
        for block in played:
            pair = block.seatings[0]
            self.blocks[block.round, tuple(sorted(pair))].append(block)
            for bot in pair:
                self.rounds[bot] += [block.round] * len(block.seatings)
                self.missed[bot] += [block.round] * len(block.forfeits)

    def missing_blocks(self, duels: Sequence[Duel]) -> list[PlannedBlock]:
        """Return the blocks that these duels still need before their winners may be known."""
        return [
            PlannedBlock(duel.round, seatings_of(pair))
            for duel in duels
            if self._winner(duel) is None and (pair := self._pair(duel))
            for _ in range(self._count_missing(duel))
        ]

    def ends(self, duel: Duel) -> tuple[int, ...]:
        """Return the winner and the loser of a duel, or who had a bye."""
        bots = self._pair(duel)
        winner = self._winner(duel)
        return tuple(sorted(bots, key=lambda bot: bot != winner))

    def is_decided(self, duel: Duel) -> bool:
        """Whether it is known who goes on; all blocks so far need not be complete."""
        pair = self._pair(duel)
        return (
            len(pair) < PAIR
            or any(self._has_gone_on(bot, duel) for bot in pair)
            or (are_complete(self._blocks_of(duel)) and self._winner(duel) is not None)
        )

    def _pair(self, duel: Duel) -> Group:
        """Return the bots of a duel, without byes, the better seed first."""
        bots = [bot for bot in (duel.first, duel.second) if bot is not None]
        return tuple(sorted(bots, key=self.seed.__getitem__))

    def _winner(self, duel: Duel) -> int | None:
        """Return the bot that goes on; None if more blocks are needed to decide it."""
        pair = self._pair(duel)
        # A bot that has gone on stays there, whatever comes of a match that is played again.
        gone_on = [bot for bot in pair if self._has_gone_on(bot, duel)]
        if gone_on or len(pair) < PAIR:
            return (gone_on or pair)[0]
        winner = self._winner_by_results(duel)
        if winner is not None:
            return winner
        stayed = [bot for bot in pair if self.active[bot]]
        return None if len(stayed) == PAIR else (stayed or pair)[0]

    def _has_gone_on(self, bot: int, duel: Duel) -> bool:
        return any(
            number > duel.round and number != self.rules.third_round for number in self.rounds[bot]
        )

    def _winner_by_results(self, duel: Duel) -> int | None:
        better, worse = self._pair(duel)
        wins = self._wins(duel)
        series = wins[: self.rules.blocks]
        lead = sum(series)
        if abs(lead) > self.rules.blocks - len(series):
            return better if lead > 0 else worse
        for win in wins[self.rules.blocks :]:
            if win:
                return better if win > 0 else worse
        ties = len(wins) - self.rules.blocks
        if ties >= self.rules.tie_blocks:
            fewer = self._matches_before(worse, duel) - self._matches_before(better, duel)
            if fewer:
                return better if fewer > 0 else worse
        return better if ties >= 2 * self.rules.tie_blocks else None

    def _wins(self, duel: Duel) -> list[int]:
        """Return for each block 1 if the better seed won it, -1 if the other did, else 0."""
        better, worse = self._pair(duel)
        wins = []
        for block in self._blocks_of(duel):
            points = count_points(block)
            wins.append((points[better] > points[worse]) - (points[better] < points[worse]))
        return wins

    def _matches_before(self, bot: int, duel: Duel) -> int:
        """Return how many matches a bot has played to get to a duel."""
        made, missed = (
            sum(number < duel.round for number in rounds[bot])
            for rounds in (self.rounds, self.missed)
        )
        return made - missed

    def _blocks_of(self, duel: Duel) -> list[PlayedBlock]:
        return self.blocks[duel.round, tuple(sorted(self._pair(duel)))]

    def _count_missing(self, duel: Duel) -> int:
        """Return the fewest blocks that may decide a duel; tie-break blocks come one by one."""
        wins = self._wins(duel)
        left = self.rules.blocks - len(wins)
        return (left - abs(sum(wins))) // 2 + 1 if left > 0 else 1
