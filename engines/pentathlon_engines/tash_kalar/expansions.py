"""What the expansion schools of Tash-Kalar add to the table (18)."""

from __future__ import annotations

from pentathlon_engines.game import State


class ExpansionTable(State):
    """What only an expansion school brings into play; others leave it as it begins."""

    __slots__ = ("directly", "frozen", "gateway", "possessed", "raised", "slowed", "stock")

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
        twin.stock = self.stock
