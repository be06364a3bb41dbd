"""What workers can play, and what a match requires of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from django.conf import settings

from pentathlon.core.statements import Read
from pentathlon.fleet.announcements import Announcement, Work, build_tool_of
from pentathlon.fleet.models import Worker, WorkerToken
from pentathlon_engines.builds import is_compiled_build
from pentathlon_engines.match.launcher import SandboxLevel

NO_TOKEN: Final = 0
"""The party of all workers that use the database directly."""
_WORKERS: Final = Read(lambda: Worker.objects.alive().with_doubts())
_STRENGTH: Final = {
    SandboxLevel.PROCESS: 0,
    SandboxLevel.LANDLOCK: 1,
    SandboxLevel.NAMESPACES: 2,
}
_WORK: Final = {
    Work.RATED: "rated matches",
    Work.UNRATED: "unrated matches",
    Work.BUILDS: "building uploads",
    Work.ANALYSES: "win-chance curves",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirements:
    """The requirements of a match on its worker."""

    game: str
    rules_version: int
    runtimes: frozenset[str]
    """The languages of its bots, and the build tools of those that are not built yet."""
    sandbox: SandboxLevel
    """The weakest level that this installation accepts."""
    cgroup: bool
    """Whether a bot wants more than one process, which only a cgroup can count."""
    work: Work | None = None
    """The kind of work that its worker must be trusted with; None where that is not known."""
    reserved_for: int | None = None
    """The only party that may play it, or None; see `Capabilities.party`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """The kinds of matches that a worker can play."""

    games: frozenset[tuple[str, int]]
    """The keys of games, each with the version of its rules."""
    runtimes: frozenset[str]
    sandbox: SandboxLevel
    cgroup: bool
    untried: frozenset[str] = frozenset()
    """Runtimes that it is still testing and may have in a moment."""
    work: frozenset[str] = frozenset(Work)
    """The kinds of work that it is trusted with."""
    shows_compiled: bool = False
    """Whether bots can get compiled engines there."""
    party: int = NO_TOKEN
    """Whose machine it is: the id of the token by which it works here, or `NO_TOKEN`."""

    @classmethod
    def of(cls, worker: Worker | Announcement) -> Capabilities:
        """Return the capabilities that a worker has announced."""
        trusted = worker.work if isinstance(worker, Worker) else ()
        return cls(
            games=frozenset(worker.games.items()),
            runtimes=frozenset(worker.runtimes),
            sandbox=SandboxLevel(worker.sandbox),
            cgroup=any(
                (found["layer"], found["state"]) == ("cgroup", "ok") for found in worker.layers
            ),
            untried=frozenset(worker.untried),
            work=frozenset(trusted or Work),
            shows_compiled=is_compiled_build(worker.version),
            party=(worker.token_id if isinstance(worker, Worker) else None) or NO_TOKEN,
        )

    def by_token(self, token: WorkerToken) -> Capabilities:
        """Return these capabilities, limited to what a token allows."""
        return replace(self, work=frozenset(token.work), party=token.pk)

    @property
    def is_trusted_with_all(self) -> bool:
        """Whether it may do every kind of work; only such workers take hints from the queue."""
        return self.work >= set(Work)

    def satisfies(self, requirements: Requirements) -> bool:
        """Return whether this worker can play a match with these requirements."""
        return not any(self.missing(requirements))

    def missing(self, requirements: Requirements) -> Iterator[tuple[str, str]]:
        """Yield what this worker lacks, as a code and words that follow "no worker"."""
        if (requirements.game, requirements.rules_version) not in self.games:
            yield (
                "no_worker_for_game",
                f"plays {requirements.game} by version {requirements.rules_version} of its rules",
            )
        for runtime in sorted(requirements.runtimes - self.runtimes):
            tool = build_tool_of(runtime)
            if tool:
                yield "no_worker_for_build", f"builds with {tool}"
            else:
                yield "no_worker_for_runtime", f"offers the runtime {runtime}"
        if _STRENGTH[self.sandbox] < _STRENGTH[requirements.sandbox]:
            yield "no_worker_for_sandbox", f"has the sandbox level {requirements.sandbox}"
        if requirements.work is not None and requirements.work not in self.work:
            yield "no_worker_for_work", f"is trusted with {_WORK[requirements.work]}"
        if requirements.reserved_for not in (None, self.party):
            yield "reserved", "is the one that it is reserved for"
        if requirements.cgroup and not self.cgroup:
            yield "no_worker_for_processes", "has a cgroup, which bots of many processes need"


