"""A clock that can be set: a preloaded library moves that of the machine for some processes.

All processes of a run are on this clock, its database too, as they are on that of one machine.
Without a C compiler there is none, and the clock is not struck.
"""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_SOURCE: Final = Path(__file__).with_name("clock.c")
_BYTES: Final = 8


@dataclass(frozen=True, slots=True)
class Clock:
    """The clock of a run, in its folder."""

    folder: Path

    def make(self) -> bool:
        """Build the library; return False where there is no compiler."""
        compiler = shutil.which("cc")
        if compiler is None:
            return False
        subprocess.run([compiler, "-shared", "-fPIC", "-o", self._library, _SOURCE], check=True)
        self._file.write_bytes(bytes(_BYTES))
        return True

    @property
    def environment(self) -> dict[str, str]:
        """The variables that put a process and its children on this clock."""
        if not self._library.exists():
            return {}
        return {"LD_PRELOAD": str(self._library), "PENTATHLON_CHAOS_CLOCK": str(self._file)}

    def move(self, seconds: int) -> bool:
        """Move it, back if negative, for everybody at once; return False if there is none."""
        if not self._library.exists():
            return False
        moved_s = int.from_bytes(self._file.read_bytes(), "little", signed=True) + seconds
        # In place: the processes have the file in memory.
        with self._file.open("r+b") as file:
            file.write(moved_s.to_bytes(_BYTES, "little", signed=True))
        return True

    @property
    def _library(self) -> Path:
        return self.folder / "clock.so"

    @property
    def _file(self) -> Path:
        return self.folder / "clock"
