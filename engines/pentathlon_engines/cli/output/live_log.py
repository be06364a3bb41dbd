"""What bots write to standard error, shown as it comes, with ply and seat beside it."""

import sys

from pentathlon_engines.match.traces import printable


class LiveLog:
    """Shows whole lines; of the rest of a line, it waits for the end."""

    def __init__(self) -> None:
        self._stream = sys.stderr  # a bot that runs in this process has another
        self._rests: dict[int, bytes] = {}

    def take(self, seat: int, ply: int, data: bytes) -> None:
        """Show what a bot has written."""
        *lines, self._rests[seat] = (self._rests.get(seat, b"") + data).split(b"\n")
        for line in lines:
            self.tell(f"ply {ply}, seat {seat} | {line.decode(errors='replace')}")

    def tell(self, text: str) -> None:
        """Show a line of ours."""
        self._stream.write(f"{printable(text)}\n")
        self._stream.flush()
