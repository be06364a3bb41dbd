"""The real settings with one ladder, two reference bots, and little play.

A new ladder plays as fast as the workers can; those of all games would use up both processors
beside a test that is about something else. So bots count as known after a block.
"""

from pentathlon.settings import *  # noqa: F403

# isort: split
from pentathlon.ladders import seasons
from pentathlon_engines import manifest
from pentathlon_engines.tournament import batches

LADDER_MATCHES_AN_HOUR = 600

_all_profiles, _all_bots = seasons.profiles(), manifest.built_in_bots()
seasons.profiles = lambda: tuple(each for each in _all_profiles if each.key == "tuned")  # type: ignore[assignment]
manifest.built_in_bots = lambda: {name: _all_bots[name] for name in ("random", "greedy")}
batches.NEW = batches.ENOUGH = 2  # type: ignore[misc]  # constants
