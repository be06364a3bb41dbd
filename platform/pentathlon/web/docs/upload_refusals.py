"""The reasons for refusing an upload, for the guide, by the codes of archive and manifest."""

from __future__ import annotations

from typing import Final, NamedTuple


class RefusedUpload(NamedTuple):
    """The meaning of a code, and its remedy."""

    meaning: str
    mend: str


REFUSALS: Final = {
    "not_a_zip": RefusedUpload("The file is not a zip archive.", "Let `submit` pack the folder."),
    "no_manifest": RefusedUpload(
        "There is no `bot.toml`, or more than one folder has one; the sentence names those found.",
        "Pack one bot’s folder, with a file of exactly that name.",
    ),
    "bad_manifest": RefusedUpload(
        "`bot.toml` has a field that is wrong; the sentence names it.",
        "Compare it with one that `init` writes.",
    ),
    "unknown_game": RefusedUpload(
        "`games` names a game that is not here.", "Use the keys of the games."
    ),
    "unknown_language": RefusedUpload(
        "`language` names a language that we do not offer.", "Use one of the list, or a `command`."
    ),
    "bad_name": RefusedUpload("A file’s name cannot be used here.", "Rename the file."),
    "duplicate_name": RefusedUpload("Two entries have one name.", "Pack the folder again."),
    "link_in_archive": RefusedUpload("An entry is a link.", "Put the file itself there."),
    "special_file": RefusedUpload("An entry is neither a file nor a folder.", "Leave it out."),
    "encrypted": RefusedUpload("An entry is encrypted.", "Pack it without a password."),
    "unknown_compression": RefusedUpload(
        "An unusual way of packing.", "Use deflate, the default."
    ),
    "too_many_files": RefusedUpload(
        "The archive has too many entries.", "Leave out what the bot does not need."
    ),
    "bad_archive": RefusedUpload(
        "There is another problem; the sentence names it.", "Pack it again."
    ),
    "too_large": RefusedUpload(
        "It, or a file in it, is larger than allowed.", "Leave out data, or store it smaller."
    ),
    "manifest_changed": RefusedUpload("The build changed `bot.toml`.", "Leave that file alone."),
    "nothing_built": RefusedUpload(
        "The build made no file that starts the bot.", "Let `-o` name what `command` starts."
    ),
}
