"""A site on one server, made and kept by the scripts of one-server/ alone."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.request import urlopen

from pentathlon.env import CHECKOUT, child_environment

NAME: Final = "localhost"
"""The one name for which Caddy signs a certificate by itself, and which leads here."""
ADDRESS: Final = f"https://{NAME}"
PATIENCE_S: Final = 900
_PROJECT: Final = "rehearsal"
"""What compose calls all of this, so that it touches no site that is there."""
_RELEASE: Final = "tools/release.txt"
_MIGRATION: Final = """
from django.db import migrations

class Migration(migrations.Migration):
    dependencies = [("core", "{last}")]
    operations = [migrations.RunSQL("CREATE TABLE core_{name} (id integer)")]
"""
_NEIGHBOURS: Final = "DNS:mail.example.org,DNS:hooks.example.org,DNS:store.example.org"


@dataclass(frozen=True, slots=True)
class Site:
    """A copy of the checkout on a machine with Docker, and what the site's neighbours received."""

    home: Path

    @property
    def folder(self) -> Path:
        """Where the operator works."""
        return self.home / "checkout/one-server"

    @property
    def received(self) -> Path:
        """Where letters, webhooks and objects of the store arrive."""
        return self.home / "received"

    def prepare(self, *, compiled: bool) -> None:
        """Copy the checkout, and make the certificates of the neighbours."""
        checkout = self.home / "checkout"
        names = output("git", "ls-files", cwd=CHECKOUT).splitlines()
        for name in names:
            if (CHECKOUT / name).is_file():
                (checkout / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(CHECKOUT / name, checkout / name)
        self.received.mkdir()
        # The bots here are in Python; C is for the engines, and other compilers are 2 GB.
        _edit(checkout / "workers/toolchains.txt", r"(?m)^(?!c:|#).*\n", "")
        if not compiled:
            _edit(
                checkout / "Dockerfile",
                r"RUN .*build_compiled(.*\\\n)*.*",
                "RUN mkdir /srv/compiled",
            )
        _edit(checkout / "one-server/prometheus.yaml", "_interval: 30s", "_interval: 2s")
        _edit(checkout / "k8s/components/monitoring/alerts.yaml", r" for: \d+[mh]", " for: 2s")
        self._git("init", "--quiet")
        self.release("first")
        self._make_certificates()

    def release(self, name: str, *, makes_table: bool = False) -> None:
        """Bring another release to the checkout, which leaves the engines as they are."""
        (self.folder.parent / _RELEASE).write_text(name)
        if makes_table:
            migrations = self.folder.parent / "platform/pentathlon/core/migrations"
            last = max(migrations.glob("0*.py")).stem
            (migrations / f"9000_{name}.py").write_text(_MIGRATION.format(last=last, name=name))
        self._git("add", "--all")
        self._git("commit", "--quiet", "--message", name)

    def serving(self) -> str:
        """Return the name of the release that serves."""
        return self.compose("exec", "-T", "web", "cat", _RELEASE)

    def run(self, script: str, *arguments: str) -> str:
        """Run one of the scripts, which has to succeed; return what it says."""
        return output(f"./{script}", *arguments, cwd=self.folder, env=self._environment())

    def compose(self, *arguments: str) -> str:
        """Run `docker compose` as a README says."""
        command = ("docker", "compose", *arguments)
        return output(*command, cwd=self.folder, env=self._environment())

    def manage(self, *arguments: str, **variables: str) -> str:
        """Run a command of the site."""
        given = [word for name, value in variables.items() for word in ("-e", f"{name}={value}")]
        return self.compose("exec", "-T", *given, "web", "python", "manage.py", *arguments)

    def ask(self, question: str) -> str:
        """Return what the database answers."""
        command = ("psql", "--username=pentathlon", "--tuples-only", "--no-align", "--command")
        return self.compose("exec", "-T", "database", *command, question).strip()

    def played(self) -> int:
        """Return how many matches are done."""
        return int(self.ask("SELECT count(*) FROM matches_match WHERE state = 'done'"))

    def alerts(self) -> set[str]:
        """Return the names of the alerts that fire."""
        alerts = self.monitoring("alerts")["alerts"]
        return {each["labels"]["alertname"] for each in alerts if each["state"] == "firing"}

    def monitoring(self, question: str) -> Any:  # Any: JSON
        """Return what Prometheus answers."""
        with urlopen(f"http://127.0.0.1:9090/api/v1/{question}", timeout=30) as answer:
            return json.load(answer)["data"]

    def configure(self, settings: Mapping[str, str]) -> None:
        """Add settings as an operator does, and let the site take them up."""
        with (self.folder / "settings.env").open("a") as file:
            file.writelines(f"{name}='{value}'\n" for name, value in settings.items())
        self.compose("up", "-d", "--no-deps", "--wait", "web", "reconciler", "proxy", "neighbours")

    def trust(self) -> Path:
        """Return the certificate that signs the site's own."""
        root = self.home / "site.pem"
        path = "/data/caddy/pki/authorities/local/root.crt"
        root.write_text(self.compose("exec", "-T", "proxy", "cat", path))
        return root

    def end(self) -> None:
        """Delete all containers and volumes, as a lost machine would."""
        # Without the files, which want settings: compose knows its own by their labels.
        project = ("docker", "compose", f"--project-name={_PROJECT}")
        output(*project, "down", "--volumes", "--remove-orphans", cwd=self.home)

    def lose(self) -> None:
        """Lose the machine: all containers, volumes, settings and secrets."""
        self.end()
        self._git("clean", "--quiet", "--force", "-x", "one-server")

    def _environment(self) -> dict[str, str]:
        files = ("compose.yaml", "../tests/rehearsal/compose.yaml")
        return child_environment(
            COMPOSE_FILE=os.pathsep.join(files),
            COMPOSE_PROJECT_NAME=_PROJECT,
            REHEARSAL=str(self.home),
        )

    def _git(self, *arguments: str) -> None:
        who = ("-c", "user.name=rehearsal", "-c", "user.email=rehearsal@localhost")
        output("git", *who, *arguments, cwd=self.folder.parent)

    def _make_certificates(self) -> None:
        folder = self.home / "certificates"
        folder.mkdir()
        new = ("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2")
        output(
            *(*new, "-subj", "/CN=neighbours", "-addext", f"subjectAltName={_NEIGHBOURS}"),
            *("-keyout", "key.pem", "-out", "authority.pem"),
            cwd=folder,
        )
        pair = [(folder / name).read_text() for name in ("key.pem", "authority.pem")]
        (folder / "neighbours.pem").write_text("".join(pair))
        for path in folder.iterdir():
            path.chmod(0o644)  # other users read it in the containers


def eventually(holds: Callable[[], object], *, patience_s: float = PATIENCE_S) -> None:
    """Wait until something holds."""
    until = time.monotonic() + patience_s
    while not holds():
        if time.monotonic() > until:
            raise AssertionError(f"not within {patience_s:g} s")
        time.sleep(1)


def _edit(file: Path, pattern: str, text: str) -> None:
    edited, places = re.subn(pattern, text, file.read_text())
    assert places, f"{file} has no {pattern}"
    file.write_text(edited)


def output(
    *command: str | Path, cwd: Path, env: dict[str, str] | None = None, typed: str = ""
) -> str:
    """Run a command, which has to succeed; return what it says."""
    done = subprocess.run(
        command, cwd=cwd, env=env, input=typed, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout
