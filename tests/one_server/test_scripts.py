"""The scripts for one server, run against programs that write down what they are asked."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import pytest

from pentathlon.env import CHECKOUT
from tests.patience import PATIENCE_S

FOLDER: Final = CHECKOUT / "one-server"
SCRIPTS: Final = sorted(
    path for path in FOLDER.iterdir() if os.access(path, os.X_OK) and path.is_file()
)
STUBS: Final = {
    "docker": """
        echo "$PENTATHLON_VERSION docker $*" >> "$ASKED"
        case "$*" in
            $REFUSED) exit 1 ;;
            *'ls /backups'*) echo old.backup; echo new.backup ;;
            *'cat /backups/'*) echo content ;;
            *'cat > /backups/'*) cat >/dev/null ;;
            *'redis_acl /tmp/users.acl && cat'*)
                printf 'PENTATHLON_WORKER_BROKER=redis://a\\nuser default\\nuser worker\\n' ;;
            *'worker_token rotate'*) exit 1 ;;
            *'worker_token create'*) echo ptw_secret ;;
        esac
    """,
    "chown": "",
    "git": 'case "$*" in *rev-parse*) cat "$COMMIT" ;; esac',
    "getconf": """
        case "$1" in
            PAGE_SIZE) echo 4096 ;;
            _PHYS_PAGES) echo ${PAGES:-2000000} ;;
            *) echo ${CORES:-2} ;;
        esac
    """,
    "df": "printf 'head\\na b c 99999 d\\n'",
    "systemctl": 'echo "systemctl $*" >> "$ASKED"',
    "systemd-run": 'echo "systemd-run ${*##*venv/}" >> "$ASKED"',
    "python3": """
        echo "python3 $*" >> "$ASKED"
        mkdir -p "$3/bin" && printf '#!/bin/sh\\n' > "$3/bin/pip" && chmod +x "$3/bin/pip"
    """,
}


@dataclass(frozen=True)
class Machine:
    """A checkout on a machine where nothing is real but the shell."""

    root: Path

    @property
    def folder(self) -> Path:
        return self.root / "one-server"

    def run(self, name: str, *arguments: str, refused: str = "-", **variables: str) -> str:
        """Run a script that has to succeed; return what it says."""
        done = self.attempt(name, *arguments, refused=refused, **variables)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def attempt(
        self, name: str, *arguments: str, refused: str = "-", **variables: str
    ) -> subprocess.CompletedProcess[str]:
        """Run a script, where docker refuses what fits a pattern of the shell."""
        paths = {"ASKED": "asked", "COMMIT": "commit", "DESTDIR": "destination"}
        return subprocess.run(
            [self.folder / name, *arguments],
            env={
                "PATH": f"{self.root / 'stubs'}:/usr/bin:/bin",
                "REFUSED": refused,
                **{key: str(self.root / value) for key, value in paths.items()},
                **variables,
            },
            cwd=self.root,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_S,
        )

    def asked(self) -> list[str]:
        """Return what was asked since the last call."""
        path = self.root / "asked"
        lines = path.read_text().splitlines() if path.exists() else []
        path.unlink(missing_ok=True)
        return [line.strip() for line in lines]

    def setting(self, name: str, file: str = ".env") -> str:
        """Return a value in a file of settings."""
        lines = (self.folder / file).read_text().splitlines()
        (value,) = [line.partition("=")[2] for line in lines if line.startswith(f"{name}=")]
        return value.strip("'")

    def take(self, commit: str) -> str:
        """Bring another release to the checkout; return its version."""
        (self.root / "commit").write_text(f"{commit}\n")
        return f"0.1.0-{commit}"


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A machine with a fresh checkout."""
    ignored = shutil.ignore_patterns(*(FOLDER / ".gitignore").read_text().split())
    shutil.copytree(FOLDER, tmp_path / "one-server", ignore=ignored)
    package = tmp_path / "engines/pentathlon_engines"
    package.mkdir(parents=True)
    (package / "version.py").write_text('__version__ = "0.1.0"\n')
    stubs = tmp_path / "stubs"
    stubs.mkdir()
    for name, text in STUBS.items():
        (stubs / name).write_text(f"#!/bin/sh\n{text}\n")
        (stubs / name).chmod(0o755)
    made = Machine(tmp_path)
    made.take("aaa")
    return made


