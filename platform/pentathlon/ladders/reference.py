"""Reference bots: the policies that the engines bring along, uploaded as everybody's bots are.

They stand in every division, so that a first upload always has company, and their strengths are
marks that do not move. No author is ranked by them.
"""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Final
from zipfile import ZipFile

import structlog
from django.conf import settings
from django.db import transaction

from pentathlon.accounts.models import User
from pentathlon.bots.archives import read_archive
from pentathlon.bots.models import Bot, BotVersion, VersionState
from pentathlon.core.errors import Conflict
from pentathlon.matches.uploads.services import submit_version, validate_again
from pentathlon_engines.archive.archives import CheckedArchive
from pentathlon_engines.manifest import FILE_NAME, built_in_bots

USERNAME: Final = "reference bots"
"""A name with a space, which nobody can register."""
PREFIX: Final = "reference-"
_ABSENT: Final = frozenset({"flat_mc", "mcts"})
"""Policies left out: their search holds slots for seconds, and new versions would wait."""
_NAME: Final = re.compile(r"^name = .*$", re.MULTILINE)
_log = structlog.stdlib.get_logger(__name__)
_stored: Final[dict[str, str]] = {}
"""The content hash of each policy that this process knows to be uploaded."""


def platform_account() -> User:
    """Return the account of the platform itself, made if need be."""
    account, _ = User.objects.get_or_create(
        username=USERNAME,
        defaults={"is_staff": True, "is_organiser": True, "password": "!"},
    )
    return account


def reference_policies() -> dict[str, Path]:
    """Return the folders of the built-in bots that play in ladders, by name."""
    return {key: folder for key, folder in built_in_bots().items() if key not in _ABSENT}


def upload_reference_bots() -> int:
    """Upload the next policy that is not here yet, or that has changed; return how many.

    Policies are uploaded one by one, so that authors do not wait until all are validated.
    """
    if not settings.HAS_REFERENCE_BOTS:
        return 0
    missing = {key: folder for key, folder in reference_policies().items() if key not in _stored}
    own = BotVersion.objects.filter(bot__is_reference=True)
    if not missing or own.filter(state=VersionState.VALIDATING).exists():
        return 0
    for policy, folder in missing.items():
        if _upload(policy, folder):
            return 1
    return 0


def revalidate_reference_bots() -> int:
    """Validate stopped and unchecked reference bots again; return how many."""
    failed = BotVersion.objects.filter(
        bot__is_reference=True, state__in=(VersionState.UNCHECKED, VersionState.STOPPED)
    )
    versions = list(failed.select_related("bot__owner"))
    for version in versions:
        validate_again(actor=version.bot.owner, version=version)
    return len(versions)


def pack_renamed(folder: Path, *, name: str) -> bytes:
    """Pack a bot under another name."""
    buffer = io.BytesIO()
    with ZipFile(buffer, "w") as archive:
        for path in sorted(folder.glob("*.*")):
            text = path.read_text()
            if path.name == FILE_NAME:
                text = _NAME.sub(f'name = "{name}"', text)
            archive.writestr(path.name, text)
    return buffer.getvalue()


def _upload(policy: str, folder: Path) -> bool:
    checked = read_archive(pack_renamed(folder, name=f"{PREFIX}{folder.name}"))
    bot = Bot.objects.filter(is_reference=True, name__iexact=checked.manifest.name).first()
    is_new = bot is None or not bot.versions.filter(archive=checked.content_hash).exists()
    if is_new:
        _store(bot, checked)
    _stored[policy] = checked.content_hash
    return is_new


@transaction.atomic
def _store(bot: Bot | None, checked: CheckedArchive) -> None:
    account = platform_account()
    notes = "A built-in policy of the engines."
    if bot is not None:
        submit_version(actor=account, bot=bot, archive=checked, notes=notes)
        return
    try:
        version = submit_version(actor=account, archive=checked, notes=notes)
    except Conflict as error:
        if error.code != "name_taken":
            raise
        # An author had the name before there were reference bots.
        _log.warning("reference bot left out", name=checked.manifest.name, reason=str(error))
        return
    Bot.objects.filter(pk=version.bot_id).update(is_reference=True)
