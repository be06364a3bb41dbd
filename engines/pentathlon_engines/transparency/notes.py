"""Signed notes: texts with an Ed25519 signature below, and the checkpoints of a log among them.

The forms are those of other transparency logs, so that their tools read ours: signed notes
(https://c2sp.org/signed-note) and checkpoints (https://c2sp.org/tlog-checkpoint). Signing and
checking need the package `cryptography`, everything else none.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Final

from pentathlon_engines.errors import BadNote

_ED25519: Final = b"\x01"
_KEY_BYTES: Final = 32
_ID_BYTES: Final = 4
_SIGNATURE: Final = re.compile(r"— (?P<name>[^\s+]+) (?P<data>[A-Za-z0-9+/]+=*)")
_CHECKPOINT: Final = re.compile(r"(?P<origin>[^\n]+)\n(?P<size>\d{1,18})\n(?P<root>[^\n]+)\n")
_CONTINUATION: Final = re.compile(
    r"^continued from size (?P<size>\d{1,18}) at (?P<at>[0-9T:Z-]{20})\n", re.MULTILINE
)
_LONGEST: Final = 20_000
"""The most characters of a note; those of a log have fewer than a thousand."""


@dataclass(frozen=True, slots=True)
class LogKey:
    """The public key of a log, and the name under which it signs."""

    name: str
    public: bytes

    @property
    def identity(self) -> bytes:
        """Return the four bytes by which a signature names its key."""
        named = self.name.encode() + b"\n" + _ED25519 + self.public
        return hashlib.sha256(named).digest()[:_ID_BYTES]

    def to_text(self) -> str:
        """Return the key as one line: name, identity and key."""
        return f"{self.name}+{self.identity.hex()}+{_to_base64(_ED25519 + self.public)}"

    @classmethod
    def from_text(cls, text: str) -> LogKey:
        """Read what `to_text` wrote; raise `BadNote` if it is no key of a log."""
        name, _, rest = text.partition("+")
        identity, _, data = rest.partition("+")
        told = _from_base64(data)
        key = cls(name, told[1:])
        is_whole = told[:1] == _ED25519 and len(key.public) == _KEY_BYTES
        if not name or not is_whole or key.identity.hex() != identity:
            raise BadNote("this is not a public key of a log.")
        return key


@dataclass(frozen=True, slots=True)
class Continuation:
    """A restore: from `size` on, the log may have other entries than it had before `at`."""

    size: int
    at: str
    """When the restore was made, in UTC."""

    def to_text(self) -> str:
        """Return the line of a checkpoint."""
        return f"continued from size {self.size} at {self.at}\n"

    def to_sentence(self, seen: int) -> str:
        """Tell somebody who has seen `seen` entries what the site says that it has lost."""
        return (
            f"The site was restored from a backup at {self.at} and continued its log from size "
            f"{self.size:,}: of the {seen:,} entries seen before, those from {self.size:,} on are "
            "lost or were logged again, and nobody can compare them."
        )


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The state of a log: its number of entries, the root of their tree, and all restores."""

    origin: str
    size: int
    root: bytes
    continued: tuple[Continuation, ...] = ()

    def to_text(self) -> str:
        """Return the text that is signed."""
        told = "".join(each.to_text() for each in self.continued)
        return f"{self.origin}\n{self.size}\n{_to_base64(self.root)}\n{told}"

    def lost_by(self, now: Checkpoint) -> Continuation | None:
        """Return the restore by which a later state lost entries of this one; None without one.

        Without one, the later state has grown from this one, or the log was forged.
        """
        # Not only what follows: a restore of an older backup forgets the restores after it.
        new = [each for each in now.continued if each not in self.continued]
        since = min(new, key=lambda each: each.size, default=None)
        return since if since is not None and since.size < self.size else None

    @classmethod
    def from_text(cls, text: str) -> Checkpoint:
        """Read what `to_text` wrote; raise `BadNote` if it is no checkpoint."""
        found = _CHECKPOINT.match(text)
        if found is None:
            raise BadNote("this note is not a checkpoint.")
        checkpoint = cls(found["origin"], int(found["size"]), _from_base64(found["root"]))
        if checkpoint.to_text() != found[0]:
            raise BadNote("this checkpoint is not in the standard form of checkpoints.")
        restores = _CONTINUATION.finditer(text, found.end())
        return replace(
            checkpoint,
            continued=tuple(Continuation(int(each["size"]), each["at"]) for each in restores),
        )


def write_note(text: str, *, key: LogKey, sign: Callable[[bytes], bytes]) -> str:
    """Sign a text, which ends with a line break, and return it with its signature below."""
    return note_of(text, key=key, signature=sign(text.encode()))


def note_of(text: str, *, key: LogKey, signature: bytes) -> str:
    """Return a text with its signature below."""
    return f"{text}\n— {key.name} {_to_base64(key.identity + signature)}\n"


def read_note(note: str, *, key: LogKey) -> str:
    """Return the text of a note that this key has signed.

    Raises `BadNote` if it is no note, or not signed by the key.
    """
    if len(note) > _LONGEST or not note.endswith("\n"):
        raise BadNote("this is not a signed note.")
    text, gap, signatures = note.rpartition("\n\n")
    for line in signatures.splitlines() if gap else []:
        found = _SIGNATURE.fullmatch(line)
        told = _from_base64(found["data"]) if found and found["name"] == key.name else b""
        if told[:_ID_BYTES] != key.identity:
            continue
        signed = f"{text}\n"
        if _is_signed(signed.encode(), told[_ID_BYTES:], public=key.public):
            return signed
        raise BadNote("the signature does not match this text: it has been changed.")
    raise BadNote(f"it is not signed by {key.to_text()}.")


def read_note_of_any(note: str, *, keys: Iterable[LogKey]) -> str:
    """Return the text of a note that one of these keys has signed.

    Raises `BadNote` as `read_note` does, for the last key.
    """
    problem = BadNote("it is not signed by a known key.")
    for key in keys:
        try:
            return read_note(note, key=key)
        except BadNote as error:
            problem = error
    raise problem


def _is_signed(text: bytes, signature: bytes, *, public: bytes) -> bool:
    # Only checking a signature needs the package, which comes with the extra `cli`.
    from cryptography.exceptions import InvalidSignature  # noqa: PLC0415
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey  # noqa: PLC0415

    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, text)
    except InvalidSignature:
        return False
    return True


def _to_base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _from_base64(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (ValueError, binascii.Error):
        return b""