@pytest.fixture
def site(machine: Machine) -> Machine:
    """A machine with a site."""
    machine.run("install", "games.example.org")
    machine.asked()
    return machine


def _lines(machine: Machine) -> int:
    return len((machine.folder / "settings.env").read_text().splitlines())


def _at(asked: list[str], part: str) -> int:
    (place,) = [number for number, line in enumerate(asked) if part in line]
    return place


def test_shellcheck_finds_nothing() -> None:
    program = str(Path(sys.executable).with_name("shellcheck"))
    command = [program, "--external-sources", "shared.sh", *(path.name for path in SCRIPTS)]
    checked = subprocess.run(
        command, cwd=FOLDER, capture_output=True, text=True, check=False, timeout=PATIENCE_S
    )

    assert checked.returncode == 0, checked.stdout


def test_readme_quotes_every_script() -> None:
    readme = (FOLDER / "README.md").read_text()

    assert [path.name for path in SCRIPTS if f"./{path.name}" not in readme] == []


class TestInstall:
    def test_secrets_are_made_once_and_are_private(self, machine: Machine) -> None:
        told = machine.run("install", "games.example.org")
        key = machine.setting("PENTATHLON_SECRET_KEY", "settings.env")
        password = machine.setting("POSTGRES_PASSWORD")
        machine.run("install", "games.example.org")

        assert "createsuperuser" in told
        assert machine.setting("PENTATHLON_SECRET_KEY", "settings.env") == key
        assert len(key) == len(password) == 64
        assert f":{password}@database" in machine.setting("DATABASE_URL", "settings.env")
        assert "games.example.org" in machine.setting("PENTATHLON_HOSTS", "settings.env")
        made = ("worker-token", "metrics-token", "users.acl", "worker.env")
        for name in (".env", "settings.env", *made):
            assert (machine.folder / name).stat().st_mode & 0o077 == 0, name

    def test_worker_gets_a_user_of_the_broker(self, machine: Machine) -> None:
        machine.run("install", "games.example.org")

        asked = machine.asked()
        assert _at(asked, "redis_acl") < _at(asked, "up -d --wait web")
        assert len(urlsplit(machine.setting("REDIS_URL", "settings.env")).password or "") == 64
        assert (machine.folder / "users.acl").read_text() == "user default\nuser worker\n"
        broker = (machine.folder / "worker.env").read_text()
        assert broker == "PENTATHLON_WORKER_BROKER=redis://a\n"

    @pytest.mark.parametrize("refused", ["*worker_token*", "*redis_acl*"])
    def test_token_and_users_outlive_a_repetition(self, site: Machine, refused: str) -> None:
        site.run("install", "games.example.org", refused=refused)

        assert (site.folder / "worker-token").read_text() == "ptw_secret\n"

    @pytest.mark.parametrize(
        ("variables", "sentence"),
        [({"CORES": "1"}, "1 core"), ({"PAGES": "500000"}, "needs 4 GB")],
    )
    def test_machine_that_is_too_small_is_refused(
        self, machine: Machine, variables: dict[str, str], sentence: str
    ) -> None:
        refused = machine.attempt("install", "games.example.org", **variables)

        assert refused.returncode == 1
        assert sentence in refused.stderr
        assert machine.asked() == []

    @pytest.mark.parametrize("line", ["A=plain", "A='it's'", 'A="x"', "A='x' # why", "a b"])
    def test_setting_that_two_programs_would_read_differently_is_named(
        self, site: Machine, line: str
    ) -> None:
        with (site.folder / "settings.env").open("a") as file:
            file.write(f"{line}\n")

        refused = site.attempt("install", "games.example.org")

        assert refused.returncode == 1
        assert refused.stderr.endswith(f"Not so: settings.env:{_lines(site)}\n")


