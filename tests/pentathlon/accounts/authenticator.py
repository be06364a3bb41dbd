"""A passkey authenticator: it answers as browsers do, and lies where a test asks."""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, SECP256R1, generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256
from fido2.cose import ES256
from fido2.utils import websafe_decode, websafe_encode
from fido2.webauthn import (
    AttestationObject,
    AttestedCredentialData,
    AuthenticatorData,
    CollectedClientData,
)

_FLAG = AuthenticatorData.FLAG


@dataclass(slots=True)
class Authenticator:
    """A device with one key pair."""

    host: str = "testserver"
    origin: str = "https://testserver"
    verifies: bool = True
    """Whether it verifies its owner by a finger or a PIN."""
    count: int = 0
    key: Any = field(default_factory=lambda: generate_private_key(SECP256R1()))
    id: bytes = field(default_factory=lambda: secrets.token_bytes(32))

    def make(self, options: dict[str, Any]) -> str:
        """Answer a request for a new passkey."""
        public = ES256.from_cryptography_key(self.key.public_key())  # type: ignore[no-untyped-call]  # fido2
        credential = AttestedCredentialData.create(b"\0" * 16, self.id, public)
        data = AuthenticatorData.create(
            sha256(self.host.encode()).digest(), self._flags | _FLAG.AT, self.count, credential
        )
        client = self._client("webauthn.create", options)
        attestation = AttestationObject.create("none", data, {})
        return self._answer(
            clientDataJSON=websafe_encode(client), attestationObject=websafe_encode(attestation)
        )

    def show(self, options: dict[str, Any]) -> str:
        """Answer a request to show the passkey."""
        self.count += 1
        data = AuthenticatorData.create(
            sha256(self.host.encode()).digest(), self._flags, self.count
        )
        client = self._client("webauthn.get", options)
        signature = self.key.sign(bytes(data) + sha256(client).digest(), ECDSA(SHA256()))
        return self._answer(
            clientDataJSON=websafe_encode(client),
            authenticatorData=websafe_encode(data),
            signature=websafe_encode(signature),
        )

    @property
    def _flags(self) -> AuthenticatorData.FLAG:
        return _FLAG.UP | _FLAG.UV if self.verifies else _FLAG.UP

    def _client(self, kind: str, options: dict[str, Any]) -> CollectedClientData:
        challenge = websafe_decode(options["publicKey"]["challenge"])
        return CollectedClientData.create(kind, challenge, self.origin)

    def _answer(self, **response: str) -> str:
        own = websafe_encode(self.id)
        return json.dumps(
            {
                "id": own,
                "rawId": own,
                "type": "public-key",
                "clientExtensionResults": {},
                "response": response,
            }
        )
