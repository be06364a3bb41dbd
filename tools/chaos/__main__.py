"""Runs one trial in the environment that `python3 manage.py chaos` has prepared."""

from __future__ import annotations

import argparse
import json
import signal
import sys
from pathlib import Path

import django
from rich.console import Console

django.setup()

# Models exist only from here on.
from pentathlon.local.servers.processes import ServerFailed  # noqa: E402
from tools.chaos.report import table_of  # noqa: E402
from tools.chaos.run import Wish, run  # noqa: E402


def main() -> int:
    """Print the account; return 1 if anything was lost, doubled or different."""
    signal.signal(signal.SIGTERM, _end_orderly)
    options = _options()
    as_json = options.__dict__.pop("json")
    with Console(stderr=True).status("starting") as status:
        report = run(Wish(**vars(options)), show=status.update)
    if as_json:
        sys.stdout.write(json.dumps(report.to_json(), indent=2) + "\n")
    else:
        Console().print(table_of(report))
    return 0 if report.is_sound else 1


def _end_orderly(number: int, frame: object) -> None:
    """Stop everything that was started, as at the end of a run."""
    sys.exit(128 + number)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    for name in ("matches", "faults", "seed", "workers", "slots", "standalone", "taking"):
        parser.add_argument(f"--{name}", type=int, required=True)
    parser.add_argument("--game", required=True)
    for name in ("folder", "logs"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--postgres", action="store_true")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    try:
        sys.exit(main())
    except ServerFailed as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        sys.exit(130)
