"""TLS in front of a server that has none, with a certificate that is its own authority."""

from __future__ import annotations

import select
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Thread

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


def make_certificate(path: Path, *, host: str = "localhost") -> Path:
    """Write the certificate of a host with its key into one file, whose path it returns."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "a test")])
    now = datetime.now(UTC)
    identifier = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(identifier, critical=False)
        .sign(key, hashes.SHA256())
    )
    form = serialization.PrivateFormat.PKCS8
    pem = serialization.Encoding.PEM
    secret = key.private_bytes(pem, form, serialization.NoEncryption())
    path.write_bytes(made.public_bytes(pem) + secret)
    return path


@contextmanager
def tls_to(port: int, *, certificate: Path) -> Iterator[int]:
    """Open a port that speaks TLS and carries everything to another port of this machine."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        Thread(target=_listen, args=(listener, context, port), daemon=True).start()
        yield listener.getsockname()[1]
        listener.shutdown(socket.SHUT_RDWR)


def _listen(listener: socket.socket, context: ssl.SSLContext, port: int) -> None:
    with suppress(OSError):  # it is closed
        while True:
            client, _ = listener.accept()
            Thread(target=_serve, args=(client, context, port), daemon=True).start()


def _serve(client: socket.socket, context: ssl.SSLContext, port: int) -> None:
    with client, suppress(OSError):  # a client that refuses the certificate hangs up
        near = context.wrap_socket(client, server_side=True)
        with near, socket.create_connection(("127.0.0.1", port)) as far:
            _carry(near, far)


def _carry(near: ssl.SSLSocket, far: socket.socket) -> None:
    while True:
        ready = [near] if near.pending() else select.select([near, far], [], [])[0]
        for source in ready:
            data = source.recv(65_536)
            if not data:
                return
            (far if source is near else near).sendall(data)
