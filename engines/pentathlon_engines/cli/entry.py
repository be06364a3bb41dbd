"""Starts the `pentathlon` command, or names the missing packages of the extra `cli`."""

import sys
from importlib import import_module

from pentathlon_engines.cli.failure import HOST_OR_SERVER, INTERRUPTED


def main() -> None:
    """Run the command line; exits with code 3 where the packages of the extra are missing."""
    if sys.platform == "win32":
        sys.stderr.write(
            "The pentathlon command needs Linux: in Windows, run it in WSL. "
            "/docs/systems/ on a site shows how.\n"
        )
        sys.exit(HOST_OR_SERVER)
    try:
        command = import_module("pentathlon_engines.cli.main")
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("pentathlon_engines"):
            raise
        sys.stderr.write(
            f"The pentathlon command needs the package {error.name}, which is not installed.\n"
            'Install pentathlon-engines with its extra "cli": /kit/ on a site shows how.\n'
        )
        sys.exit(HOST_OR_SERVER)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    command.main()
