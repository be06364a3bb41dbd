import subprocess
import time
from argparse import ArgumentParser
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from pentathlon.env import CHECKOUT, child_environment
from pentathlon.local.parts import LEFT_OUT, NOT_HERE, Part, UnknownPart, choose, part_names
from pentathlon.local.servers.processes import ServerFailed
from pentathlon.local.servers.runtime import runtime_folder, shared_bytecode
from pentathlon.local.servers.valkey import exported_servers


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
        """Run the parts, then print the result of each."""
        try:
            parts = choose(options["parts"], pytest_arguments=self._pytest_arguments)
            with shared_bytecode(), exported_servers():
                results = self._run_all(parts)
        except (UnknownPart, ServerFailed) as error:
            raise CommandError(str(error)) from error
        if not options["parts"]:
            self.stdout.write(f"\n{LEFT_OUT}")
        self.summarise(results)

    def _run_all(self, parts: Sequence[Part]) -> list[tuple[Part, int, float]]:
        """Run one part after the other; those that are beside keep another core busy."""
        with ThreadPoolExecutor(1) as lane:
            beside = {part: lane.submit(self._run, part) for part in parts if part.is_beside}
            try:
                ends = {part: self._run(part) for part in parts if not part.is_beside}
            except BaseException:
                lane.shutdown(wait=False, cancel_futures=True)
                raise
            ends |= {part: end.result() for part, end in beside.items()}
        return [(part, *ends[part]) for part in parts]

    def _run(self, part: Part) -> tuple[int, float]:
        heading = self.style.MIGRATE_HEADING(f"\n== {part.name}")
        if not part.is_beside:
            self._say(heading)
        started = time.monotonic()
        with runtime_folder() as folder:
            own = {
                "DATABASE_URL": f"sqlite:///{folder}/pentathlon.sqlite3",
                "PENTATHLON_DATA": str(folder),
            }
            environment = child_environment(**(own if part.on_sqlite else {}))
            ended = subprocess.run(
                part.command,
                cwd=CHECKOUT,
                env=environment,
                check=False,
                stdout=subprocess.PIPE if part.is_beside else None,
                stderr=subprocess.STDOUT if part.is_beside else None,
                text=True,
            )
        if part.is_beside:
            self._say(f"{heading}\n{ended.stdout.rstrip()}")
        return ended.returncode, time.monotonic() - started

    def _say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()

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
