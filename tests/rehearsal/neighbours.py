"""What a site talks to outside, as one program of the standard library for a container.

A mail server on port 465; on port 443 a receiver of webhooks, and a store with as much of the API
of S3 as a client needs to put, look for and get an object. What arrives lies in /received.
"""

from __future__ import annotations

import itertools
import socketserver
import ssl
import threading
from hashlib import md5
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BufferedIOBase, BytesIO
from pathlib import Path
from typing import Final

RECEIVED: Final = Path("/received")
_ANSWERS: Final = {
    b"EHLO": "250-mail.example.org\r\n250 AUTH PLAIN",
    b"AUTH": "235 welcome",
    b"DATA": "354 go on",
    b"QUIT": "221 bye",
}
_numbers: Final = itertools.count(1)


def _keep(kind: str, content: bytes) -> None:
    draft = RECEIVED / f".{next(_numbers)}"
    draft.write_bytes(content)
    draft.rename(RECEIVED / f"{kind}{draft.name}")


def _joined(pieces: BufferedIOBase | BytesIO) -> bytes:
    """Join pieces, before each of which a line tells its length."""
    body = b""
    while size := int(pieces.readline().split(b";")[0], 16):
        body += pieces.read(size)
        pieces.readline()
    while pieces.readline().strip():
        pass
    return body


class Mail(socketserver.StreamRequestHandler):
    """Takes letters from whoever knows the password."""

    def handle(self) -> None:
        """Answer one connection."""
        self._say("220 mail.example.org")
        letter: list[bytes] | None = None
        for line in self.rfile:
            if letter is not None and line == b".\r\n":
                _keep("letter", b"".join(letter))
                letter = None
                self._say("250 kept")
            elif letter is not None:
                letter.append(line)
            else:
                word = line.split()[0].upper()
                if word == b"DATA":
                    letter = []
                self._say(_ANSWERS.get(word, "250 fine"))

    def _say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())


class Web(BaseHTTPRequestHandler):
    """A receiver of webhooks for posts, and a store for everything else."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:  # the library's name, as those below
        """Take a webhook."""
        _keep("webhook", self._body())
        self._answer(200)

    def do_PUT(self) -> None:
        """Keep an object."""
        body = self._body()
        self._object().parent.mkdir(parents=True, exist_ok=True)
        self._object().write_bytes(body)
        self._answer(200, etag=md5(body).hexdigest())  # what S3 calls an ETag

    def do_GET(self) -> None:
        """Return an object."""
        path = self._object()
        if path.is_file():
            body = path.read_bytes()
            self._answer(200, body, etag=md5(body).hexdigest())  # as above
        else:
            self._answer(404)

    do_HEAD = do_GET  # noqa: N815  # as above

    def do_DELETE(self) -> None:
        """Forget an object."""
        self._object().unlink(missing_ok=True)
        self._answer(204)

    def _object(self) -> Path:
        return RECEIVED / "store" / self.path.partition("?")[0].lstrip("/")

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") == "chunked":
            body = _joined(self.rfile)
        else:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        # Clients of S3 cut an object into pieces of their own, with a checksum behind the last.
        is_cut = "X-Amz-Decoded-Content-Length" in self.headers
        return _joined(BytesIO(body)) if is_cut else body

    def _answer(self, status: int, body: bytes = b"", *, etag: str = "") -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        if etag:
            self.send_header("ETag", f'"{etag}"')
            self.send_header("Last-Modified", self.date_time_string())
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


def main() -> None:
    """Serve until the container ends."""
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain("/certificates/neighbours.pem")
    mail = socketserver.ThreadingTCPServer(("", 465), Mail)
    web = ThreadingHTTPServer(("", 443), Web)
    for server in (mail, web):
        server.socket = tls.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever).start()


if __name__ == "__main__":
    main()