class TestUpgrade:
    def test_tables_change_while_the_old_release_serves(self, site: Machine) -> None:
        new = site.take("bbb")

        site.run("upgrade")

        asked = site.asked()
        order = [
            _at(asked, f"docker build -t pentathlon:{new}"),
            _at(asked, "docker compose run --rm -T --no-deps backup"),
            _at(asked, f"{new} docker compose run --rm --no-deps migrate"),
            _at(asked, "docker compose up -d --no-deps --wait web"),
            _at(asked, "docker compose up -d --no-deps reconciler worker"),
            _at(asked, "docker compose up -d --no-deps database redis proxy"),
        ]
        assert order == sorted(order)
        assert site.setting("PENTATHLON_VERSION") == new
        assert site.setting("PENTATHLON_PREVIOUS") == "0.1.0-aaa"

    @pytest.mark.parametrize("refused", ["build*", "*run*backup", "*migrate"])
    def test_failure_before_the_switch_changes_nothing(self, site: Machine, refused: str) -> None:
        site.take("bbb")

        assert site.attempt("upgrade", refused=refused).returncode == 1

        assert site.setting("PENTATHLON_VERSION") == "0.1.0-aaa"
        assert not any("up -d" in line for line in site.asked())

    def test_release_that_does_not_start_takes_nobody_with_it(self, site: Machine) -> None:
        site.take("bbb")

        refused = site.attempt("upgrade", refused="*--wait web")

        assert "./rollback brings 0.1.0-aaa back" in refused.stderr
        assert not any("reconciler" in line for line in site.asked())
        site.run("rollback")
        assert site.setting("PENTATHLON_VERSION") == "0.1.0-aaa"

    def test_same_release_is_no_upgrade(self, site: Machine) -> None:
        refused = site.attempt("upgrade")

        assert (refused.returncode, site.asked()) == (1, [])
        assert "is what runs" in refused.stderr


class TestRollback:
    def test_it_migrates_nothing_and_can_be_undone(self, site: Machine) -> None:
        new = site.take("bbb")
        site.run("upgrade")
        site.asked()

        site.run("rollback")

        assert not any("migrate" in line for line in site.asked())
        assert site.setting("PENTATHLON_VERSION") == "0.1.0-aaa"
        site.run("rollback")
        assert site.setting("PENTATHLON_VERSION") == new

    @pytest.mark.parametrize("refused", ["-", "image inspect*"])
    def test_it_needs_a_release_to_go_back_to(self, site: Machine, refused: str) -> None:
        if refused != "-":
            site.take("bbb")
            site.run("upgrade")

        before = site.setting("PENTATHLON_VERSION")

        assert site.attempt("rollback", refused=refused).returncode == 1
        assert site.setting("PENTATHLON_VERSION") == before


class TestBackups:
    def test_newest_one_is_copied(self, site: Machine) -> None:
        (site.root / "disk").mkdir()

        site.run("backup", "disk")

        assert [path.name for path in (site.root / "disk").iterdir()] == ["new.backup"]
        assert (site.root / "disk/new.backup").read_text() == "content\n"

    def test_restore_keeps_what_was_there(self, site: Machine) -> None:
        (site.root / "a.backup").write_text("content")

        told = site.run("restore", "a.backup")

        asked = site.asked()
        order = [
            _at(asked, "docker compose stop worker reconciler web"),
            _at(asked, "ALTER DATABASE pentathlon RENAME TO pentathlon_2"),
            _at(asked, "CREATE DATABASE pentathlon"),
            _at(asked, "manage.py restore /backups/restored.backup"),
            _at(asked, "docker compose up -d --wait web reconciler proxy"),
            _at(asked, "docker compose up -d --force-recreate --no-deps worker"),
        ]
        assert order == sorted(order)
        assert not any("DROP" in line for line in asked)
        assert "dropdb --username=pentathlon pentathlon_2" in told

    def test_restore_that_fails_puts_back_what_was_there(self, site: Machine) -> None:
        (site.root / "a.backup").write_text("content")

        refused = site.attempt("restore", "a.backup", refused="*manage.py restore*")

        *_, dropped, renamed, started = site.asked()
        assert (refused.returncode, "as it was" in refused.stderr) == (1, True)
        assert "DROP DATABASE pentathlon" in dropped
        assert renamed.endswith("RENAME TO pentathlon")
        assert started == "docker compose up -d"

    def test_restore_needs_a_file(self, site: Machine) -> None:
        assert site.attempt("restore", "none.backup").returncode == 1
        assert site.attempt("restore").returncode == 1
        assert site.asked() == []


