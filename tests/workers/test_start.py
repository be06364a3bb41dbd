"""What a worker and a reconciler load when they start."""

import subprocess
import sys

from pentathlon.env import CHECKOUT, IMPORT_PATH, child_environment
from workers.management.commands.reconcile import Command

_WORKER = """
import sys
from workers.celery_app import app
app.loader.import_default_modules()
print(*(name for name in ("workers.tasks", "pentathlon.urls") if name in sys.modules))
"""


def test_worker_loads_its_tasks_without_the_pages_of_the_site() -> None:
    environment = child_environment(
        PYTHONPATH=IMPORT_PATH, DJANGO_SETTINGS_MODULE="pentathlon.settings"
    )

    loaded = subprocess.run(
        [sys.executable, "-c", _WORKER],
        cwd=CHECKOUT, env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip

    assert loaded.stdout.split() == ["workers.tasks"]


def test_reconciler_starts_without_the_checks_that_load_all_pages() -> None:
    assert Command.requires_system_checks == []
