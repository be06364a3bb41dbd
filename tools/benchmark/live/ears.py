"""Everybody who listens to a match, as browsers do: over packed streams."""

from __future__ import annotations

import asyncio
import re
import threading
import time
import zlib
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

HOST: Final = "127.0.0.1"
_ID: Final = re.compile(rb"id: \d+-(\d+)\n")
_LONGEST: Final = 200_000
"""How many bytes of an unfinished message are kept."""


@dataclass
class Ears:
    """Everybody who listens, in an event loop and a thread of their own."""

    port: int
    match: int
    count: int
    heard: list[tuple[int, float]] = field(default_factory=list)
    """The ply and the time of every message that reached a listener."""
    size: int = 0
    connected: int = 0
    is_over: threading.Event = field(default_factory=threading.Event)

    def start(self) -> threading.Thread:
        """Start the thread in which all listeners connect."""
        thread = threading.Thread(target=lambda: asyncio.run(self._listen()), daemon=True)
        thread.start()
        return thread

    async def _listen(self) -> None:
        tasks = [asyncio.create_task(self._one()) for _ in range(self.count)]
        while not self.is_over.is_set():  # noqa: ASYNC110  set by another thread
            await asyncio.sleep(0.05)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _one(self) -> None:
        reader, writer = await asyncio.open_connection(HOST, self.port)
        head = f"GET /live/matches/{self.match}/ HTTP/1.1\r\nHost: localhost\r\n"
        writer.write(f"{head}Accept-Encoding: gzip\r\n\r\n".encode())
        try:
            status = await reader.readuntil(b"\r\n\r\n")
            if not status.startswith(b"HTTP/1.1 200"):
                raise ConnectionError(status.decode())
            self.connected += 1
            unpack = zlib.decompressobj(wbits=31)
            text = b""
            while (length := int(await reader.readline() or b"0", 16)) > 0:
                data = (await reader.readexactly(length + 2))[:-2]
                now = time.monotonic()
                self.size += length
                text = (text + unpack.decompress(data))[-_LONGEST:]
                found = _ID.findall(text)
                if found:
                    self.heard.append((int(found[-1]), now))
                    text = b""
        finally:
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()
