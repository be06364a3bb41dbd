"""The shape of the repository: what may lie where, and how long it may be."""

import ast
import fnmatch
import pkgutil
import re
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from django.core.management import get_commands

from pentathlon.local.parts import choose
from pentathlon_engines.version import __version__

ROOT = Path(__file__).resolve().parents[1]
CODE = ("engines", "platform", "api", "workers", "tools")
TOP_FOLDERS = (*CODE, "tests", "k8s", "one-server")
MOST_WORDS = 600
LONGEST_TEMPLATE_LINE = 160
LONGEST_FILE, LONGEST_RULES, LONGEST_FUNCTION = 400, 600, 60
RULES = re.compile(
    r"engines/pentathlon_engines/(azure|maatatahay|tash_kalar|tuned|way_of_the_dragon)/"
)
DISTRIBUTIONS = {"engines": ("engines",), "platform": ("platform", "api", "workers", "tools")}
# Classes that share their name with another one of their distribution, and why that is right.
TWINS_WITH_REASON = {
    "Command": "Django finds a management command by this name",
    "Migration": "Django finds a migration by this name",
}
EMPTY_WORDS = {"utils", "util", "helpers", "helper", "manager", "misc"}
# A function named by a participle reads as a value: it must not write rows.
PARTICIPLE = re.compile(r"_*(?!need|feed|embed|ping|bring|string)[a-z]+(ed|ing|ept)(_|$)")
WRITES = {"save", "delete", "bulk_create", "bulk_update", "get_or_create", "update_or_create"}
# Nouns in -ing or -ed: most are the field's words for a thing or a technique.
NOUNS = {
    *(
        "author_ranking",
        "build_compiled",
        "caching",
        "drawing",
        "embedding",
        "encoding",
        "feed",
        "hashing",
    ),
    *("matching", "organising", "packing", "publishing", "ranking", "reading", "seeding"),
    *("setting", "staging", "summoning", "tracing", "tuned", "writing"),
}
# The command line and learning are extras of the engines, with dependencies of their own.
ENGINES_EXTRAS = {
    "cli": {"typer", "click", "rich", "platformdirs", "urllib3"},
    "examples": {"numpy"},
    "model.py": {"numpy", "onnxruntime"},  # for bots in "python-numpy"
    "rl": {"gymnasium", "numpy", "pettingzoo"},
    "dataset": {"pyarrow"},  # one module of it, the extra `parquet`
    "transparency": {"cryptography"},  # one module of it, the extra `cli`
    "contract": {"mypy_extensions"},  # read by the compiler, never run
}
# These run elsewhere than the platform: on an author's machine, or inside a sandbox.
BOTS_AND_TOOLS = re.compile(r"pentathlon_engines/cli/|/canary/|/bots/\w+/main.py|/demo/bots/")
# No file may contain unfinished work, or paths of somebody's machine.
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|raise NotImplementedError)\b")
MACHINE_PATHS = re.compile(r"(?<![\w.}])/(work|root|home|Users)/\w")
# Files, folders and commands of ours in texts.
NAMED_FILE = re.compile(
    r"`([\w*-][\w.*-]*(?:/[\w.*-]+)*(?:/|\.(?:py|md|toml|ya?ml|txt|css|js|html)))`"
)
NAMED_COMMAND = re.compile(r"python3 manage\.py ([a-z_]+)")
NAMED_TESTS = re.compile(r"python3 manage\.py test((?: (?!--|#)[\w/.]+\w)+)")
WALK_STOP = re.compile(r"`([\w.]+)`")
TEXTS = {".py", ".md", ".toml", ".html", ".css", ".js", ".yaml", ".yml", ".json", ".txt"}


def source_files() -> list[Path]:
    return [ROOT / "manage.py", *(p for folder in CODE for p in (ROOT / folder).rglob("*.py"))]


def text_files() -> Iterator[Path]:
    folders = [ROOT / folder for folder in TOP_FOLDERS]
    paths = [*ROOT.glob("*"), *(path for folder in folders for path in folder.rglob("*"))]
    for path in paths:
        if path.is_file() and path.suffix in TEXTS and path != Path(__file__):
            yield path


