"""Starts bots in the sandbox: one launcher for each worker, one process for each bot."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from subprocess import SubprocessError

from pentathlon_engines.match.launcher import BotCommand, Launcher, LaunchFailed, SandboxLevel
from pentathlon_engines.match.limits import Limits
from workers.sandbox.build_tools import build_profile, is_installed, trial_of
from workers.sandbox.errors import HostDiskFull, Layer, LayerMissing
from workers.sandbox.files.memory import MemoryFiles, find_memory
from workers.sandbox.files.runtime import Runtime, find_runtime
from workers.sandbox.files.staging import Inventory, Staging, copy_tree, is_readable_by
from workers.sandbox.isolation.forks.servers import ForkServers
from workers.sandbox.isolation.landlock import LandlockLevel
from workers.sandbox.isolation.launch import LaunchRequest
from workers.sandbox.isolation.namespaces import NamespacesLevel
from workers.sandbox.process import SandboxedBot
from workers.sandbox.profiles import BUILD, BUILD_LIMITS, PROFILES, Profile, profile_of
from workers.sandbox.resources.cgroup_hosts import outlive_bots
from workers.sandbox.resources.cgroups import Cgroups, CgroupUse, Group
from workers.sandbox.resources.rlimits import MEBIBYTE
from workers.sandbox.uids import UidPool

KERNEL_MB = 32
"""Memory that the kernel may hold for a bot besides its own: page tables, pipes, file caches."""
_LONGEST_TRIAL_S = 10.0
_ONE_PROCESS = "Play bots of one process only."

_WITHOUT_NAMESPACES = (
    Layer.IDENTITY, Layer.FILESYSTEM, Layer.SYSCALLS, Layer.RLIMITS, Layer.WATCHDOG
)  # fmt: skip
_LAYERS: dict[SandboxLevel, tuple[Layer, ...]] = {
    SandboxLevel.NAMESPACES: (Layer.NAMESPACES, *_WITHOUT_NAMESPACES),
    SandboxLevel.LANDLOCK: _WITHOUT_NAMESPACES,
}


class SandboxLauncher(Launcher):
    """Starts bots at one sandbox level; the constructor raises `LayerMissing` if that cannot work.

    A bot dies with the thread that started it, so start it from the thread that plays its match. A
    bot inherits the worker's processor affinity and cannot change it.
    """

    def __init__(
        self,
        level: SandboxLevel = SandboxLevel.NAMESPACES,
        *,
        system_python: bool = True,
        cgroups: CgroupUse = CgroupUse.FOR_CHILDREN,
        forks: bool = True,
    ) -> None:
        """Prepare to start bots; `cgroups` says which get a group if the host has groups.

        With `forks`, bots of one process are forks of a warm Python where that is possible.
        """
        self.level = level
        self._use = cgroups
        self.cgroups, self.no_cgroups = _find_cgroups(cgroups)
        outlive_bots()
        with ExitStack() as undo:
            self._uids = UidPool()
            undo.callback(self._uids.close)
            self.staging = Staging()
            undo.callback(self.staging.close)
            self._memory = self._find_memory()
            if self._memory is not None:
                undo.callback(self._memory.close)
            self._system_python = system_python
            self._forks = forks
            self._shown: set[Path] = set()
            self._runtimes: dict[Sequence[str], Runtime] = {}
            self._staged: list[Inventory] = []
            self._undo_level = ExitStack()
            undo.callback(self._undo_level.close)
            self._stage()
            self._undo = undo.pop_all()

    @property
    def layers(self) -> tuple[str, ...]:
        """The names of the layers that isolate bots."""
        held_by = _LAYERS[self.level] + ((Layer.CGROUP,) if self.cgroups else ())
        held_by += (Layer.MEMORY,) if self._memory else ()
        held_by += (Layer.FORK_SERVER,) if self.forks is not None and self.forks.are_used else ()
        return tuple(layer.value for layer in held_by)

    @property
    def forks(self) -> ForkServers | None:
        """The servers of which bots are forks, where there may be some."""
        return self._level.forks

    @property
    def memory(self) -> Path | None:
        """The folder in memory that holds copies of all files that bots see, if there is one."""
        return None if self._memory is None else self._memory.parent

    def start(self, command: BotCommand, *, seat: int, limits: Limits) -> SandboxedBot:
        """Start a bot; raise `LaunchFailed` when the host is to blame."""
        with self._host_to_blame(f"the bot of seat {seat} could not be started"):
            self._check_processes(command)
            profile = profile_of(command)
            return self._start(
                command,
                profile=profile,
                limits=profile.limits(limits),
                children=command.processes > 1,
                seat=seat,
            )

    def start_build(self, command: BotCommand, *, tool: str, limits: Limits) -> SandboxedBot:
        """Start a build, which may have children, in a group if the host has groups.

        `tool` is the program that the build starts with. Without groups its processes are polled,
        which is enough because no opponent waits.
        """
        with self._host_to_blame("a build could not be started"):
            if self.level is not SandboxLevel.NAMESPACES:
                reason = f"a build starts processes, which the level '{self.level}' forbids"
                raise LayerMissing("namespaces", reason=reason, remedy=_ONE_PROCESS)
            return self._start(command, profile=build_profile(tool), limits=limits, children=True)

    def is_complete(self) -> bool:
        """Return whether all staged files are still there; if not, the next start copies them.

        A bot that ended because its Python was removed is not to blame. The check takes some
        milliseconds.
        """
        is_staged = self._has_staging() and all(each.is_complete() for each in self._staged)
        self._is_sound = is_staged and (self._memory is None or self._memory.is_complete())
        return self._is_sound

    def imports_own_build(self, *, compiled: bool) -> bool:
        """Return whether bots get the compiled engines that they ask for."""
        return compiled and bool(self._runtime(()).compiled)

    def can_run(self, runtime: str) -> bool:
        """Try the program of a profile in the sandbox, which takes up to a second."""
        profile = PROFILES[runtime]
        if not profile.is_installed():
            return False
        return self._exits_cleanly(
            lambda folder: self.start(
                BotCommand(folder=folder, argv=profile.trial, language=profile.name),
                seat=0,
                limits=Limits(),
            )
        )

    def can_build_with(self, tool: str) -> bool:
        """Try in the sandbox whether builds can use a tool."""
        if not is_installed(tool):
            return False
        return self._exits_cleanly(
            lambda folder: self.start_build(
                BotCommand(folder=folder, argv=trial_of(tool), language="command"),
                tool=tool,
                limits=BUILD_LIMITS,
            )
        )

    def close(self) -> None:
        """Free the uids and remove the staged files; bots must have been stopped."""
        self._undo.close()

    def _stage(self) -> None:
        """Copy the files that bots need and cannot reach; forget earlier copies."""
        self._staged_in = self.staging.restore()
        self._staged.clear()
        self._runtimes.clear()
        self._undo_level.close()
        self._level: NamespacesLevel | LandlockLevel
        with self._taking_stock():
            if self.level is SandboxLevel.LANDLOCK:
                self._level = LandlockLevel(self.staging)
            else:
                self._level = NamespacesLevel(
                    self.staging, uid=self._uids.server, memory=self._memory, forks=self._forks
                )
        self._undo_level.callback(self._level.close)
        if self._memory is not None:
            self._memory.forget()
        self._runtime(())
        self._is_sound = True

    def _runtime(self, packages: Sequence[str]) -> Runtime:
        """Return the files of bots with these packages; copy those that they cannot reach."""
        if packages not in self._runtimes:
            with self._taking_stock():
                self._runtimes[packages] = find_runtime(
                    self.staging,
                    uid=self._uids.server,
                    system_python=self._system_python,
                    packages=packages,
                )
        return self._runtimes[packages]

    @contextmanager
    def _taking_stock(self) -> Iterator[None]:
        before = set(self._staged_in.iterdir())
        yield
        self._staged.append(Inventory(*set(self._staged_in.iterdir()) - before))

    def _find_memory(self) -> MemoryFiles | None:
        parent = find_memory(self._uids.server)
        if parent is None or self.level is not SandboxLevel.NAMESPACES:
            return None
        return MemoryFiles(parent)

    def _has_staging(self) -> bool:
        return (
            self._is_sound
            and self._staged_in == self.staging.folder
            and (self._staged_in.exists())
        )

    def _start(
        self,
        command: BotCommand,
        *,
        profile: Profile,
        limits: Limits,
        children: bool,
        seat: int = 0,
    ) -> SandboxedBot:
        if not self._has_staging():
            self._stage()
        runtime = self._runtime(profile.packages)
        with ExitStack() as undo:
            uid = self._uids.take()
            undo.callback(self._uids.give_back, uid)
            request = LaunchRequest(
                command=command,
                folder=self._folder(command, uid, undo, is_build=profile.name == BUILD.name),
                uid=uid,
                profile=profile,
                runtime=runtime.with_compiled() if command.compiled else runtime,
                limits=limits,
                children=children,
                group=self._new_group(limits, undo, children=children),
                undo=undo,
                seat=seat,
            )
            bot = self._level.start(request)
            bot.when_stopped(undo.pop_all())
            return bot

    @contextmanager
    def _host_to_blame(self, what: str) -> Iterator[None]:
        try:
            yield
        except LaunchFailed:
            self.is_complete()
            raise
        except (OSError, ValueError, SubprocessError, LayerMissing, HostDiskFull) as error:
            self.is_complete()
            raise LaunchFailed(f"{what}: {error}") from error

    def _folder(self, command: BotCommand, uid: int, undo: ExitStack, *, is_build: bool) -> Path:
        if command.folder in self._shown and not is_build:
            return command.folder
        folder = command.folder.resolve(strict=True)
        memory = None if is_build else self._memory
        is_readable = is_readable_by(folder, uid) and (memory is None or memory.hold(folder))
        # A build's is always copied: `cp` without /proc makes no folder that nobody may write to.
        if is_readable and not is_build:
            if memory is not None:
                # Nobody changes what a private folder holds, and its name never comes again.
                self._shown.add(folder)
            return folder
        staging = self.staging if memory is None else memory.staging
        copy = staging.new_folder(undo) / "bot"
        copy_tree(folder, copy)
        return copy

    def _exits_cleanly(self, start: Callable[[Path], SandboxedBot]) -> bool:
        with ExitStack() as undo:
            folder = self.staging.new_folder(undo)
            folder.chmod(0o755)
            try:
                bot = start(folder)
            except LaunchFailed:
                return False
            bot.wait(_LONGEST_TRIAL_S)
            return bot.stop().exit_status == 0

    def _check_processes(self, command: BotCommand) -> None:
        if command.processes == 1:
            return
        wish = f"the bot wants {command.processes} processes, and"
        if self.level is not SandboxLevel.NAMESPACES:
            reason = f"{wish} at the level '{self.level}' a bot may have only one"
            raise LayerMissing("namespaces", reason=reason, remedy=_ONE_PROCESS)
        if self.no_cgroups is not None:
            reason = f"{wish} {self.no_cgroups.reason}"
            raise LayerMissing("cgroup", reason=reason, remedy=self.no_cgroups.remedy)

    def _new_group(self, limits: Limits, undo: ExitStack, *, children: bool) -> Group | None:
        if self.cgroups is None or not (children or self._use is CgroupUse.ALWAYS):
            return None
        group = self.cgroups.new_group()
        undo.callback(group.remove)
        megabytes = limits.memory_mb + limits.scratch_mb + KERNEL_MB
        group.limit(memory_bytes=megabytes * MEBIBYTE, tasks=limits.tasks)
        return group


def _find_cgroups(use: CgroupUse) -> tuple[Cgroups | None, LayerMissing | None]:
    """Return the groups, or the reason why there are none."""
    if use is CgroupUse.NEVER:
        return None, LayerMissing("cgroup", reason="groups are not wanted", remedy=_ONE_PROCESS)
    try:
        return Cgroups(), None
    except LayerMissing as error:
        return None, error
