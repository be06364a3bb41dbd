"""What the expansion schools of Tash-Kalar add to the table (18)."""

from __future__ import annotations

from pentathlon_engines.contract.game import State


class ExpansionTable(State):
    """What only an expansion school brings into play; others leave it as it begins."""

    __slots__ = (
        "directly",
        "doubled",
        "frozen",
        "gateway",
        "latest",
        "on_card",
        "pending",
        "possessed",
        "raised",
        "slowed",
        "stock",
        "voids",
        "warped",
    )

    def reset_expansions(self, stock: list[int]) -> None:
        """Begin without a Gateway and a frozen effect, with this stock of pieces."""
        self.gateway: int = -1
        self.possessed: bool = False
        """Whether the next being is matched with enemy pieces."""
        self.raised: int = 0
        """The mask of beings of this turn that count as legends."""
        self.frozen: int = -1
        """The card that is in play as a frozen effect (18.1)."""
        self.directly: bool = False
        """Whether only a summoning may follow."""
        self.slowed: int = -1
        """The seat whose next turn has one action less."""
        self.pending: int = 0
        """The mask of the card that is pending (18.3)."""
        self.on_card: int = 0
        """The piece on that card, as on the board, 0 for none."""
        self.latest: int = -1
        """The card that came last to the discard pile of the Etherweave."""
        self.warped: int = 0
        """The mask of cards whose warp effect was used in this turn."""
        self.doubled: bool = False
        """Whether each destroyed piece is counted twice."""
        self.voids: bool = False
        """Whether two empty squares may serve the next summoning."""
        self.stock: list[int] = stock
        """Two-sided pieces of both seats, legendary ones of both; never changed, but replaced."""

    def copy_expansions_to(self, twin: ExpansionTable) -> None:
        """Make these parts of another table equal."""
        twin.gateway = self.gateway
        twin.possessed = self.possessed
        twin.raised = self.raised
        twin.frozen = self.frozen
        twin.directly = self.directly
        twin.slowed = self.slowed
        twin.pending = self.pending
        twin.on_card = self.on_card
        twin.latest = self.latest
        twin.warped = self.warped
        twin.doubled = self.doubled
        twin.voids = self.voids
        twin.stock = self.stock
