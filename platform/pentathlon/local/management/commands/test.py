import subprocess
import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from pentathlon.env import CHECKOUT, child_environment
from pentathlon.local.environment.bytecode import shared_bytecode
from pentathlon.local.parts import LEFT_OUT, NOT_HERE, Part, UnknownPart, choose, part_names
from pentathlon.local.servers.readiness import ServerFailed
from pentathlon.local.servers.runtime import runtime_folder
from pentathlon.local.servers.servers import exported_servers


class Command(BaseCommand):
    """Check everything that must hold before a commit, on a real PostgreSQL and Valkey."""

    help = "Run all checks and tests; name parts to run only those, pytest options after --."
    requires_system_checks: list[str] = []

    def run_from_argv(self, argv: list[str]) -> None:
        """Keep what follows `--` for pytest."""
        split = argv.index("--") if "--" in argv else len(argv)
        self._pytest_arguments = argv[split + 1 :]
        super().run_from_argv(argv[:split])

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take any number of parts."""
        parser.add_argument(
            "parts",
            nargs="*",
            metavar="part",
            help=f"{', '.join(part_names())}, or a path in tests/",
        )

    def handle(self, *args: Any, **options: Any) -> None:  # Any: Django's own signature
        """Run the parts one after the other, then print the result of each."""
        try:
            parts = choose(options["parts"], pytest_arguments=self._pytest_arguments)
            with shared_bytecode(), exported_servers():
                results = [(part, *self._run(part)) for part in parts]
        except (UnknownPart, ServerFailed) as error:
            raise CommandError(str(error)) from error
        if not options["parts"]:
            self.stdout.write(f"\n{LEFT_OUT}")
        self.summarise(results)

    def _run(self, part: Part) -> tuple[int, float]:
        self.stdout.write(self.style.MIGRATE_HEADING(f"\n== {part.name}"))
        self.stdout.flush()
        started = time.monotonic()
        with runtime_folder() as folder:
            own = {
                "DATABASE_URL": f"sqlite:///{folder}/pentathlon.sqlite3",
                "PENTATHLON_DATA": str(folder),
            }
            environment = child_environment(**(own if part.on_sqlite else {}))
            ended = subprocess.run(part.command, cwd=CHECKOUT, env=environment, check=False)
        return ended.returncode, time.monotonic() - started

    def summarise(self, results: list[tuple[Part, int, float]]) -> None:
        """Print the result of each part; fail if one did."""
        self.stdout.write("")
        words = {0: self.style.SUCCESS("ok    "), NOT_HERE: self.style.WARNING("not run")}
        for part, code, seconds in results:
            word = words.get(code, self.style.ERROR("FAILED"))
            self.stdout.write(f"{word} {part.name:<12} {seconds:7.1f} s")
        codes = {part.name: code for part, code, _ in results}
        if failed := [name for name, code in codes.items() if code not in words]:
            raise CommandError(f"Failed: {', '.join(failed)}.")
        if missing := [name for name, code in codes.items() if code]:
            raise CommandError(f"Not run here: {', '.join(missing)}.", returncode=NOT_HERE)
