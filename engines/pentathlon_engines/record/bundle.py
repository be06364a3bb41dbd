"""Bundles: files that repeat a match for the bot of one seat.

A bundle is a zip file with `bundle.json` (`{"bundle": 1, "seat": 0}`), `record.json` (seed,
options, limits, every action of every seat) and a `README.txt`. It holds only the
public record, neither bots nor logs, so its owner may pass it on.
"""

import io
import zlib
from string import Template
from typing import Any, Final, NamedTuple
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile, ZipInfo

from pentathlon_engines import strict_json
from pentathlon_engines.errors import BadBundle, BadJson, BadRecord
from pentathlon_engines.record.record import canonical, verify_record
from pentathlon_engines.record.shape import Record, check_shape

FORMAT: Final = 1
_MOST_BYTES: Final = 64 * 1024 * 1024
_SAME_TIME: Final = (1980, 1, 1, 0, 0, 0)
_README: Final = Template("""\
Match $match of $game, seat $seat ($bot)

This bundle repeats the match for the bot of that seat: the same seed, options, limits and
requests. The other seats act as they did; the bundle does not contain their programs. The site
that made this bundle explains under /docs/bots/ how to install the command.

    pentathlon play $file FOLDER_OF_YOUR_BOT

Add --sandbox where the platform is installed to play in its sandbox, --json for machines.

The match follows its record. If your bot chooses another action than the recorded one, the command
reports it, and the recorded action happens all the same. A fault ends the run.

    exit code 0   the same happened: the same fault at the same ply, or, if the record has no
                  fault, the same actions to the end
    exit code 1   something else happened: other actions, another fault, or no fault
    exit code 2   wrong use    3   this machine could not start the bot

record.json is the public record of the match: pentathlon replay and pentathlon verify read it.
""")


class Bundle(NamedTuple):
    """A verified record, and the seat to play again."""

    record: Record
    seat: int


def file_name(match: object, seat: int) -> str:
    """Return the usual name of a bundle."""
    return f"match-{match}-seat-{seat}.zip"


def pack_bundle(record: Record, *, seat: int, file: str = "") -> bytes:
    """Return a bundle whose README names `file`; the same arguments give the same bytes."""
    readme = _README.substitute(
        match=record["match"],
        game=record["game"],
        seat=seat,
        bot=record["bots"][seat]["name"],
        file=file or file_name(record["match"], seat),
    )
    files = {
        "README.txt": readme.encode(),
        "bundle.json": canonical({"bundle": FORMAT, "seat": seat}) + b"\n",
        "record.json": canonical(record) + b"\n",
    }
    target = io.BytesIO()
    with ZipFile(target, "w") as archive:
        for name, data in files.items():
            info = ZipInfo(name, date_time=_SAME_TIME)
            info.external_attr = 0o644 << 16
            archive.writestr(info, data, compress_type=ZIP_DEFLATED)
    return target.getvalue()


def read_bundle(data: bytes) -> Bundle:
    """Read a bundle and verify its record.

    Raises:
        BadBundle: it is damaged, has another format, or its record does not verify.
    """
    try:
        with ZipFile(io.BytesIO(data)) as archive:
            about, value = (_read_json(archive, name) for name in ("bundle.json", "record.json"))
    except (BadZipFile, NotImplementedError, RuntimeError, EOFError, zlib.error) as error:
        raise BadBundle(f"it is not a readable zip file: {error}") from error
    if about.get("bundle") != FORMAT:
        raise BadBundle(
            f"bundle.json: bundle is {about.get('bundle')!r}, this release reads {FORMAT}"
        )
    try:
        verify_record(value)
        record = check_shape(value)
    except BadRecord as error:
        raise BadBundle(f"record.json cannot be played: {error}") from error
    seat = about.get("seat")
    if type(seat) is not int or not 0 <= seat < record["seats"]:
        raise BadBundle(f"bundle.json: seat is {seat!r}, the record has {record['seats']} seats")
    return Bundle(record, seat)


def _read_json(archive: ZipFile, name: str) -> dict[str, Any]:
    try:
        info = archive.getinfo(name)
    except KeyError:
        raise BadBundle(f"it has no {name}") from None
    if info.file_size > _MOST_BYTES:
        raise BadBundle(f"{name} is larger than {_MOST_BYTES} bytes")
    try:
        value = strict_json.loads(archive.read(info))
    except BadJson as error:
        raise BadBundle(f"{name} is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise BadBundle(f"{name} is not a JSON object")
    return value
