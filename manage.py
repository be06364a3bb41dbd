#!/usr/bin/env python3
"""Run Pentathlon: `python3 manage.py up`, `python3 manage.py test`, or any Django command."""

import os
import sys

if sys.version_info < (3, 11):
    sys.exit(
        "Pentathlon needs Python 3.11 or newer; this is Python %d.%d. "
        "Run it with a newer one, for example: python3.12 manage.py up" % sys.version_info[:2]
    )

from pathlib import Path

ROOT = Path(__file__).resolve().parent
sys.path[:0] = [str(ROOT), str(ROOT / "platform")]
sys.path.append(str(ROOT / "engines"))  # the last place: PYTHONPATH may name compiled ones


def main() -> None:
    """Run the command; a setting that makes no sense ends it with a sentence."""
    from pentathlon.env import BadEnvironment

    try:
        _run()
    except BadEnvironment as error:
        sys.exit(f"{error.code}: {error}")


def _run() -> None:
    """Make sure of the environment, then let Django run the command."""
    from pentathlon.local.environment.bootstrap import enter

    enter(ROOT, sys.argv[1:])

    from django.core.management import execute_from_command_line
    from django.db import DatabaseError, InterfaceError

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "pentathlon.settings")
    try:
        execute_from_command_line(sys.argv)
    except KeyboardInterrupt:
        sys.exit(130)
    except (DatabaseError, InterfaceError) as error:
        from pentathlon.core.schema import explain_failure

        reason = explain_failure(error)
        if reason is None:
            raise
        sys.exit(reason)


if __name__ == "__main__":
    main()
