"""The games as environments for learning: the extra `rl` (PettingZoo, Gymnasium, NumPy)."""

try:
    from pentathlon_engines.rl.environment import PentathlonEnv
    from pentathlon_engines.rl.vector import VectorEnv
except ModuleNotFoundError as error:
    if (error.name or "").startswith("pentathlon_engines"):
        raise
    raise ModuleNotFoundError(
        f"pentathlon_engines.rl needs the package {error.name}, which is not installed: install "
        'pentathlon-engines with its extra "rl" (/kit/ on a site shows how)',
        name=error.name,
    ) from error

__all__ = ["PentathlonEnv", "VectorEnv"]
