import os
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import connections
from rich.console import Console

from pentathlon.env import read_environment
from pentathlon.local.demo.demo import Demo
from pentathlon.local.demo.people import Login, demo_logins
from pentathlon.local.environment.compiled_build import Compilation, kept_engines
from pentathlon.local.preparation import prepare_database, prepare_static_files
from pentathlon.local.servers.processes import BadAddress, NoPort, ServerFailed, free_port
from pentathlon.local.servers.runtime import runtime_folder
from pentathlon.local.stack import Stack
from pentathlon.local.supervisor import AlreadyRunning, Supervisor, only_one

_MOST_WORKERS = 8
_MISUSED = 2
"""The exit status for options that make no sense, as for every command."""

Options = dict[str, Any]  # Any: Django's own shape


class Command(BaseCommand):
    """Run the whole platform on this machine until Ctrl-C."""

    help = "Start broker, web, workers and housekeeping, with a demo tournament the first time."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the options."""
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
        parser.add_argument(
            "--port", type=int, default=8000, help="port, or the first free one above it"
        )
        parser.add_argument("--workers", type=int, default=min(cores, _MOST_WORKERS))
        parser.add_argument("--no-demo", action="store_true", help="start with an empty platform")
        parser.add_argument(
            "--no-compiled",
            action="store_true",
            help="use the engines in plain Python, not compiled",
        )
        parser.add_argument(
            "--numpy",  # what it installs, the bootstrap has installed by now
            action="store_true",
            help="install numpy and onnxruntime first, for bots in python-numpy; 150 MB",
        )
        parser.add_argument("--logs", action="store_true", help="show what the services log")

    def handle(self, *args: Any, **options: Any) -> None:  # Any: Django's own signature
        """Prepare and start everything, print how to sign in, and run until asked to stop."""
        self._console = Console()
        if options["workers"] < 1:
            sentence = f"--workers takes a number from 1, not {options['workers']}."
            raise CommandError(sentence, returncode=_MISUSED)
        self._compiles = read_environment().compiled and not options["no_compiled"]
        try:
            with runtime_folder() as folder:
                stack = Stack(
                    host=options["host"],
                    port=free_port(options["host"], options["port"]),
                    workers=options["workers"],
                    folder=folder,
                    redis_url=settings.REDIS_URL,
                    engines=kept_engines() if self._compiles else None,
                )
                with only_one(settings.DATA_FOLDER, address=stack.address):
                    self._serve(stack, options)
        except BadAddress as error:
            raise CommandError(str(error), returncode=_MISUSED) from error
        except (AlreadyRunning, NoPort, ServerFailed) as error:
            raise CommandError(str(error)) from error

    def _serve(self, stack: Stack, options: Options) -> None:
        if stack.port != options["port"]:
            self._say(f"Port {options['port']} is taken, so this is port {stack.port}.")
        with self._step("Preparing the database and pages"):
            logins = _prepare(with_demo=not options["no_demo"])
        supervisor = Supervisor(
            stack.services(),
            logs=settings.DATA_FOLDER / "logs",
            show=lambda name, line: self._say(f"{name:>10} | {line}"),
            follow=options["logs"],
        )
        compilation = Compilation(
            log=settings.DATA_FOLDER / "logs" / "compiler.log",
            done=lambda engines: supervisor.replace(stack.worker_with(engines)),
            say=self._say,
        )
        demo = Demo(stack.address, data=settings.DATA_FOLDER, logins=logins, console=self._console)
        try:
            with self._step("Starting broker, web, reconciler and workers"):
                supervisor.start()
            self._show_the_way_in(stack.address, logins)
            if logins and not supervisor.is_stopping:
                demo.start()
            if self._compiles and not supervisor.is_stopping:
                compilation.start()
            supervisor.run(beside=compilation.look)
        finally:
            demo.stop()
            compilation.stop()
            with self._step("Stopping"):
                supervisor.stop()

    def _show_the_way_in(self, address: str, logins: list[Login]) -> None:
        self._say(f"\nPentathlon is at {address}/ (Ctrl-C stops it).")
        for login in logins:
            self._say(f"  sign in as {login.username:<8} {login.password:<20} ({login.role})")
        if not logins:
            self._say(f"  sign up at {address}/sign-up/")
            if settings.ORGANISERS_ARE_EVERYBODY:
                self._say("  whoever signs up here may enter bots and organise tournaments")
            else:
                self._say(f"  staff make organisers: {address}/audit/people/NAME/")
        self._say("  for /admin/ make a superuser: python3 manage.py createsuperuser")
        self._say(f"The services log to {settings.DATA_FOLDER / 'logs'}\n")

    @contextmanager
    def _step(self, what: str) -> Iterator[None]:
        started = time.monotonic()
        yield
        self._say(f"{what}: {time.monotonic() - started:.1f} s")

    def _say(self, line: str) -> None:
        self._console.print(line, markup=False, highlight=False, soft_wrap=True)


def _prepare(*, with_demo: bool) -> list[Login]:
    prepare_database()
    prepare_static_files()
    logins = demo_logins(settings.DATA_FOLDER) if with_demo else []
    connections.close_all()
    return logins
