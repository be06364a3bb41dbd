"""`bench match` with servers and a worker of its own: `python3 manage.py test benchmark`.

The usual run measures with a worker in its own process, in test_benchmark.py.
"""

import json
import subprocess
import sys

from pentathlon.env import CHECKOUT
from tools.benchmark.costs import PARTS


def test_matches_are_measured_through_a_worker_and_a_broker() -> None:
    command = [sys.executable, "manage.py", "bench", "match", "tuned"]
    ended = subprocess.run(
        [*command, "--matches", "2", "--alone", "--json"],
        cwd=CHECKOUT, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert ended.returncode in (0, 1), ended.stderr
    rows = json.loads(ended.stdout)
    assert set(PARTS) < rows.keys()
    assert rows["whole match"]["tuned"]["measured"] > 0
    assert rows["replay bytes, median"]["tuned"]["measured"] > 0
