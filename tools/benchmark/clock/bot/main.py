"""Uses up time as its arguments say: rest, burn, threads, spin, sleep, mix SHARE MILLISECONDS."""

import json
import sys
import threading
import time
from typing import Any

HOW, *NUMBERS = sys.argv[1:]


def say(message: dict[str, str]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def run(seconds: float) -> None:
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def burn_together(seconds: float) -> None:
    """Run in four threads, which hand the interpreter to each other."""
    end = time.process_time() + seconds

    def share() -> None:
        while time.process_time() < end:
            pass

    threads = [threading.Thread(target=share) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def mix(share: float, nap_ms: float) -> None:
    """Sleep a share of the time, in naps; report the time asleep and the CPU time so far."""
    nap_s, slept_s, told, began = nap_ms / 1000, 0.0, 0.0, time.process_time()
    while True:
        time.sleep(nap_s)
        slept_s += nap_s
        run(nap_s * (1 - share) / share)
        if slept_s > told + 0.01:
            told = slept_s
            sys.stderr.write(f"{slept_s:.3f} {time.process_time() - began:.3f}\n")
            sys.stderr.flush()


def choose(ask: dict[str, Any]) -> str:  # Any: JSON
    if HOW == "burn":
        run(0.8 * ask["clock"]["cpu_left_ms"] / 1000)
    elif HOW == "threads":
        burn_together(0.8 * ask["clock"]["cpu_left_ms"] / 1000)
    elif HOW == "spin":
        run(1e9)
    elif HOW == "sleep":
        time.sleep(1e6)
    elif HOW == "mix":
        mix(*map(float, NUMBERS))
    action: str = ask["legal"][0]
    return action


sys.stdin.readline()
say({"type": "ready"})
for line in sys.stdin:
    ask = json.loads(line)
    if ask["type"] == "end":
        break
    say({"action": choose(ask)})
