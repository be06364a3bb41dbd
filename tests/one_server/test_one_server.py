"""The files for one server: they agree with each other, with the manifests and with the code."""

import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml
from django.core.management import get_commands

from pentathlon.core.server import limits
from pentathlon.env import CHECKOUT, Mode, read_environment
from pentathlon.fleet.queues import broker
from tests.k8s.manifests import BASE, containers, resources, workloads
from tests.patience import PATIENCE_S
from workers.remote.adapter import platform_of

FOLDER = CHECKOUT / "one-server"
UNITS = sorted((FOLDER / "systemd").iterdir())
SITE = ("migrate", "web", "reconciler", "backup")
"""The services that hold keys."""


def _compose() -> dict[str, Any]:  # Any: YAML
    found: dict[str, Any] = yaml.safe_load((FOLDER / "compose.yaml").read_text())
    return found


def _service(name: str) -> dict[str, Any]:  # Any: YAML
    found: dict[str, Any] = _compose()["services"][name]
    return found


def _pairs(name: str) -> dict[str, str]:
    lines = (FOLDER / name).read_text().splitlines()
    pairs = dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))
    return {key: value.strip("'") for key, value in pairs.items()}


def _unit(name: str) -> dict[str, list[str]]:
    """Return the values of each key of a unit."""
    found: dict[str, list[str]] = {}
    for line in (FOLDER / "systemd" / name).read_text().splitlines():
        key, is_there, value = line.partition("=")
        if is_there and not line.startswith("#"):
            found.setdefault(key, []).append(value)
    return found


