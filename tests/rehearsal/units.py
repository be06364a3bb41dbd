"""The units of one-server/systemd on a machine that boots: the README's own lines, then its acts.

Debian 13 under `systemd-nspawn --boot`, inside `engine`, whose network it shares.
"""

from __future__ import annotations

import faulthandler
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from pentathlon.env import CHECKOUT, export
from tests.rehearsal.one_server import act, goes_on, upload_bots, visits
from tests.rehearsal.site import NAME, Site, eventually
from tools.benchmark.newcomer.person import PASSWORD

TYPED: Final = "what-the-person-on-call-types"
ANSWERS: Final = {
    "apt install": "apt-get update && apt-get install --yes --no-install-recommends",
    "systemctl edit caddy": rf"printf '[Service]\nEnvironment=PENTATHLON_SITE={NAME}\n'"
    " | systemctl edit --stdin caddy",
    "manage createsuperuser": "manage createsuperuser --noinput --username=boss --email=b@b.org",
}
"""What the person does where the README asks for something, by what asks."""


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine that has been booted; root keeps the checkout at home."""

    host: subprocess.Popen[bytes]

    def run(self, lines: str, *, typed: str = "") -> str:
        """Run lines of a shell as root in one-server/, which have to succeed."""
        enter = ("nsenter", f"--target={self._first_process()}", "--all", "env", "-i")
        path = "PATH=/usr/sbin:/usr/bin:/sbin:/bin"
        done = subprocess.run(
            [
                *enter,
                path,
                "sh",
                "-euc",
                f"export HOME=~root\ncd ~root/checkout/one-server\n{lines}",
            ],
            input=typed,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{lines}\n{done.stdout}\n{done.stderr}"
        return done.stdout.strip()

    def played(self) -> int:
        """Return how many matches are done."""
        question = "SELECT count(*) FROM matches_match WHERE state = 'done'"
        return int(self.run(f'sudo -u postgres psql -tAc "{question}" pentathlon'))

    def has_booted(self) -> bool:
        """Return whether all units that the machine has have been started."""
        try:
            return self.run("systemctl is-system-running || true") in {"running", "degraded"}
        except (AssertionError, OSError, ValueError):  # before it has a first process
            return False

    def _first_process(self) -> str:
        pid = str(self.host.pid)
        for _ in ("systemd-nspawn", "systemd"):
            (pid,) = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return pid


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """A checkout, where something boots."""
    if "home" not in os.environ or shutil.which("systemd-nspawn") is None:
        pytest.skip(
            "No machine boots here: it takes systemd-nspawn, inside tests/rehearsal/engine."
        )
    faulthandler.cancel_dump_traceback_later()  # it ends a test after 15 minutes
    made = Site(tmp_path)
    made.prepare(compiled=False)
    return made


@pytest.fixture
def machine(site: Site) -> Iterator[Machine]:
    command = [CHECKOUT / "tests/rehearsal/boot", site.home, site.home / "checkout"]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True) as host:
        made = Machine(host)
        try:
            eventually(made.has_booted)
            yield made
            made.run("systemctl --no-block poweroff")
            host.wait(60)
        finally:
            if host.poll() is None:
                os.killpg(host.pid, signal.SIGKILL)


@pytest.mark.slow
def test_units_do_the_job(site: Site, machine: Machine) -> None:
    first, second = lines_of_readme(site)
    with act("units: install"):
        settings_come_first, lines = re.split(
            r"^(?=sudo -u)", first, maxsplit=1, flags=re.MULTILINE
        )
        machine.run(settings_come_first)
        machine.run("cat > /etc/pentathlon/settings.env", typed=settings(site))
        machine.run(lines, typed=f"{TYPED}\n{TYPED}\n")
        machine.run(second)
        trust(site, machine)
    with act("units: bots play"):
        upload_bots("boss")
        goes_on(machine)
    with act("units: upgrade, and back"), visits():
        site.release("second", makes_table=True)
        for command, name in (("./release", "second"), ("./release back", "first")):
            machine.run(command)
            goes_on(machine)
            assert machine.run("cat /srv/pentathlon/tools/release.txt") == name
    with act("units: backup, restore"):
        lose_and_restore(machine, second)
    with act("units: reboot"):
        machine.run("systemctl --no-block reboot")
        eventually(lambda: not machine.has_booted())
        eventually(machine.has_booted)
        goes_on(machine)


def lines_of_readme(site: Site) -> list[str]:
    """Return both blocks of lines, with what the person answers."""
    text = (site.folder / "README.md").read_text().partition("## With systemd")[2]
    for question, answer in ANSWERS.items():
        assert text.count(question) == 1, question
        text = text.replace(question, answer)
    blocks = re.findall(r"```\n(.*?)```", text, re.DOTALL)
    assert len(blocks) == 2
    return blocks


def settings(site: Site) -> str:
    """Return the example, filled in."""
    text = (site.folder / "settings.env.example").read_text()
    for blank, value in (
        ("pentathlon.example.org", NAME),
        ("=''", f"='{TYPED * 2}'"),
        (":password@", f":{TYPED}@"),
        ("@database:", "@localhost:"),
        ("@redis:", "@localhost:"),
    ):
        text = text.replace(blank, value)
    return f"{text}DJANGO_SUPERUSER_PASSWORD='{PASSWORD}'\n"


def trust(site: Site, machine: Machine) -> None:
    """Trust the certificate that signs the site's own."""
    root = site.home / "site.pem"
    root.write_text(machine.run("cat /var/lib/caddy/.local/share/caddy/pki/*/*/root.crt"))
    export("SSL_CERT_FILE", str(root))


def lose_and_restore(machine: Machine, lines: str) -> None:
    """Lose the database, and bring a backup of it into an empty one."""
    manage, _, _ = lines.partition("\n(")
    played = machine.played()
    machine.run("systemctl start pentathlon-backup")
    machine.run("systemctl stop 'pentathlon-*'")
    machine.run("sudo -u postgres dropdb pentathlon")
    machine.run("sudo -u postgres createdb -O pentathlon pentathlon")
    newest = "$(ls -t /var/lib/pentathlon/backups/*.backup | head -n 1)"
    machine.run(f'{manage}\nmanage restore "{newest}"')
    machine.run("systemctl start pentathlon.target")
    assert machine.played() >= played
    goes_on(machine)
