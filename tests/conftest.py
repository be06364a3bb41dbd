import fcntl
import gc
import sys
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from itertools import groupby
from pathlib import Path

import pytest
from django.core.cache import cache
from django.db import connection
from django.template import Context, Template
from django.test import TransactionTestCase
from django.test.signals import template_rendered
from hypothesis import HealthCheck, settings
from pytest_django.plugin import DjangoDbBlocker
from redis import Redis

from pentathlon.core import bulkheads, throttle
from pentathlon.core.throttle import LocalCounts
from pentathlon.fleet import models as fleet_models
from pentathlon.insight import stories
from pentathlon.insight.channel import programme
from pentathlon.local.servers.runtime import runtime_folder
from pentathlon.local.servers.valkey import running_valkey
from pentathlon.web.replay import on_air
from tests.databases import copied_database, delete_all_rows, migrated_database
from tests.toolchains import demand_toolchains

_SELDOM = (20_000, 20, 20)
"""Thresholds of garbage collection: Python's 700, 10 and 10 took 27 of the tests' 700 seconds."""

# The same examples on every run, and no limit of time: a busy machine is no reason to fail.
settings.register_profile(
    "lean",
    max_examples=10,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("deep", settings.get_profile("lean"), max_examples=200)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let what costs much be raised: `test pentathlon -- --requests 10000`."""
    parser.addoption("--requests", type=int, default=100, help="made-up requests to the site")
    parser.addoption("--uncompiled", action="store_true", help="engines in the rehearsal's image")
    parser.addoption("--kills", type=int, default=1, help="while receipts are appended")
    parser.addoption("--storm", type=int, default=4, help="faults in the tournament under fire")
    each = "matches of a game that each check of the contract sees, at least one for each setup"
    parser.addoption("--contract-matches", type=int, default=3, help=each)
    parser.addoption("--every-reader", action="store_true", help="look at all as more people")
    deep = "tests marked `deep` too, as all readers, with more examples, matches and requests"
    parser.addoption("--deep", action="store_true", help=deep)
    parser.addoption("--toolchains", action="store_true", help="fail where a compiler is missing")
    parser.addoption("--write-examples", action="store_true", help="of calls of the API")
    parser.addoption("--whole-demo", action="store_true", help="play the whole demo of `up`")


def pytest_configure(config: pytest.Config) -> None:
    """Make tests as long as asked for, and let a missing compiler fail on CI or if asked."""
    settings.load_profile("deep" if config.getoption("--deep") else "lean")
    if config.getoption("--deep"):
        config.option.every_reader = True
        config.option.requests = max(config.option.requests, 3000)
        config.option.contract_matches = max(config.option.contract_matches, 40)
    if config.getoption("--toolchains"):
        demand_toolchains()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Let rows of a module come last, and leave deep tests out that nobody has asked for."""
    items[:] = [
        item
        for _, group in groupby(items, key=_part_of_the_run)
        for item in sorted(group, key=_shares_rows)
    ]
    if config.getoption("--deep") or any("::" in argument for argument in config.args):
        return
    deep = [item for item in items if item.get_closest_marker("deep")]
    if deep:
        items[:] = [item for item in items if not item.get_closest_marker("deep")]
        config.hook.pytest_deselected(items=deep)


def _part_of_the_run(item: pytest.Item) -> tuple[Path, bool]:
    """Return the file of a test, and whether it commits: pytest-django lets those come last."""
    marker = item.get_closest_marker("django_db")
    return item.path, bool(marker and marker.kwargs.get("transaction"))


def _shares_rows(item: pytest.Item) -> bool:
    """Tell whether a test sees rows that its module keeps (`rows_for_a_module`).

    While they are there, every test of the module sees them, so those that have not asked for
    them come first; else what a test counts would depend on the order of the run.
    """
    made = getattr(item, "_fixtureinfo", None)
    found = made.name2fixturedefs if made else {}
    return any(
        definition.scope == "module" and "django_db_setup" in definition.argnames
        for definitions in found.values()
        for definition in definitions
    )


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Spare the garbage collector what lives until the end: all modules and all tests."""
    gc.disable()
    try:
        with _first_compiles():
            return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(*_SELDOM)
        gc.enable()


@contextmanager
def _first_compiles() -> Iterator[None]:
    """Let one process of a run write the bytecode of all modules, and the others read it."""
    if sys.dont_write_bytecode:
        yield
        return
    with Path(__file__).open() as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            fcntl.flock(lock, fcntl.LOCK_SH)
            fcntl.flock(lock, fcntl.LOCK_UN)
        yield


@pytest.fixture(scope="session")
def deep(pytestconfig: pytest.Config) -> bool:
    """Tell whether more examples are asked for than prove the point."""
    return bool(pytestconfig.getoption("deep"))


@pytest.fixture(scope="session")
def django_db_setup(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    django_test_environment: None,
    django_db_blocker: DjangoDbBlocker,
) -> Iterator[None]:
    """Give this process a database; in a run of several, one of them migrates for all."""
    process = getattr(request.config, "workerinput", {}).get("workerid")
    shared = tmp_path_factory.getbasetemp().parent
    cache = request.config.cache
    assert cache is not None
    kept = cache.mkdir("migrated")
    if request.config.getoption("nomigrations"):
        connection.settings_dict["TEST"]["MIGRATE"] = False
    with ExitStack() as stack:
        with django_db_blocker.unblock():
            own = (
                copied_database(shared, process=process, kept=kept)
                if process
                else migrated_database(kept)
            )
            stack.enter_context(own)
        yield
        with django_db_blocker.unblock():
            stack.close()


@pytest.fixture(scope="session")
def _own_broker() -> Iterator[str]:
    with runtime_folder() as folder, running_valkey(folder) as url:
        yield url


@pytest.fixture
def broker(_own_broker: str) -> str:
    """Give the address of a real broker, started once, that keeps nothing of an earlier test."""
    with Redis.from_url(_own_broker) as client:
        client.flushall()
    return _own_broker


@pytest.fixture
def patient_fleet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Count workers as alive however long a test takes on a busy machine."""
    monkeypatch.setattr(fleet_models, "_SILENT_AFTER", timedelta(hours=1))


@pytest.fixture(scope="session", autouse=True)
def _cheap_flush() -> Iterator[None]:
    """Let a test that commits leave an empty database, but not a newly prepared one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", lambda case: delete_all_rows())
        yield


@pytest.fixture(scope="session", autouse=True)
def _pages_tell_their_context(django_test_environment: None) -> Iterator[None]:
    """Let `answer.context` be that of the page; Django copies one for each part of it, too."""

    def render(template: Template, context: Context) -> str:
        if context.template is template:
            template_rendered.send(sender=template, template=template, context=context)
        return template.nodelist.render(context)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Template, "_render", render)
        yield


@pytest.fixture(autouse=True)
def _own_programme(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep what is on TV apart from that of other tests, whose matches have the same numbers."""
    monkeypatch.setattr(programme, "_windows", {})
    cache.clear()
    on_air.forget()
    stories._records.cache_clear()


@pytest.fixture(autouse=True)
def _own_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep counts of requests apart from those of other tests."""
    counts = LocalCounts()
    monkeypatch.setattr(throttle, "_counts", lambda url: counts)


@pytest.fixture(autouse=True)
def _no_failures() -> None:
    """Let what fails in one test wait in no other one."""
    bulkheads.forget_failures()
