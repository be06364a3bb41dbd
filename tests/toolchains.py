"""The languages of bots that this machine can build and run, from the list that CI installs."""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from pentathlon_engines.match.launcher import BOT_PATH

LIST = Path(__file__).resolve().parents[1] / "workers/toolchains.txt"


@dataclass(frozen=True, slots=True, kw_only=True)
class Toolchain:
    """What bots in one language need on a machine."""

    programs: tuple[str, ...]
    packages: tuple[str, ...]
    """The Debian packages that contain the programs."""

    def missing(self) -> list[str]:
        """Return the programs that are not where bots and builds look for them."""
        return [name for name in self.programs if shutil.which(name, path=BOT_PATH) is None]


def read_toolchains(path: Path = LIST) -> dict[str, Toolchain]:
    """Return the list by language."""
    lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    rows = (line.split(":") for line in lines)
    return {
        language: Toolchain(programs=tuple(programs.split()), packages=tuple(packages.split()))
        for language, programs, packages in rows
    }


TOOLCHAINS = read_toolchains()


class _Demand:
    """Whether a missing toolchain fails a test instead of skipping it."""

    is_made = os.environ.get("CI") == "true"


def demand_toolchains() -> None:
    """Let every test fail that lacks a toolchain."""
    _Demand.is_made = True


def need(language: str) -> None:
    """Skip a test, or fail it where toolchains are demanded, if a language cannot be built here.

    The reason names the language, the programs that were not found, and the packages with them.
    """
    toolchain = TOOLCHAINS.get(language)
    missing = toolchain.missing() if toolchain else []
    if not toolchain or not missing:
        return
    reason = (
        f"no toolchain for {language}: {', '.join(missing)} not found in {BOT_PATH}; the Debian "
        f"packages {' '.join(toolchain.packages)} have what it needs"
    )
    if _Demand.is_made:
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)
