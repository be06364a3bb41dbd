"""Checks who replaced whom in a running tournament, and which file played which block.

A proof states the replacements in their order:

```
{"entry": 3, "first_block": 12, "kept": [13],
 "old": {"bot": "beta", "version": 1, "hash": "sha256:…"}, "new": {…},
 "reason": "It hung on rivers.", "replaced_at": "2026-11-22T20:00:00+00:00", "digest": "…"}
```

From `first_block` on, the new file plays in the place of the old one, except in the blocks that
the old one had begun: those are `kept`. If the old one had left the tournament before, `left` says
why, and none of the blocks that it had begun is finished any more. `first_block` is null while a
replacement is carried out. Each digest is that of the replacement and of the digest before it. The
document names the files that entered, and neither it nor the event key changes: pairings and seeds
are those that they would be without a replacement.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from pentathlon_engines.record.record import canonical

File = Mapping[str, Any]  # Any: JSON
"""A bot version as a proof names it: bot, version and hash."""


class StatedReplacement(NamedTuple):
    """One replacement, as a server states it."""

    entry: int
    first_block: int | None
    kept: tuple[int, ...]
    old: File
    new: File
    reason: str
    replaced_at: str
    digest: str = ""
    left: str = ""
    """Why the old one had left before, so that it plays nothing any more; empty if it took
    part."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> StatedReplacement:  # Any: JSON
        """Read a replacement back."""
        return cls(**{**data, "kept": tuple(data["kept"])})

    def to_json(self) -> dict[str, Any]:
        """Return the replacement as proofs have it."""
        stated = {**self._asdict(), "kept": list(self.kept)}
        # Digests count an empty `left` as none.
        return stated if self.left else {name: stated[name] for name in stated if name != "left"}

    def digest_after(self, before: str) -> str:
        """Return the digest of this replacement and of the digest before it ("" for the first)."""
        stated = {name: value for name, value in self.to_json().items() if name != "digest"}
        return sha256(canonical({"before": before, **stated})).hexdigest()

    def sentence(self) -> str:
        """Describe who replaced whom, and from which block on."""
        names = " by ".join(f"{file['bot']} v{file['version']}" for file in (self.old, self.new))
        names += " (the old one had left)" if self.left else ""
        if self.first_block is None:
            return f"{names}, being carried out"
        kept = f", not in block {', '.join(map(str, self.kept))}" if self.kept else ""
        return f"{names} from block {self.first_block} on{kept}"


class Lineup:
    """The file of each entry that plays each block."""

    def __init__(self, entered: Sequence[str], replacements: Sequence[StatedReplacement]) -> None:
        self._entered = entered
        self._replacements = replacements

    def files(self, entry: int, block: int) -> set[str]:
        """Return the hash of the file; two hashes while a replacement of it is carried out."""
        files = {self._entered[entry]}
        for replacement in self._replacements:
            if replacement.entry != entry or replacement.old["hash"] not in files:
                continue
            if replacement.first_block is None:
                files.add(replacement.new["hash"])
            elif block >= replacement.first_block and block not in replacement.kept:
                files.discard(replacement.old["hash"])
                files.add(replacement.new["hash"])
        return files


def find_problems(
    entered: Sequence[str],
    replacements: Sequence[StatedReplacement],
    *,
    blocks: Mapping[int, Collection[int]],
) -> Iterator[str]:
    """Yield what is wrong with replacements; `blocks` are the entries that meet in each."""
    files, digest = list(entered), ""
    for number, replacement in enumerate(replacements, start=1):
        if not 0 <= replacement.entry < len(files):
            yield f"replacement {number} names an entry that does not exist"
            continue
        if replacement.old["hash"] != files[replacement.entry]:
            yield f"replacement {number} replaces a file that did not play there"
        if replacement.new["hash"] in files:
            yield f"replacement {number} lets a file play in two places"
        files[replacement.entry] = replacement.new["hash"]
        if replacement.first_block is None:
            continue
        digest = replacement.digest_after(digest)
        if digest != replacement.digest:
            yield f"the digest of replacement {number} does not follow from what is stated"
            digest = replacement.digest
        for block in replacement.kept:
            if block < replacement.first_block or replacement.entry not in blocks.get(block, ()):
                yield f"replacement {number} keeps block {block} for a file that is not in it"