@dataclass(frozen=True, slots=True)
class Fleet:
    """The workers that are alive, for planning."""

    slots: int
    held_slots: int
    """Slots that take no matches for now, because their hosts are short of CPU time."""
    capabilities: tuple[Capabilities, ...]
    doubtful_slots: int = 0
    """Further slots, of tokens that have long finished none of the work that there was. They get
    hints, so that they can prove themselves, and count for no plan."""

    @property
    def reads_queue(self) -> bool:
        """Return whether any worker takes hints from the queue."""
        return any(each.is_trusted_with_all for each in self.capabilities)

    @property
    def runtimes(self) -> set[str]:
        """Return the languages and build tools that any worker has."""
        return {runtime for each in self.capabilities for runtime in each.runtimes}

    @property
    def languages(self) -> list[str]:
        """Return the languages that any worker runs bots in."""
        return sorted(name for name in self.runtimes if not build_tool_of(name))

    @property
    def build_tools(self) -> list[str]:
        """Return the tools that any worker runs builds with."""
        return sorted(tool for tool in map(build_tool_of, self.runtimes) if tool)

    @property
    def untried(self) -> list[str]:
        """Return the runtimes, without prefixes, that no worker has but some are still testing."""
        tried = {name for each in self.capabilities for name in each.untried} - self.runtimes
        return sorted({build_tool_of(name) or name for name in tried})

    def may_have(self, runtimes: frozenset[str]) -> bool:
        """Return whether a worker has all of these runtimes, or is still testing the missing ones.

        The answer is yes as long as no worker is alive, because nobody can know.
        """
        return not self.capabilities or any(
            runtimes <= each.runtimes | each.untried for each in self.capabilities
        )

    def satisfies(self, requirements: Requirements) -> bool:
        """Return whether any worker can play a match with these requirements."""
        return any(each.satisfies(requirements) for each in self.capabilities)

    def missing(self, requirements: Requirements) -> tuple[str, str] | None:
        """Return why no worker can play such a match, as code and sentence; None if one can."""
        if not self.capabilities:
            return "no_worker", "No worker is alive."
        shortcomings = [list(each.missing(requirements)) for each in self.capabilities]
        if not all(shortcomings):
            return None
        shared = [lack for lack in shortcomings[0] if all(lack in each for each in shortcomings)]
        if shared:
            code, words = shared[0]
            return code, f"No worker {words}."
        return "no_worker_for_all", "Each worker lacks something that this match needs."


def read_fleet() -> Fleet:
    """Return the workers that are alive now."""
    workers = _WORKERS()
    counted = [worker for worker in workers if not worker.is_fruitless]
    slots = _as_allowed((worker.token, worker.slots) for worker in counted)
    every = _as_allowed((worker.token, worker.slots) for worker in workers)
    held = _as_allowed((worker.token, min(worker.slots, worker.held_slots)) for worker in counted)
    return Fleet(
        slots=slots,
        held_slots=held,
        capabilities=tuple(dict.fromkeys(map(Capabilities.of, workers))),
        doubtful_slots=every - slots,
    )


def _as_allowed(announcements: Iterable[tuple[WorkerToken | None, int]]) -> int:
    """Add up the slots that workers announce, those of each token as far as it allows them."""
    announced: Counter[WorkerToken | None] = Counter()
    for token, slots in announcements:
        announced[token] += slots
    return sum(
        slots if token is None else min(token.slots, slots) for token, slots in announced.items()
    )


def least_sandbox() -> SandboxLevel:
    """Return the weakest sandbox level in which this installation runs bots."""
    default = SandboxLevel.NAMESPACES if settings.PRODUCTION else SandboxLevel.LANDLOCK
    return SandboxLevel(settings.SANDBOX_LEVEL or default)
