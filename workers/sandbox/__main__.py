"""`python -m workers.sandbox` shows how this host can isolate an untrusted bot."""

from __future__ import annotations

import argparse
import json
import sys

from pentathlon_engines.match.launcher import SandboxLevel
from workers.sandbox.report import probe_down_to, table


def main() -> int:
    """Print the findings; the status is 1 where a worker of that level would not start."""
    options = _options()
    probes = probe_down_to(SandboxLevel(options.least))
    if options.json:
        sys.stdout.write(json.dumps([each.to_json() for each in probes], indent=2) + "\n")
    else:
        sys.stdout.write("\n".join(table(each) for each in probes))
    return 1 if probes[-1].missing else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m workers.sandbox", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--least",
        choices=[SandboxLevel.NAMESPACES.value, SandboxLevel.LANDLOCK.value],
        default=SandboxLevel.NAMESPACES.value,
        help="the weakest acceptable level (default: %(default)s)",
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
