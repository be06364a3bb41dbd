"""The network between a worker and the server: a process that carries their data, or fails to.

It is a process of its own, so that it goes on while the run waits. It takes orders on a socket.
"""

import argparse
import asyncio
import socket
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Final

from pentathlon.local.supervisor import Service
from tools.chaos.crew import CrewRole

_CHUNK: Final = 64 * 1024
_HOST: Final = "127.0.0.1"
_SLOW_S: Final = 1.5
"""The delay of each piece on a slow network."""
_ANSWER_S: Final = 10.0


class Condition(StrEnum):
    """Conditions of a network."""

    WHOLE = "whole"
    CUT = "cut"
    """Open connections are reset, and new ones at once."""
    SLOW = "slow"
    """Every piece arrives late."""
    LOSES_REQUESTS = "loses requests"
    """Connections stay open, but nothing that the worker sends arrives."""
    LOSES_ANSWERS = "loses answers"
    """The server receives and does what the worker asks; the worker never learns of it."""


@dataclass(slots=True, eq=False)
class Network:
    """The handle of a network's process, through which its condition is changed."""

    port: int
    """The port at which the worker finds the server."""
    server_port: int
    orders: Path

    @property
    def name(self) -> str:
        """The name that distinguishes this network from others."""
        return f"network {self.port}"

    def service(self) -> Service:
        """Return the process to run."""
        return Service(
            name=CrewRole.NETWORK,
            command=[
                *(sys.executable, "-m", "tools.chaos.network", "--port", str(self.port)),
                *("--server-port", str(self.server_port), "--orders", self.orders),
            ],
            vital=True,
        )

    def become(self, condition: Condition) -> None:
        """Change the condition of the network; return when it has changed.

        A connection that has lost something stays silent when the network is whole again, as on a
        real network: both ends must notice by themselves.

        Raises:
            OSError: the process does not answer.
        """
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(_ANSWER_S)
            line.connect(str(self.orders))
            line.sendall(f"{condition.value}\n".encode())
            if not line.recv(1):
                raise ConnectionError("The network did not hear its order.")


@dataclass(slots=True, eq=False)
class _Carrier:
    """All connections of one network."""

    server_port: int
    condition: Condition = Condition.WHOLE
    open_ones: set[asyncio.StreamWriter] = field(default_factory=set)

    async def hear(self, orders: asyncio.StreamReader, answer: asyncio.StreamWriter) -> None:
        """Take one order."""
        self.condition = Condition((await orders.readline()).decode().strip())
        if self.condition is Condition.CUT:
            for writer in self.open_ones:
                writer.transport.abort()
        answer.write(b"1")
        await answer.drain()
        answer.close()

    async def carry(self, worker: asyncio.StreamReader, to_worker: asyncio.StreamWriter) -> None:
        """Carry one connection to its end."""
        if self.condition is Condition.CUT:
            to_worker.transport.abort()
            return
        try:
            server, to_server = await asyncio.open_connection(_HOST, self.server_port)
        except OSError:
            to_worker.transport.abort()
            return
        both = {to_worker, to_server}
        self.open_ones |= both
        try:
            await asyncio.gather(
                self._pump(worker, to_server, lost_in=Condition.LOSES_REQUESTS),
                self._pump(server, to_worker, lost_in=Condition.LOSES_ANSWERS),
            )
        finally:
            self.open_ones -= both
            for writer in both:
                writer.transport.abort()

    async def _pump(
        self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, *, lost_in: Condition
    ) -> None:
        is_dead = False
        with suppress(OSError):
            while piece := await source.read(_CHUNK):
                if self.condition is Condition.SLOW:
                    await asyncio.sleep(_SLOW_S)
                is_dead = is_dead or self.condition is lost_in
                if not is_dead:
                    sink.write(piece)
                    await sink.drain()
            if not is_dead and sink.can_write_eof():
                sink.write_eof()


async def _run(port: int, server_port: int, orders: Path) -> None:
    carrier = _Carrier(server_port)
    control = await asyncio.start_unix_server(carrier.hear, orders)
    line = await asyncio.start_server(carrier.carry, _HOST, port)
    async with control, line:
        await line.serve_forever()


def main() -> None:
    """Carry connections until a signal comes."""
    parser = argparse.ArgumentParser()
    for name in ("--port", "--server-port"):
        parser.add_argument(name, type=int, required=True)
    parser.add_argument("--orders", type=Path, required=True)
    options = parser.parse_args()
    # A network that was killed leaves its socket behind.
    options.orders.unlink(missing_ok=True)
    asyncio.run(_run(options.port, options.server_port, options.orders))


if __name__ == "__main__":
    main()
