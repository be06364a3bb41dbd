"""Builds an uploaded bot before its first match, and stores the result for all workers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pentathlon.bots.archives import read_built
from pentathlon.bots.bad_archive import BadArchive
from pentathlon.bots.models import BotVersion
from pentathlon.bots.services import keep_build
from pentathlon.matches.jobs import SeatJob
from pentathlon_engines.manifest import read_manifest
from pentathlon_engines.match.launcher import Launcher, LaunchFailed
from workers.sandbox.build import BuildFailed, build
from workers.sandbox.launcher import SandboxLauncher


class BuildRefused(Exception):
    """An upload that cannot be built, through its own fault."""

    code = "build_failed"

    def __init__(self, reason: str, *, version_id: int, log: str) -> None:
        super().__init__(reason)
        self.version_id = version_id
        self.log = log


def build_version(
    seat: SeatJob, folder: Path, *, launcher: Launcher, on_tick: Callable[[], None]
) -> str:
    """Build the bot of a seat from its folder, unless another worker has built it meanwhile.

    Returns the content hash of the files to run.

    Raises:
        BuildRefused: the bot cannot be built.
        LaunchFailed: this host cannot build it.
    """
    version = BotVersion.objects.only("built", "archive", "manifest").get(pk=seat.version_id)
    if version.files_hash:
        return version.files_hash
    if not isinstance(launcher, SandboxLauncher):
        raise LaunchFailed(f"{seat.name} must be built, and that needs a sandbox")
    manifest = read_manifest(folder)
    made = build(folder, manifest, launcher=launcher, on_tick=on_tick)
    if isinstance(made, BuildFailed):
        raise BuildRefused(made.reason, version_id=seat.version_id, log=made.log)
    try:
        built = read_built(made.archive, manifest)
    except BadArchive as error:
        raise BuildRefused(str(error), version_id=seat.version_id, log=made.log) from error
    return keep_build(version_id=seat.version_id, built=built)