class TestRotation:
    def test_token_changes_between_two_matches(self, site: Machine) -> None:
        site.run("rotate", "token")

        stopped, *_, started = site.asked()
        assert stopped == "docker compose stop worker"
        assert started == "docker compose up -d --no-deps --force-recreate worker"
        assert (site.folder / "worker-token").read_text() == "ptw_secret\n"

    def test_token_that_cannot_be_had_leaves_the_old_one(self, site: Machine) -> None:
        refused = site.attempt("rotate", "token", refused="*worker_token*")

        assert refused.returncode == 1
        assert (site.folder / "worker-token").read_text() == "ptw_secret\n"

    def test_password_is_the_same_everywhere(self, site: Machine) -> None:
        former = site.setting("POSTGRES_PASSWORD")

        site.run("rotate", "password")

        password = site.setting("POSTGRES_PASSWORD")
        assert password != former
        assert f":{password}@database" in site.setting("DATABASE_URL", "settings.env")
        asked = site.asked()
        order = [
            _at(asked, f"PASSWORD '{password}'"),
            _at(asked, "--wait database"),  # an upgrade would replace it while people look
            _at(asked, "--wait web reconciler proxy"),
        ]
        assert order == sorted(order)

    def test_broker_knows_its_users_before_they_come(self, site: Machine) -> None:
        former = site.setting("REDIS_URL", "settings.env")

        site.run("rotate", "broker")

        address = site.setting("REDIS_URL", "settings.env")
        assert address != former
        assert address.endswith("@redis:6379/0")
        asked = site.asked()
        order = [
            _at(asked, "docker compose stop worker"),
            _at(asked, "redis_acl"),
            _at(asked, "--force-recreate redis"),
            _at(asked, "--wait web reconciler proxy"),
            _at(asked, "--no-deps worker"),
        ]
        assert order == sorted(order)

    def test_key_is_another_one(self, site: Machine) -> None:
        former = site.setting("PENTATHLON_SECRET_KEY", "settings.env")

        site.run("rotate", "key")

        assert site.setting("PENTATHLON_SECRET_KEY", "settings.env") != former
        assert site.attempt("rotate", "other").returncode == 1


class TestReleasesOfSystemd:
    @pytest.fixture
    def server(self, machine: Machine) -> Machine:
        """A machine with a first release and its settings."""
        for name in ("manage.py", "platform/a", "api/a", "workers/a", "tools/a"):
            path = machine.root / name
            path.parent.mkdir(exist_ok=True)
            path.write_text("")
        etc = machine.root / "destination/etc"
        (etc / "systemd/system").mkdir(parents=True)
        (etc / "pentathlon").mkdir()
        shutil.copy(machine.folder / "settings.env.example", etc / "pentathlon/settings.env")
        (machine.root / "destination/srv").mkdir()
        machine.run("release")
        machine.asked()
        return machine

    def _current(self, server: Machine) -> str:
        return (server.root / "destination/srv/current").readlink().name

    def test_tables_change_before_anything_restarts(self, server: Machine) -> None:
        new = server.take("bbb")

        server.run("release")

        asked = server.asked()
        order = [
            _at(asked, "systemctl start pentathlon-backup"),
            _at(asked, "migrate --noinput"),
            _at(asked, "systemctl daemon-reload"),
            _at(asked, "systemctl restart pentathlon.target"),
        ]
        assert order == sorted(order)
        assert self._current(server) == new
        assert (server.root / "destination/srv/pentathlon/manage.py").is_file()
        assert (server.root / "destination/etc/systemd/system/pentathlon-web.service").is_file()

    def test_release_before_comes_back(self, server: Machine) -> None:
        server.take("bbb")
        server.run("release")
        server.asked()

        server.run("release", "back")

        assert self._current(server) == "0.1.0-aaa"
        assert not any("migrate" in line for line in server.asked())
