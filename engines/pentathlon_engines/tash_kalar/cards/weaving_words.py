"""The words of steps that only the Etherweave has (18.3)."""

from __future__ import annotations

from pentathlon_engines.tash_kalar.cards.program import (
    ANY,
    ANY_RANK,
    DESTINATION_RING,
    DESTINATION_SQUARE,
    Selector,
    Step,
)
from pentathlon_engines.tash_kalar.cards.step_words import StepWords

FROM: tuple[str, ...] = ("pending", "discard")
"""Where the card lies whose warp effect is copied."""
THROWN: tuple[str, ...] = ("pending", "hand")
"""Which cards may be thrown away."""
_OPPOSITE = 4
"""Half of the eight directions."""


class WeavingWords(StepWords):
    """Words for exchanges, for pieces on a card, and for cards thrown away or copied."""

    def read_swap(self, step: Step) -> None:
        """Read who changes places with whom."""
        step.partner = self.selector(self.take("with"))
        step.same_rank = self.data.pop("same_rank", False)

    def read_squares(self, step: Step) -> None:
        """Read which squares may be chosen; a leap from a card is a standard one."""
        kind = self.data.pop("kind", "standard")
        self.index(kind, ("standard",), "kind")
        places = self.places(self.take("where"))
        step.selector = Selector(ANY, ANY_RANK, places, without_self=False, condition=0)

    def read_copy(self, step: Step) -> None:
        """Read where the card lies that is copied."""
        step.kind = self.index(self.take("from"), FROM, "from")

    def read_card(self, step: Step) -> None:
        """Read which card may be thrown away."""
        step.kind = self.index(self.take("what"), THROWN, "what")

    def read_weaving_moves(self, step: Step) -> None:
        """Read what only the Etherweave asks of moves."""
        step.distance = self.data.pop("end_distance", 0)
        step.destination = DESTINATION_RING if step.distance else 0
        step.most_of_owner = self.data.pop("most_of_owner", step.most_of_owner)
        if isinstance(self.data.get("dest"), dict):
            step.square_of = self.slot(self.take("dest")["square_of"])
            step.destination = DESTINATION_SQUARE
        if "opposite_of" in self.data.get("direction", ()):
            step.same_as = self.slot(self.take("direction")["opposite_of"])
            step.turned = _OPPOSITE
