import subprocess
import sys
from pathlib import Path

import pytest

from pentathlon.local.servers import processes
from pentathlon.local.servers.processes import ServerFailed, last_lines, wait_until_ready


def sleeper() -> subprocess.Popen[bytes]:
    return processes.start([sys.executable, "-c", "import time; time.sleep(600)"])


def test_server_that_takes_too_long_is_reported(tmp_path: Path) -> None:
    process = sleeper()
    try:
        with pytest.raises(ServerFailed, match=r"slow was not ready after 0.1 s"):
            wait_until_ready(
                lambda: False, name="slow", process=process, log=tmp_path / "log", patience_s=0.1
            )
    finally:
        processes.stop(process)


def test_stopped_process_says_how_it_ended() -> None:
    assert processes.stop(sleeper()) == -15


def test_only_the_end_of_a_log_is_shown(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("".join(f"line {number}\n" for number in range(100)))

    assert last_lines(log).splitlines() == [f"line {number}" for number in range(80, 100)]
