"""The real settings with one ladder and two reference bots.

A new ladder plays as fast as the workers can; those of all games would use up both processors
beside a test that is about something else.
"""

from pentathlon.settings import *  # noqa: F403

# isort: split
from pentathlon.ladders import profiles
from pentathlon_engines import manifest

_all_profiles, _all_bots = profiles.profiles(), manifest.built_in_bots()
profiles.profiles = lambda: tuple(each for each in _all_profiles if each.key == "tuned")  # type: ignore[assignment]
manifest.built_in_bots = lambda: {name: _all_bots[name] for name in ("random", "greedy")}
