"""Many uploads at once through the API, each of a new bot."""

from __future__ import annotations

import io
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from http.client import HTTPConnection
from zipfile import ZipFile

from urllib3 import encode_multipart_formdata

from pentathlon.accounts.models import Scope, User
from pentathlon.accounts.services import create_token
from pentathlon.core.server.limits import MOST_VALIDATING
from pentathlon_engines.manifest import built_in_bots
from tools.benchmark.load.callers import CLIENTS, Latencies, at_once, send
from tools.benchmark.load.data import GAME
from tools.benchmark.load.sites import HOST

_PATIENCE_S = 300


def upload_bots(port: int, numbers: range) -> tuple[Latencies, float]:
    """Upload bots with these numbers, by as many authors as needed; return the times.

    The second figure is the seconds that all of them took together.
    """
    uploads = [*_uploads(numbers)]
    shares = [uploads[client::CLIENTS] for client in range(CLIENTS)]

    def upload(share: Sequence[tuple[str, bytes]]) -> list[float]:
        with closing(HTTPConnection(HOST, port, timeout=_PATIENCE_S)) as line:
            return [_upload(line, token, archive) for token, archive in share]

    started = time.perf_counter()
    parts = at_once([share for share in shares if share], upload)
    took = time.perf_counter() - started
    return Latencies([each for part in parts for each in part]), took


def _upload(line: HTTPConnection, token: str, archive: bytes) -> float:
    fields = {"archive": ("bot.zip", archive, "application/zip")}
    body, kind = encode_multipart_formdata(fields)
    headers = {"Authorization": f"Bearer {token}", "Content-Type": kind}
    before = time.perf_counter()
    send(line, "POST", "/api/v1/bots/", body=body, headers=headers)
    return time.perf_counter() - before


def _uploads(numbers: range) -> Iterator[tuple[str, bytes]]:
    """Yield tokens and archives; no author has more bots in validation than is allowed."""
    token = ""
    for place, number in enumerate(numbers):
        if place % MOST_VALIDATING == 0:
            author = User.objects.create_user(username=f"author-{number}", password=None)
            _, token = create_token(actor=author, name="bench", scopes=[Scope.BOTS_WRITE], days=1)
        yield token, _archive(f"new-{number}")


def _archive(name: str) -> bytes:
    buffer = io.BytesIO()
    with ZipFile(buffer, "w") as archive:
        archive.write(built_in_bots()["random"] / "main.py", "main.py")
        manifest = f'name = "{name}"\ngames = ["{GAME}"]\nlanguage = "python"\n'
        archive.writestr("bot.toml", f'{manifest}main = "main.py"\n')
    return buffer.getvalue()
