"""The folder of a tournament on this machine, from which a stopped tournament continues.

`state.json` has the document, the secret, the hashes of the bots and the void matches;
`records/` has a record for each match that was played. Every file is replaced in one step. A
record that is damaged is as good as none: its match is played again.
"""

import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from pentathlon_engines.desk.match_pool import DeskMatch, result_of
from pentathlon_engines.desk.record_files import read_json, write_record, write_whole
from pentathlon_engines.desk.tournament import Kept
from pentathlon_engines.errors import BadFolder, BadRecord
from pentathlon_engines.record.record import canonical, chain
from pentathlon_engines.record.shape import Record, check_shape
from pentathlon_engines.seeds import SECRET_BYTES

Json = Any

STATE: Final = "state.json"
RECORDS: Final = "records"
_FORMAT: Final = 1


class TournamentFolder:
    """The files of one tournament."""

    def __init__(self, path: Path, state: dict[str, Json]) -> None:
        self.path = path
        self._state = state

    @property
    def secret(self) -> bytes:
        """The secret from which schedule and seeds follow."""
        return bytes.fromhex(self._state["secret"])

    @property
    def kept(self) -> int:
        """The number of records, going by the names of files."""
        return sum(1 for _ in (self.path / RECORDS).glob("[0-9]*.json"))

    def record_file(self, index: int) -> Path:
        """Return the file of a match."""
        return self.path / RECORDS / f"{index:05}.json"

    def find(self, match: DeskMatch) -> Kept | None:
        """Return the stored result of a match; None if it still has to be played."""
        if str(match.index) in self._state["void"]:
            return Kept(None)
        data = read_json(self.record_file(match.index))
        try:
            record = check_shape(data)
            is_whole = chain(record) == record["chain"]
        except (BadRecord, ValueError, RecursionError):
            return None
        hashes = [self._state["bots"][player] for player in match.players]
        is_this = (record["seed"], record["match"]) == (match.seed, match.alias)
        if not is_whole or not is_this or [bot["hash"] for bot in record["bots"]] != hashes:
            return None
        return Kept(result_of(record))

    def keep_record(self, match: DeskMatch, record: Record) -> None:
        """Write the record of a match that was played."""
        write_record(self.record_file(match.index), record)

    def keep_void(self, match: DeskMatch, problem: str) -> None:
        """Note that this machine could not play a match."""
        self._state["void"][str(match.index)] = problem
        self._write()

    def _write(self) -> None:
        write_whole(self.path / STATE, canonical(self._state) + b"\n")


def open_folder(
    path: Path, *, document: Mapping[str, Json], hashes: Sequence[str], secret: bytes | None
) -> TournamentFolder:
    """Return the folder of a tournament; begin it if there is none yet.

    Without a `secret`, one is drawn at the beginning.

    Raises:
        BadFolder: it holds another tournament, or other bots play.
        OSError: it cannot be written.
    """
    state = read_json(path / STATE)
    if state is None:
        if (path / STATE).exists() or (path / RECORDS).exists():
            raise BadFolder(f"{path} holds records, but no {STATE} that can be read")
        drawn = secrets.token_bytes(SECRET_BYTES) if secret is None else secret
        state = {
            "format": _FORMAT,
            "document": dict(document),
            "secret": drawn.hex(),
            "bots": list(hashes),
            "void": {},
        }
        folder = TournamentFolder(path, state)
        folder._write()  # its own module
        (path / RECORDS).mkdir(exist_ok=True)
        return folder
    _check_state(path, state, document=document, hashes=hashes, secret=secret)
    return TournamentFolder(path, state)


def _check_state(
    path: Path,
    state: Json,
    *,
    document: Mapping[str, Json],
    hashes: Sequence[str],
    secret: bytes | None,
) -> None:
    names = {"format", "document", "secret", "bots", "void"}
    if not isinstance(state, dict) or set(state) != names or state["format"] != _FORMAT:
        raise BadFolder(f"{path / STATE} is not the state of a tournament of this release")
    if canonical(state["document"]) != canonical(document):
        raise BadFolder(f"{path} holds another tournament")
    if state["bots"] != list(hashes):
        raise BadFolder(f"{path} was begun with other bot files")
    if secret is not None and state["secret"] != secret.hex():
        raise BadFolder(f"{path} was begun with another secret")
