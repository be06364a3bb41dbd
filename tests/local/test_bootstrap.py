"""The way from a bare Python into `.venv`, with the installation itself replaced by a fake."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pentathlon.local.environment import bootstrap, installer

ROOT = Path(__file__).resolve().parents[2]
PROJECT = """
[project]
name = "{name}"
version = "1.2"

[project.scripts]
{script} = "greeting:main"

[project.entry-points."games"]
chess = "greeting:main"
"""


class FakeInstall:
    """Notes what it was asked to install, and may break down."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.broken = False

    def __call__(
        self, root: Path, venv: Path, requirements: str, *, say: Callable[[str], None]
    ) -> None:
        assert (venv / "bin/python").exists()
        self.asked.append(requirements)
        if self.broken:
            raise installer.InstallFailed("no network")


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> FakeInstall:
    fake = FakeInstall()
    monkeypatch.setattr(bootstrap, "install", fake)
    return fake


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Make a small checkout in a folder whose name has spaces."""
    root = tmp_path / "a check out"
    for folder in ("requirements", "platform", "engines"):
        (root / folder).mkdir(parents=True)
    for group in ("run", "numpy", "dev", "browser"):
        (root / f"requirements/{group}.txt").write_text(f"# {group}\n")
    (root / "pyproject.toml").write_text(PROJECT.format(name="greeting", script="greet"))
    (root / "engines/pyproject.toml").write_text(PROJECT.format(name="two-words", script="salute"))
    (root / "greeting.py").write_text("def main() -> int:\n    print('hello')\n    return 3\n")
    return root


def test_first_start_installs_what_the_command_needs(checkout: Path, install: FakeInstall) -> None:
    bootstrap.prepare(checkout, "run")

    assert install.asked == ["requirements/run.txt"]


def test_second_start_installs_nothing(checkout: Path, install: FakeInstall) -> None:
    bootstrap.prepare(checkout, "run")
    bootstrap.prepare(checkout, "run")

    assert len(install.asked) == 1


@pytest.mark.parametrize("group", ["numpy", "dev", "browser"])
def test_everything_for_tests_is_enough_to_run(
    checkout: Path, install: FakeInstall, group: str
) -> None:
    bootstrap.prepare(checkout, group)
    bootstrap.prepare(checkout, "run")

    assert install.asked == [f"requirements/{group}.txt"]


@pytest.mark.parametrize(
    ("command", "group"),
    [
        ("up", "run"),
        ("up --port 8001 --numpy", "numpy"),
        ("verify_ratings", "run"),
        ("bench match", "dev"),
        ("bench engines", "dev"),
        ("chaos --database postgres", "dev"),
        ("test", "dev"),
        ("test browser", "browser"),
    ],
)
def test_command_gets_no_more_than_it_needs(command: str, group: str) -> None:
    assert bootstrap.group_for(command.split()) == group


def test_changed_requirements_are_installed_on_top(checkout: Path, install: FakeInstall) -> None:
    bootstrap.prepare(checkout, "run")
    kept = checkout / ".venv/kept"
    kept.touch()
    (checkout / "requirements/run.txt").write_text("# other\n")

    bootstrap.prepare(checkout, "run")

    assert len(install.asked) == 2
    assert kept.exists()


def test_interrupted_installation_starts_again_from_nothing(
    checkout: Path, install: FakeInstall
) -> None:
    install.broken = True
    with pytest.raises(installer.InstallFailed):
        bootstrap.prepare(checkout, "run")
    half_built = checkout / ".venv/half_built"
    half_built.touch()
    install.broken = False

    bootstrap.prepare(checkout, "run")

    assert not half_built.exists()
    assert (checkout / ".venv/pentathlon.stamp").exists()


def test_moved_checkout_is_built_again(checkout: Path, install: FakeInstall) -> None:
    bootstrap.prepare(checkout, "run")
    moved = checkout.rename(checkout.parent / "elsewhere")

    bootstrap.prepare(moved, "run")

    assert len(install.asked) == 2


def test_registered_script_starts_from_a_folder_with_spaces(
    checkout: Path, install: FakeInstall
) -> None:
    bootstrap.prepare(checkout, "run")

    greeted = subprocess.run(
        [checkout / ".venv/bin/greet"], capture_output=True, text=True, check=False
    )

    assert (greeted.stdout, greeted.returncode) == ("hello\n", 3)


def test_registered_entry_points_are_found(checkout: Path, install: FakeInstall) -> None:
    bootstrap.prepare(checkout, "run")
    program = (
        "from importlib.metadata import entry_points, version;"
        "print(version('two-words'), len(entry_points(group='games', name='chess')))"
    )

    found = subprocess.run(
        [checkout / ".venv/bin/python", "-c", program],
        capture_output=True,
        text=True,
        check=True,
    )

    assert found.stdout == "1.2 2\n"


def test_version_is_read_where_the_engines_keep_it() -> None:
    versions = {project["name"]: project["version"] for project in bootstrap.projects(ROOT)}

    assert versions.keys() == {"pentathlon", "pentathlon-engines"}
    assert all(version[0].isdigit() for version in versions.values())


def test_old_python_is_refused_in_one_sentence() -> None:
    pretend = (
        "import sys; sys.version_info = (3, 9, 2, 'final', 0); sys.argv = ['manage.py', 'up'];"
        "import runpy; runpy.run_path('manage.py', run_name='__main__')"
    )

    refused = subprocess.run(
        [sys.executable, "-c", pretend], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert refused.returncode == 1
    assert refused.stderr.startswith("Pentathlon needs Python 3.11 or newer; this is Python 3.9.")
    assert refused.stderr.count("\n") == 1


def test_pip_for_a_python_without_pip_is_verified(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = tmp_path / "pip"
    index.mkdir()
    (index / "pip-1-py3-none-any.whl").write_bytes(b"not what was promised")
    (index / "index.html").write_text(
        f'<a href="pip-1-py3-none-any.whl#sha256={"0" * 64}">pip</a>'
    )
    monkeypatch.setenv("PIP_INDEX_URL", "https://index.example/simple")
    monkeypatch.setattr(installer, "urlopen", lambda url, timeout: _opened(url, index))
    locked = tmp_path / "bootstrap.txt"
    locked.write_text(f"pip==1 \\\n    --hash=sha256:{'0' * 64}\nuv==2 \\\n    --hash=sha256:1\n")

    with pytest.raises(installer.InstallFailed, match="damaged"):
        installer.download_pip(locked)


def test_python_without_pip_runs_the_wheel_that_its_system_keeps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel = tmp_path / "pip-26-py3-none-any.whl"
    wheel.touch()
    monkeypatch.setattr(installer, "find_spec", lambda name: None)
    monkeypatch.setattr(installer, "_BUNDLED_AT", (tmp_path / "none", tmp_path))

    command = installer._pip(tmp_path, tmp_path / "bootstrap.txt")

    assert command == [sys.executable, str(wheel / "pip")]


def test_python_without_any_pip_is_told_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PIP_INDEX_URL", raising=False)

    with pytest.raises(installer.InstallFailed, match="Install uv or pip"):
        installer.download_pip(tmp_path / "bootstrap.txt")


def _opened(url: str, index: Path) -> object:
    return (
        index / "index.html" if url.endswith("/pip/") else index / url.rpartition("/")[2]
    ).open("rb")
