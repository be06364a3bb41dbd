"""The games as environments for learning: the extra `rl` (PettingZoo, Gymnasium, NumPy)."""

from pentathlon_engines.rl.environment import PentathlonEnv

__all__ = ["PentathlonEnv"]
