"""`manage.py` with a demo of a small round robin and Swiss; all else is as anybody runs it."""

import os
import sys
from dataclasses import replace

import django
from django.core.management import execute_from_command_line

from pentathlon.local.demo_plan import Plan, plans

_FORMATS = {"tuned": "round_robin", "azure": "swiss"}
"""By game."""


def small_plans() -> list[Plan]:
    """Return two of the demo's plans, each for the first three of its bots."""
    chosen = [plan for plan in plans() if _FORMATS.get(plan.game) == plan.format]
    return [replace(plan, bots=plan.bots[:3]) for plan in chosen]


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "pentathlon.settings")
    django.setup()

    # Its models exist only from here on.
    from pentathlon.local import demo

    demo.plans = small_plans  # type: ignore[attr-defined]  # what it has imported
    execute_from_command_line(["manage.py", *sys.argv[1:]])
