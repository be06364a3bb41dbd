"""All that a Python bot needs: write `choose`, and pass it to `play`.

```python
from pentathlon_engines.bot import Turn, play

def choose(turn: Turn) -> str:
    return turn.rng.choice(turn.legal)

play(choose)
```

Start-up is most of a short match, so this module imports next to nothing; `rng` and `state()`
import what they need when you first use them. `play` keeps standard output for the protocol:
whatever is printed, by libraries too, goes to the log; the referee moves what was printed before.
"""

from __future__ import annotations

import os
import sys
import time

from pentathlon_engines import light_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random
    from typing import Any, BinaryIO

    from pentathlon_engines.contract.game import State


class Turn:
    """One request for an action, and the facts of the match around it."""

    def __init__(self, hello: dict[str, Any]) -> None:
        self.game: str = hello["game"]
        self.rules: int = hello["rules"]
        self.seat: int = hello["seat"]
        self.seats: int = hello["seats"]
        self.options: dict[str, Any] = hello["options"]
        self.limits: dict[str, float] = hello["limits"]
        self.match: str = hello["match"]
        self.parameters: dict[str, Any] = hello.get("parameters", {})
        """The values of the parameters in `bot.toml`."""
        self.dice: str = hello["dice"]
        """64 bits as hexadecimal that no other seat knows, from which `rng` draws."""
        self.ply = 0
        self.events: list[tuple[int, str]] = []
        """The seat and text of each event since your last action; that action comes first."""
        self.observation: dict[str, Any] = {}
        self.legal: list[str] = []
        self.clock: dict[str, int] = {}
        self.note = ""
        """A short text for the owner of the bot, sent with the action."""
        self._started_s = 0.0
        self._rng: Random | None = None

    @property
    def rng(self) -> Random:
        """A generator seeded by `dice`: no opponent foresees it, and a rerun draws the same."""
        if self._rng is None:
            import random  # noqa: PLC0415  # doubles the start-up time of a bot

            self._rng = random.Random(self.dice)
        return self._rng

    def state(self) -> State:
        """Return the position as a state to search in.

        Its hidden parts are arbitrary; `determinize` draws them from those that are possible.
        """
        from pentathlon_engines import GAMES  # noqa: PLC0415  # not every bot needs the rules

        return GAMES[self.game].load(self.observation)

    def used_ms(self) -> float:
        """Return the CPU milliseconds spent on this action so far."""
        return 1000 * (time.process_time() - self._started_s)

    def begin(self, message: dict[str, Any]) -> None:
        """Take over the fields of an `act` message."""
        self._started_s = time.process_time()
        self.ply = message["ply"]
        self.events = message["events"]
        self.observation = message["observation"]
        self.legal = message["legal"]
        self.clock = message["clock"]
        self.note = ""


def play(choose: Callable[[Turn], str]) -> None:
    """Play one match: answer every request with the action that `choose` returns."""
    serve(choose, sys.stdin.buffer, _keep_stdout())
    sys.stderr.flush()
    os._exit(0)  # the interpreter's own exit would take some milliseconds more


def serve(choose: Callable[[Turn], str], requests: BinaryIO, answers: int) -> None:
    """Play one match with the requests in a file; answers go to a descriptor."""
    turn = Turn(light_json.loads(requests.readline()))
    _answer(answers, {"type": "ready"})
    for line in requests:
        message = light_json.loads(line)
        if message["type"] == "act":
            turn.begin(message)
            action = choose(turn)
            reply = {"action": action, "note": turn.note} if turn.note else {"action": action}
            _answer(answers, reply)
        elif message["type"] == "end":
            break


def _keep_stdout() -> int:
    """Return a descriptor of standard output for answers alone; prints go to standard error."""
    answers = os.dup(1)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return answers


def _answer(answers: int, message: dict[str, str]) -> None:
    os.write(answers, light_json.dumps(message).encode() + b"\n")
