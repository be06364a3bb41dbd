"""Dry runs of tournaments: size, and the blocks that do not depend on results."""

from itertools import accumulate
from typing import Any, Final, NamedTuple

from pentathlon_engines import GAMES
from pentathlon_engines.tournament.batches import History, next_step
from pentathlon_engines.tournament.document import TournamentDocument
from pentathlon_engines.tournament.formats.interface import Batch, Parameter, PlannedBlock, Size

MOST_BLOCKS: Final = 500
"""The most blocks that a dry run shows; the others are counted."""
NO_KEY: Final = bytes(32)
"""A stand-in for the event key, which nobody knows before the start."""
_ONCE_MORE: Final = 2


class Caution(NamedTuple):
    """A setting that is allowed but rarely intended."""

    code: str
    pointer: str
    """A JSON pointer into the document."""
    sentence: str

    def to_json(self) -> dict[str, Any]:  # Any: JSON
        """Return the caution as JSON."""
        return {"code": self.code, "pointer": self.pointer, "detail": self.sentence}


class DryRun(NamedTuple):
    """The size of a tournament, and its blocks as another key would draw them."""

    size: Size
    blocks: tuple[PlannedBlock, ...]
    left_out: int
    """The number of expected matches that are not in `blocks`."""
    needs_results: bool
    """Whether later blocks depend on the results of these."""
    cautions: tuple[Caution, ...]

    def to_json(self) -> dict[str, Any]:  # Any: JSON
        """Return the dry run as JSON; seats are numbers of entries, from 0."""
        ends = accumulate(len(block.seatings) for block in self.blocks)
        return {
            "fewest": self.size.fewest,
            "expected": self.size.expected,
            "most": self.size.most,
            "blocks": [
                {
                    "number": number,
                    "round": block.round,
                    "first_match": end - len(block.seatings) + 1,
                    "seatings": [list(seating) for seating in block.seatings],
                }
                for number, (block, end) in enumerate(zip(self.blocks, ends, strict=True), start=1)
            ],
            "left_out": self.left_out,
            "needs_results": self.needs_results,
            "warnings": [caution.to_json() for caution in self.cautions],
        }


def make_dry_run(document: TournamentDocument, *, most_blocks: int = MOST_BLOCKS) -> DryRun:
    """Return the dry run of a document with its entries; its format must find no problems in it.

    Sides and order are drawn with a key of zeros: the start draws them again.

    Raises:
        UnknownScheduler: the document needs the scheduler of another release.
    """
    scheduling = document.scheduling
    size = scheduling.size(document.plan(key=NO_KEY), len(document.entries))
    history = History()
    blocks: list[PlannedBlock] = []
    is_whole = False
    while len(blocks) < most_blocks:
        step = next_step(document, key=NO_KEY, played=history.blocks)
        if not isinstance(step, Batch):
            is_whole = not scheduling.reads_results
            break
        blocks += step.blocks
        history.add(step.blocks)
        if scheduling.reads_results:
            break
    shown = tuple(blocks[:most_blocks])
    matches = sum(len(block.seatings) for block in shown)
    return DryRun(
        size=size,
        blocks=shown,
        left_out=0 if is_whole else max(0, size.expected - matches),
        needs_results=scheduling.reads_results,
        cautions=find_cautions(document),
    )


def find_cautions(document: TournamentDocument) -> tuple[Caution, ...]:
    """Return the settings of a document that are allowed but rarely intended."""
    game = GAMES.get(document.game)
    if game is None or game.info.chance or game.info.hidden:
        return ()
    why = (
        f"{game.info.title} has no chance and no hidden information: bots that always answer "
        "alike repeat the same matches in every block of a pair, and the ratings look surer than "
        "they are."
    )
    parameters = document.scheduling.parameters
    return tuple(
        Caution("repeated_matches", f"/params/{name}", f"{why} {_advice(name, parameter)}")
        for name, parameter in parameters.items()
        if _repeats(document.params.get(name), parameter)
    )


def _repeats(value: object, parameter: Parameter) -> bool:
    first = parameter.repeats_from
    return first is not None and isinstance(value, int) and value >= first


def _advice(name: str, parameter: Parameter) -> str:
    if parameter.repeats_from == _ONCE_MORE:
        return f"Set {name} to 1, or let more bots enter."
    return "This format needs such blocks: enter bots that do not always answer alike."
