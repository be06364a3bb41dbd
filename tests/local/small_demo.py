"""`manage.py` with a demo of a small round robin; all else is as anybody runs it."""

import os
import sys
from dataclasses import replace

import django
from django.core.management import execute_from_command_line

from pentathlon.local.demo.plan import Plan, plans


def small_plans() -> list[Plan]:
    """Return one of the demo's plans, for the first two of its bots."""
    (chosen,) = (plan for plan in plans() if (plan.game, plan.format) == ("tuned", "round_robin"))
    return [replace(chosen, bots=chosen.bots[:2])]


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "pentathlon.settings")
    django.setup()

    # The models of the demo exist only from here on.
    from pentathlon.local.demo import demo

    demo.plans = small_plans  # type: ignore[attr-defined]  # what it has imported
    execute_from_command_line(["manage.py", *sys.argv[1:]])