class TestCompose:
    def test_file_fits_the_schema_of_compose(self) -> None:
        checked = subprocess.run(
            [
                *(sys.executable, "-m", "check_jsonschema"),
                *("--builtin-schema", "vendor.compose-spec", FOLDER / "compose.yaml"),
            ],
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_S,
        )

        assert checked.returncode == 0, checked.stdout

    @pytest.mark.parametrize("name", SITE)
    def test_site_runs_the_commands_of_the_image(self, name: str) -> None:
        _, manage, command, *_ = _service(name)["command"]

        assert manage == "manage.py"
        assert command in get_commands()
        assert _service(name)["image"].startswith("pentathlon:")

    @pytest.mark.parametrize("name", ["web", "reconciler"])
    def test_commands_are_those_of_the_manifests(self, name: str) -> None:
        command = containers(workloads(list(resources(BASE)))[name])[0]["command"]

        assert _service(name)["command"] == command

    def test_worker_has_a_token_and_no_other_key(self) -> None:
        worker = _service("worker")

        assert worker["image"].startswith("pentathlon-worker:")
        assert worker["env_file"] == "worker.env"
        assert worker["secrets"] == ["worker-token"]
        _demand_that_a_worker_starts(worker["environment"])
        assert worker["networks"] == ["workers", "hints"]
        assert _networks_of("database") & {*worker["networks"], "front"} == set()

    def test_redis_knows_its_users(self) -> None:
        redis = _service("redis")

        assert redis["secrets"] == ["users.acl"]
        assert "/run/secrets/users.acl" in redis["command"]
        assert urlsplit(_pairs("settings.env.example")["REDIS_URL"]).password
        assert _networks_of("redis") == {"site", "hints"}

    def test_worker_is_confined_as_in_a_cluster(self) -> None:
        options = _service("worker")["security_opt"]

        (profile,) = (each.removeprefix("seccomp=") for each in options if "seccomp" in each)
        assert (FOLDER / profile).resolve() == BASE / "bot-worker.json"
        assert _service("worker")["cap_drop"] == ["ALL"]

    def test_only_the_proxy_can_be_reached_from_outside(self) -> None:
        services = _compose()["services"]

        published = {name: each["ports"] for name, each in services.items() if "ports" in each}
        assert all(port.startswith("127.0.0.1:") for port in published.pop("prometheus"))
        assert [*published] == ["proxy"]

    @pytest.mark.parametrize("name", ["database", "redis", "proxy"])
    def test_upgrade_replaces_only_what_has_changed(self, name: str) -> None:
        """What it starts with --no-deps may depend on nothing: compose would see a change."""
        assert f" {name}" in (FOLDER / "upgrade").read_text()
        assert "depends_on" not in _service(name)

    def test_logs_are_bounded(self) -> None:
        for name, each in _compose()["services"].items():
            assert each["logging"]["options"].keys() == {"max-size", "max-file"}, name

    def test_new_database_has_time_to_begin(self) -> None:
        check = _service("database")["healthcheck"]

        assert "--host=127.0.0.1" in check["test"], "initdb's own server answers on the socket"
        assert check["start_period"] == "5m"

    def test_images_are_named_by_their_release(self) -> None:
        for name in (*SITE, "worker"):
            assert "${PENTATHLON_VERSION:?" in _service(name)["image"], name

    @pytest.mark.parametrize(("status", "is_well"), [("200 OK", True), ("503 Away", False)])
    def test_web_is_well_if_it_is_ready(self, status: str, is_well: bool) -> None:
        word, *command = _service("web")["healthcheck"]["test"]
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = str(server.getsockname()[1])
            text = command[-1].replace("$$", "$").replace("8000", port)
            with subprocess.Popen([*command[:-1], text]) as check:
                asker, _ = server.accept()
                asked = b""
                while not asked.endswith(b"\r\n\r\n"):
                    asked += asker.recv(1000)
                asker.sendall(f"HTTP/1.1 {status}\r\n\r\n".encode())
                asker.close()

        assert word == "CMD"
        assert asked.startswith(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\n")
        assert (check.returncode == 0) == is_well

    def test_monitoring_has_the_rules_of_a_cluster(self) -> None:
        command = _service("prometheus")["command"][0]
        config = yaml.safe_load((FOLDER / "prometheus.yaml").read_text())
        rules = CHECKOUT / "k8s/components/monitoring/alerts.yaml"
        cut = command.partition(" /rules/")[0]

        made = subprocess.run(
            [*shlex.split(cut), rules], capture_output=True, check=True, timeout=PATIENCE_S
        )

        assert yaml.safe_load(made.stdout) == yaml.safe_load(rules.read_text())["spec"]
        assert config["rule_files"] == ["/tmp/alerts.yaml"]
        assert "> /tmp/alerts.yaml" in command
        (job,) = config["scrape_configs"]
        assert job["static_configs"] == [{"targets": ["web:8000"]}]
        assert job["authorization"]["credentials_file"] == "/run/secrets/metrics-token"

    def test_every_volume_and_network_is_declared(self) -> None:
        document = _compose()
        for name, each in document["services"].items():
            named = [volume.partition(":")[0] for volume in each.get("volumes", ())]
            assert {volume for volume in named if volume[0] != "."} <= {*document["volumes"]}, name
            assert _networks_of(name) <= {*document["networks"]}


def _demand_that_a_worker_starts(variables: dict[str, str]) -> None:
    """Demand that production takes a worker's variables, beside the file with its token."""
    told = {name: text for name, text in variables.items() if not name.endswith("_FILE")}
    takes = {"PENTATHLON_WORKER_BROKER": "redis://worker:secret@localhost/0"}
    environment = read_environment(
        {"PENTATHLON_MODE": "production", "PENTATHLON_WORKER_TOKEN": "ptw_1", **takes, **told}
    )

    assert environment.mode is Mode.PRODUCTION
    assert environment.sandbox == "namespaces"
    platform_of(environment)
    assert len(broker(environment)[0]) == 2


def _networks_of(name: str) -> set[str]:
    return {*_service(name).get("networks", ())}


class TestSettings:
    def test_example_has_what_production_demands(self) -> None:
        values = {**_pairs("settings.env.example"), "PENTATHLON_SECRET_KEY": "x" * 40}

        environment = read_environment(values)

        assert environment.mode is Mode.PRODUCTION
        assert "web" in environment.hosts, "workers ask for it by this name"
        assert environment.database_url is not None
        assert environment.database_url.endswith("@database:5432/pentathlon")

    def test_values_mean_the_same_to_compose_and_systemd(self) -> None:
        lines = (FOLDER / "settings.env.example").read_text().splitlines()

        assert [line for line in lines if not re.fullmatch(r"#.*|[A-Z_]+='[^']*'", line)] == []

    def test_no_secret_is_in_an_example(self) -> None:
        values = _pairs("settings.env.example")

        assert (values["PENTATHLON_SECRET_KEY"], values["PENTATHLON_METRICS_TOKEN"]) == ("", "")

    def test_paths_are_those_of_the_image(self) -> None:
        image = (CHECKOUT / "Dockerfile").read_text()

        assert _pairs("paths.env")["PYTHONPATH"] in image
        assert read_environment(_pairs("paths.env")).no_bootstrap


class TestUnits:
    @pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
    def test_systemd_finds_nothing_wrong(self, tmp_path: Path) -> None:
        for unit in UNITS:
            text = unit.read_text().replace("/srv/venv/bin/python", sys.executable)
            (tmp_path / unit.name).write_text(text)

        verified = subprocess.run(
            ["systemd-analyze", "verify", "--man=no", *(unit.name for unit in UNITS)],
            env={"PATH": "/usr/bin:/bin", "SYSTEMD_UNIT_PATH": f"{tmp_path}:"},
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_S,
        )

        assert (verified.returncode, verified.stderr) == (0, "")

    @pytest.mark.parametrize("name", SITE)
    def test_commands_are_those_of_compose(self, name: str) -> None:
        (line,) = _unit(f"pentathlon-{name}.service")["ExecStart"]

        python, *words = line.split()
        wanted = [word for word in _service(name)["command"][1:] if not word.startswith("--host")]
        folders = {"/backups": "/var/lib/pentathlon/backups"}
        assert python == "/srv/venv/bin/python"
        assert [word for word in words if not word.startswith("--host")] == [
            folders.get(word, word) for word in wanted
        ]

    def test_web_server_listens_where_the_proxy_asks(self) -> None:
        (line,) = _unit("pentathlon-web.service")["ExecStart"]
        proxy = (FOLDER / "Caddyfile").read_text()

        host, port = re.findall(r"--(?:host|port)=(\S+)", line)
        assert f"{{$PENTATHLON_UPSTREAM:{host}:{port}}}" in proxy

    def test_worker_sees_no_settings_of_the_site(self) -> None:
        worker = _unit("pentathlon-worker.service")

        assert worker["EnvironmentFile"] == [
            "/etc/pentathlon/paths.env",
            "-/etc/pentathlon/worker.env",
        ]
        told = [pair for line in worker["Environment"] for pair in line.split()]
        _demand_that_a_worker_starts(dict(pair.split("=", 1) for pair in told))
        assert worker["ExecStart"][0].split()[3:] == _service("worker")["command"][1:]
        assert worker["User"] != _unit("pentathlon-web.service")["User"]
        assert worker["Delegate"] == ["cpu memory pids"]

    def test_worker_keeps_results_in_a_folder_of_its_own(self) -> None:
        worker = _unit("pentathlon-worker.service")
        (line,), (folder,) = worker["ExecStart"], worker["StateDirectory"]

        assert f"PENTATHLON_DATA=%S/{folder}" in line.split()

    @pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
    def test_no_file_overrides_the_environment_of_a_unit(self, unit: Path) -> None:
        found = _unit(unit.name)
        own = {
            pair.partition("=")[0]
            for line in found.get("Environment", [])
            for pair in line.split()
        }
        files = [Path(name).name for name in found.get("EnvironmentFile", [])]

        # An environment file overrides what the unit itself sets.
        # `redis_acl` writes worker.env: one variable of its own.
        told = [
            _pairs("settings.env.example" if "settings" in name else name)
            for name in files
            if name != "worker.env"
        ]
        assert own & {name for pairs in told for name in pairs} == set()

    def test_worker_has_time_to_end_its_match(self) -> None:
        (patience,) = _unit("pentathlon-worker.service")["TimeoutStopSec"]
        drain_s = read_environment({"PENTATHLON_MODE": "production"}).drain_s

        assert int(patience) >= drain_s + 10
        assert _service("worker")["stop_grace_period"] == f"{patience}s"

    def test_restart_of_the_target_migrates(self) -> None:
        assert _unit("pentathlon-migrate.service")["PartOf"] == ["pentathlon.target"]

    def test_target_wants_every_unit_that_goes_on(self) -> None:
        (wanted,) = _unit("pentathlon.target")["Wants"]
        restarted = {unit.name for unit in UNITS if "Restart=always" in unit.read_text()}

        assert {*wanted.split()} == restarted | {"pentathlon-backup.timer"}


class TestProxy:
    def test_it_lets_in_the_largest_body(self) -> None:
        text = (FOLDER / "Caddyfile").read_text()

        (megabytes,) = re.findall(r"max_size (\d+)MB", text)
        largest = max(allowance.largest_body for allowance in limits.ALLOWANCES)
        assert largest <= int(megabytes) * 1_000_000 <= 2 * largest

    def test_metrics_are_not_shown(self) -> None:
        assert re.search(r"@hidden path /metrics\n\s*respond @hidden 404", _caddyfile())

    @pytest.mark.skipif(shutil.which("caddy") is None, reason="Caddy is not installed")
    def test_caddy_takes_it(self, tmp_path: Path) -> None:
        checked = subprocess.run(
            ["caddy", "validate", "--adapter", "caddyfile", "--config", FOLDER / "Caddyfile"],
            env={"PATH": os.environ["PATH"], "HOME": str(tmp_path)},
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_S,
        )

        assert checked.returncode == 0, checked.stderr


def _caddyfile() -> str:
    return (FOLDER / "Caddyfile").read_text()
