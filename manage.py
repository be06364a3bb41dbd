#!/usr/bin/env python3
"""Run Pentathlon: `python3 manage.py up`, `python3 manage.py test`, or any Django command."""

import os
import sys

if sys.version_info < (3, 11):
    sys.exit(
        "Pentathlon needs Python 3.11 or newer; this is Python %d.%d. "
        "Run it with a newer one, for example: python3.12 manage.py up" % sys.version_info[:2]
    )

ROOT = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [ROOT, os.path.join(ROOT, "platform"), os.path.join(ROOT, "engines")]


def main() -> None:
    """Make sure of the environment, then let Django run the command."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "pentathlon.settings")
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
