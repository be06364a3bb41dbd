"""What a worker and a reconciler load when they start."""

import subprocess
import sys
import threading
from types import SimpleNamespace

import pytest
from django.core.management.base import CommandError

from pentathlon.core.services import LOOPS, RECONCILER
from pentathlon.env import CHECKOUT, IMPORT_PATH, child_environment
from workers.management.commands import reconcile
from workers.management.commands.reconcile import Command
from workers.publisher import Publisher
from workers.reconciler import Reconciler

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


def test_every_loop_of_the_reconciler_is_watched() -> None:
    assert {RECONCILER, *reconcile.BESIDE} == {*LOOPS}


def test_each_loop_finds_out_by_itself_that_the_broker_was_away() -> None:
    """One that shared the news would publish too late what was lost meanwhile."""
    publishers = [
        {step.__self__ for step in steps.values() if hasattr(step, "__self__")}
        for steps in (reconcile.BESIDE["publishing"], reconcile.BESIDE["analyses"])
    ]

    assert [{type(each) for each in found} for found in publishers] == [{Publisher}, {Publisher}]
    assert publishers[0].isdisjoint(publishers[1])


@pytest.mark.django_db(transaction=True)
def test_loop_that_ends_early_ends_the_reconciler(monkeypatch: pytest.MonkeyPatch) -> None:
    class Ending(Reconciler):
        """A loop that ends by itself in one of its threads."""

        def run(self, stop: threading.Event) -> None:
            if self._name != "webhooks":
                super().run(stop)

    monkeypatch.setattr(reconcile, "Reconciler", Ending)
    signals = SimpleNamespace(SIGTERM=15, SIGINT=2, signal=lambda *_: None)
    monkeypatch.setattr(reconcile, "signal", signals)

    with pytest.raises(CommandError, match="webhooks"):
        Command().handle()


def test_reconciler_starts_without_the_checks_that_load_all_pages() -> None:
    assert Command.requires_system_checks == []