def tracked_paths() -> Iterator[Path]:
    """Return all files and folders of the top folders, and what lies beside those."""
    yield from (path for path in ROOT.iterdir() if path.name != ".venv")
    for folder in (*TOP_FOLDERS, "requirements"):
        yield from (path for path in (ROOT / folder).rglob("*") if "__pycache__" not in path.parts)


def readmes() -> Iterator[Path]:
    """Return the READMEs and CONTRIBUTING.md, which name files and commands."""
    return (path for path in tracked_paths() if path.name in {"README.md", "CONTRIBUTING.md"})


def relative(path: Path) -> str:
    return str(path.relative_to(ROOT))


class Function(NamedTuple):
    """What a test asks about a function."""

    name: str
    lines: int
    writes: bool
    """Whether it writes rows; only looked at if its name is a participle."""


class Module(NamedTuple):
    """What tests ask about a module; each is parsed once."""

    functions: tuple[Function, ...]
    classes: tuple[str, ...]
    packages: frozenset[str]


@cache
def module(path: Path) -> Module:
    tree = ast.parse(path.read_text())
    functions, packages = [], set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or 0) - node.lineno
            functions.append(Function(node.name, lines, _writes(node)))
        elif isinstance(node, ast.Import):
            packages |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            packages.add(node.module.partition(".")[0])
    classes = tuple(node.name for node in tree.body if isinstance(node, ast.ClassDef))
    return Module(tuple(functions), classes, frozenset(packages))


