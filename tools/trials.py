"""Trials: processes of their own that measure, each on a platform that no other process uses."""

import subprocess
import sys
from pathlib import Path

from pentathlon.env import CHECKOUT, IMPORT_PATH, child_environment


def trial_environment(folder: Path, **changes: str) -> dict[str, str]:
    """Return variables for a platform whose data and, unless changed, database are in `folder`.

    The process that gets the variables reads them once, at its start. Only errors are logged.
    """
    variables = {
        "DJANGO_SETTINGS_MODULE": "pentathlon.settings",
        "DATABASE_URL": f"sqlite:///{folder}/trial.sqlite3",
        "PENTATHLON_DATA": str(folder / "data"),
        "PENTATHLON_LOG_LEVEL": "ERROR",
        "PYTHONPATH": IMPORT_PATH,
    }
    return child_environment(**{**variables, **changes})


def run_trial(module: str, *arguments: str, environment: dict[str, str]) -> bool:
    """Run a module of ours to its end; return whether it met all its demands."""
    command = [sys.executable, "-m", module, *arguments]
    return not subprocess.run(command, cwd=CHECKOUT, env=environment, check=False).returncode
