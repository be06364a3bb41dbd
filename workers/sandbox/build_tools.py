"""Build tools in the sandbox: what they need, and how to test them, as data."""

from __future__ import annotations

import shlex
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Final

from pentathlon_engines.match.launcher import BOT_PATH
from workers.sandbox.profiles import BUILD, Profile

_COMPILE: Final = "echo 'int main(void) { return 0; }' | {tool} -x {language} -o $TMPDIR/out -"
# These try more than "--version", as a compiler may lack a library or headers. They are cheap,
# because matches are played meanwhile.
_TRIALS: Final = {
    **dict.fromkeys(("cc", "gcc", "clang"), _COMPILE.replace("{language}", "c")),
    **dict.fromkeys(("c++", "g++", "clang++"), _COMPILE.replace("{language}", "c++")),
    "make": "make -f /dev/null --eval 'all:; @true'",
    "rustc": "rustc --print sysroot",
    "cargo": "cargo --version && rustc --print sysroot",
    "go": "go version",
}

_RUST: Final = replace(BUILD, seen_by_itself="rustc")
_GO: Final = replace(BUILD, seen_by_itself="go")
# Debian's Go finds its library from its own place since 1.21, and Rust its compiler.
_PROFILES: Final = {"rustc": _RUST, "cargo": _RUST, "go": _GO}
GO_LIBRARY: Final = Path("/usr/lib/go-library")
"""Go's standard library, compiled, in the form of its cache: the worker's image has it. Without
it each build compiles what the bot imports, in 18 s of CPU instead of 0.4 s."""


def is_installed(tool: str) -> bool:
    """Return whether a tool is on the path of builds."""
    return shutil.which(tool, path=BOT_PATH) is not None


def trial_of(tool: str) -> list[str]:
    """Return a command that exits with 0 where builds can use a tool."""
    script = _TRIALS.get(tool, "{tool} --version").replace("{tool}", shlex.quote(tool))
    return ["/bin/sh", "-c", script]


def build_profile(tool: str) -> Profile:
    """Return the profile of a build that starts with this tool."""
    name = Path(tool).name
    if name == "go" and GO_LIBRARY.is_dir():
        # Go cannot write there, and builds all the same.
        return replace(_GO, environment={**_GO.environment, "GOCACHE": str(GO_LIBRARY)})
    return _PROFILES.get(name, BUILD)