def _writes(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    if not PARTICIPLE.match(function.name):
        return False
    calls = (node.func for node in ast.walk(function) if isinstance(node, ast.Call))
    return any(isinstance(call, ast.Attribute) and call.attr in WRITES for call in calls)


def test_platform_folder_never_hides_the_standard_module() -> None:
    found = {path.name for path in (ROOT / "platform").iterdir()} - {"__pycache__"}

    assert found == {"README.md", "pentathlon"}


def test_tests_have_no_platform_folder() -> None:
    assert not (ROOT / "tests/platform").exists()


@pytest.mark.parametrize("folder", TOP_FOLDERS)
def test_every_top_folder_explains_itself_briefly(folder: str) -> None:
    text = (ROOT / folder / "README.md").read_text()

    assert 20 < len(text.split()) <= MOST_WORDS


def test_templates_have_short_lines() -> None:
    long = {
        f"{relative(path)}:{number}"
        for path in (ROOT / "platform").rglob("*.html")
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if len(line) > LONGEST_TEMPLATE_LINE
    }

    assert long == set()


def test_files_stay_short() -> None:
    # Django writes migrations, the first with all the tables of an app.
    written = [path for path in source_files() if path.parent.name != "migrations"]
    lengths = {relative(path): len(path.read_text().splitlines()) for path in written}

    assert {path: n for path, n in lengths.items() if n > _longest(path)} == {}


def _longest(path: str) -> int:
    return LONGEST_RULES if RULES.match(path) else LONGEST_FILE


def test_functions_stay_short() -> None:
    long = {
        f"{relative(path)}:{function.name}"
        for path in source_files()
        for function in module(path).functions
        if function.lines >= LONGEST_FUNCTION
    }

    assert long == set()


def test_packages_say_nothing_in_their_init() -> None:
    speaking = {
        relative(path)
        for path in source_files()
        if path.name == "__init__.py"
        and not path.is_relative_to(ROOT / "engines")
        and path.read_text().strip()
    }

    assert speaking == set()


def test_modules_have_telling_names() -> None:
    empty = {relative(path) for path in source_files() if path.stem in EMPTY_WORDS}

    assert empty == set()


def test_modules_are_named_by_nouns() -> None:
    participles = {
        relative(path)
        for path in source_files()
        if re.search(r"(ing|ed)$", path.stem)
        and path.stem not in NOUNS
        and path.parent.name != "migrations"
    }

    assert participles == set()


def test_no_module_is_named_like_a_standard_one() -> None:
    found = {
        relative(path)
        for path in source_files()
        if (path.parent.name if path.name == "__init__.py" else path.stem)
        in sys.stdlib_module_names
    }

    assert found == set()


@pytest.mark.parametrize("folders", DISTRIBUTIONS.values(), ids=DISTRIBUTIONS)
def test_no_two_public_classes_of_a_distribution_share_a_name(folders: tuple[str, ...]) -> None:
    places: dict[str, set[str]] = defaultdict(set)
    for path in (path for folder in folders for path in (ROOT / folder).rglob("*.py")):
        for name in module(path).classes:
            if not name.startswith("_"):
                places[name].add(relative(path))

    twins = {name: found for name, found in places.items() if len(found) > 1}
    for name in TWINS_WITH_REASON:
        twins.pop(name, None)
    assert twins == {}


def test_functions_that_write_rows_are_verbs() -> None:
    participles = {
        f"{relative(path)}:{function.name}"
        for path in source_files()
        for function in module(path).functions
        if function.writes
    }

    assert participles == set()


def test_files_that_readmes_name_exist() -> None:
    paths = [relative(path) for path in tracked_paths()]
    ends = {path[at:] for path in paths for at in (0, *_after_slashes(path))}
    missing = {
        f"{relative(readme)}: {name}"
        for readme in readmes()
        for name in (found.rstrip("/") for found in NAMED_FILE.findall(readme.read_text()))
        if name not in ends and not ("*" in name and fnmatch.filter(ends, name))
    }

    assert missing == {"tests/README.md: tests/platform"}  # it says that there is none


def _after_slashes(path: str) -> Iterator[int]:
    return (at + 1 for at, letter in enumerate(path) if letter == "/")


def test_commands_that_readmes_name_exist() -> None:
    known = get_commands()
    missing = {
        f"{relative(readme)}: {name}"
        for readme in readmes()
        for name in NAMED_COMMAND.findall(readme.read_text())
        if name not in known
    }

    assert missing == set()


def test_tests_that_readmes_name_exist() -> None:
    texts = [readme.read_text() for readme in readmes()]
    asked = [names.split() for text in texts for names in NAMED_TESTS.findall(text)]

    assert len(asked) > 20
    for names in asked:
        choose(names, pytest_arguments=[])


def test_walks_lead_from_one_function_to_the_next() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    stops = WALK_STOP.findall(text.partition("## Four walks")[2].partition("## Glossary")[0])

    assert len(stops) > 25
    for stop in stops:
        assert callable(pkgutil.resolve_name(stop)), stop


def test_nothing_is_unfinished() -> None:
    found = {relative(path) for path in text_files() if UNFINISHED.search(path.read_text())}

    assert found == set()


def test_no_file_knows_a_machine() -> None:
    found = {relative(path) for path in text_files() if MACHINE_PATHS.search(path.read_text())}

    assert found == set()


def test_only_one_module_reads_the_environment() -> None:
    reading = re.compile(r"os\.environ(?!\.setdefault\(\"DJANGO_SETTINGS_MODULE\")|os\.getenv")
    readers = {
        relative(path)
        for path in source_files()
        if not BOTS_AND_TOOLS.search(relative(path)) and reading.search(path.read_text())
    }

    assert readers == {"platform/pentathlon/env.py"}


def test_engines_need_the_standard_library_only() -> None:
    package = ROOT / "engines/pentathlon_engines"
    foreign = {
        f"{relative(path)}: {name}"
        for path in package.rglob("*.py")
        if "templates" not in path.parts  # files of bots, which import each other
        for name in module(path).packages
        if name not in sys.stdlib_module_names | {"pentathlon_engines"}
        and name not in ENGINES_EXTRAS.get(path.relative_to(package).parts[0], set())
    }

    assert foreign == set()


def test_test_names_promise_something() -> None:
    vague = {
        f"{relative(path)}:{name}"
        for path in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"^ *def (test_\w+)", path.read_text(), re.MULTILINE)
        if name.count("_") < 2
    }

    assert vague == set()


def test_requirements_lock_every_package_by_hash() -> None:
    for path in (ROOT / "requirements").glob("*.txt"):
        entries = re.findall(r"^(\S+?)==.*?(?=^\S|\Z)", path.read_text(), re.MULTILINE | re.DOTALL)
        locked = re.findall(r"^\S+==[^\n]*\n(?:    --hash=\S+)", path.read_text(), re.MULTILINE)

        assert len(entries) == len(locked) > 0, path.name
        assert "://" not in re.sub(r"^\s*#.*$", "", path.read_text(), flags=re.MULTILINE)


def test_one_version_stands_everywhere() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    cluster = (ROOT / "k8s/overlays/production/kustomization.yaml").read_text()

    assert project == __version__
    assert set(re.findall(r'newTag: "(.*)"', cluster)) == {__version__}
