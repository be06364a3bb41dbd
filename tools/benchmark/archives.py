"""The bots that benchmarks play: the built-in ones, under names that an author may have."""

from pentathlon.bots.archives import read_archive
from pentathlon.ladders.reference import pack_renamed
from pentathlon_engines.archive.archives import CheckedArchive
from pentathlon_engines.manifest import built_in_bots


def measured_bot(name: str) -> CheckedArchive:
    """Return the files of a built-in bot, renamed: its own name belongs to the platform."""
    return read_archive(pack_renamed(built_in_bots()[name], name=f"measured-{name}"))
