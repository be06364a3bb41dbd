"""A tournament on this machine: the same formats, schedules and seeds as on a server.

Everything follows from the document, the secret and the results. So a tournament that was stopped
goes on from its document, its secret and the records of its matches, wherever it stood.
"""

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from pentathlon_engines.desk.match_pool import DeskMatch, DeskResult
from pentathlon_engines.seeds import event_key_of
from pentathlon_engines.strength.pair_model import PlayedMatch
from pentathlon_engines.tournament.batches import History, next_step, pairings_of
from pentathlon_engines.tournament.document import TournamentDocument, document_hash
from pentathlon_engines.tournament.formats.interface import Batch, Over, PlayedBlock, Size, Wait


class Kept(NamedTuple):
    """A match that an earlier run has stored."""

    result: DeskResult | None
    """The stored result; None if the match was void."""


Find = Callable[[DeskMatch], Kept | None]
"""Returns what is kept of a match, or None if it is still to be played."""


def find_nothing(_match: DeskMatch) -> None:
    """Return None: a first run has stored no match."""


class DeskTournament:
    """One tournament: its schedule as far as it is made, and the results so far."""

    def __init__(
        self,
        document: TournamentDocument,
        *,
        secret: bytes,
        published: Mapping[str, Any] | None = None,  # Any: JSON
        find: Find = find_nothing,
    ) -> None:
        """Begin, or go on with, the tournament of a checked document.

        The seeds follow from the `published` JSON where a server has published it.
        """
        self.document = document
        self.over: Over | None = None
        """How the tournament ended; None while its format has something left to play."""
        self.matches: dict[int, DeskMatch] = {}
        """The matches made so far, by index."""
        self.results: dict[int, DeskResult | None] = {}
        """The results by index of the match; None for a void match."""
        self.rounds: dict[int, int] = {}
        """The round of each block, by the number of the block."""
        told = document.to_json() if published is None else published
        self._key = event_key_of(secret, document_hash(told))
        self._find = find
        self._history = History()
        self._legs: dict[int, list[DeskMatch]] = {}
        self._queue: deque[DeskMatch] = deque()

    @property
    def blocks(self) -> list[PlayedBlock]:
        """All blocks that are made, in schedule order, with results where they are complete."""
        return self._history.blocks

    @property
    def size(self) -> Size:
        """How many matches there will be."""
        document = self.document
        return document.scheduling.size(document.plan(key=self._key), len(document.entries))

    def next_match(self) -> DeskMatch | None:
        """Return the next match to play; None while others must end before it, or at the end."""
        while True:
            while self._queue:
                match = self._queue.popleft()
                kept = self._find(match)
                if kept is None:
                    return match
                self.take(match, kept.result)
            if self.over is not None or not self._make_batch():
                return None

    def take(self, match: DeskMatch, result: DeskResult | None) -> None:
        """Note the result of a match; None if this machine could not play it."""
        self.results[match.index] = result
        legs = self._legs[match.block]
        if any(leg.index not in self.results for leg in legs):
            return
        ended = [self.results[leg.index] for leg in legs]
        ranks = tuple(None if each is None else each.ranks for each in ended)
        if None in ranks:  # what this machine could not play makes its block void
            ranks = (None,) * len(legs)
        blocks = self._history.blocks
        blocks[match.block - 1] = blocks[match.block - 1]._replace(ranks=ranks)

    def counting(self) -> Iterator[tuple[DeskMatch, DeskResult]]:
        """Yield the matches that count so far, in schedule order: none of a void block."""
        for index, result in sorted(self.results.items()):
            match = self.matches[index]
            block = self._history.blocks[match.block - 1]
            if result is not None and (block.ranks is None or block.counts):
                yield match, result

    def played(self) -> list[PlayedMatch]:
        """Return the matches that count as the estimate of strengths reads them."""
        return [
            PlayedMatch(match.players, result.ranks, match.block, result.course)
            for match, result in self.counting()
        ]

    def _make_batch(self) -> bool:
        """Make the next batch; return whether there was one."""
        if self.document.scheduling.reads_repeats:
            self._note_repeats()
        step = next_step(self.document, key=self._key, played=self._history.blocks)
        if isinstance(step, Batch):
            first = len(self._history.blocks) + 1
            self._history.add(step.blocks)
            pairings = pairings_of(
                step.blocks, first_block=first, first_index=len(self.matches) + 1, key=self._key
            )
            for pairing in pairings:
                match = DeskMatch(
                    index=pairing.index,
                    block=pairing.block,
                    players=pairing.seating,
                    seed=pairing.seed,
                    alias=pairing.alias,
                )
                self.matches[match.index] = match
                self.rounds[match.block] = pairing.round
                self._legs.setdefault(match.block, []).append(match)
                self._queue.append(match)
            return True
        if not isinstance(step, Wait):
            self.over = step
        return False

    def _note_repeats(self) -> None:
        """Note which matches went exactly as earlier ones with the same bots in the same seats."""
        seen = set()
        repeats: dict[int, list[int]] = {}
        for index, result in sorted(self.results.items()):
            if result is None:
                continue
            match = self.matches[index]
            course = (match.players, result.course)
            if course in seen:
                leg = self._legs[match.block].index(match)
                repeats.setdefault(match.block, []).append(leg)
            seen.add(course)
        for block, legs in repeats.items():
            known = self._history.blocks[block - 1]
            self._history.blocks[block - 1] = known._replace(repeats=tuple(legs))
