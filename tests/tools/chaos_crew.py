"""A crew of one paused worker that waits to be killed; prints the worker's process id."""

import signal
import sys
from pathlib import Path

from pentathlon.local.supervisor import Service
from tools.chaos.crew import Crew, CrewRole


def main() -> None:
    """Start the worker, which does nothing, and stop it in its tracks."""
    service = Service(name=CrewRole.WORKER, command=["sleep", "60"])
    crew = Crew([service], workers=1, logs=Path(sys.argv[1]))
    crew.tend()
    (worker,) = crew.members
    worker.pause()
    sys.stdout.write(f"{worker.pid}\n")
    sys.stdout.flush()
    signal.pause()


if __name__ == "__main__":
    main()
