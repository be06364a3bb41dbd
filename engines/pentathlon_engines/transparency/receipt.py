"""Receipts: what a log keeps of a match, in one line of canonical JSON."""

from typing import Final, NotRequired, TypedDict

from pentathlon_engines import strict_json
from pentathlon_engines.errors import BadJson, BadNote
from pentathlon_engines.record.record import canonical

FORMAT: Final = "pentathlon/receipt/2"

_TYPES: Final = {"match": int, "rules": int}
"""The types of the fields that are not texts."""
_OPTIONAL: Final = frozenset({"referee_build", "bots_build", "arithmetic"})


class Receipt(TypedDict):
    """What was played, and the chain of its record, so that no event can change any more."""

    format: str
    match: int
    game: str
    rules: int
    chain: str
    """The hash chain of the record, over everything in it."""
    sandbox: str
    finished_at: str
    """When the match ended, in ISO 8601 and UTC."""
    referee_build: NotRequired[str]
    """The build of the engines that refereed the match; see `pentathlon_engines.builds`. Missing
    if the worker did not state it."""
    bots_build: NotRequired[str]
    """The build of the engines that the bots could import."""
    arithmetic: NotRequired[str]
    """For a rated match: the fingerprint of the arithmetic of the platform that accepted and
    logged it. The ratings of a pool come out the same to the last bit where the fingerprint is the
    same, and to 1e-9 elsewhere."""


def write_receipt(receipt: Receipt) -> str:
    """Return the line that is signed and logged."""
    return canonical(receipt).decode() + "\n"


def read_receipt(text: str) -> Receipt:
    """Return what stands in the line; raise `BadNote` if it is no receipt."""
    try:
        receipt = strict_json.loads(text)
    except BadJson:
        receipt = None
    if not isinstance(receipt, dict) or receipt.get("format") != FORMAT:
        raise BadNote("this note is not a receipt of a match.")
    has_types = all(type(value) is _TYPES.get(name, str) for name, value in receipt.items())
    if (
        set(receipt) | _OPTIONAL != set(Receipt.__annotations__)
        or not has_types
        or write_receipt(receipt) != text  # type: ignore[arg-type]  # checked right here
    ):
        raise BadNote("this receipt is not in the standard form of receipts.")
    return receipt  # type: ignore[return-value]  # checked above
