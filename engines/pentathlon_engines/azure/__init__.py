"""Azure: two players race to wisdom on four mountains, and court the beasts that guard them."""

from pentathlon_engines.azure.game import GAME, AzureState

__all__ = ["GAME", "AzureState"]
