"""Erases the code and the logs of bots whose authors have deleted their accounts.

No result needs the code: a record has all actions, and the server plays it again by the rules.
Only matches that wait or run need the code, so it goes when no such match is left. The hash stays,
because receipts and records name it.
"""

from __future__ import annotations

from typing import Final

from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Now

from pentathlon.accounts.models import AccountDeletion
from pentathlon.bots.models import Archive, BotVersion, BotVersionQuerySet, BuildLog
from pentathlon.core.bulkheads import Bulkheads
from pentathlon.matches.models import Match, MatchSeat, SeatLog

_AT_ONCE: Final = 200
"""The most archives, and the most logs, in one transaction."""
_LOOKED_AT: Final = 20
_deletions = Bulkheads[int]("code of deletion")


def erase_deleted() -> int:
    """Erase some code and logs of deleted accounts; return how many rows went.

    The reconciler calls it again and again.
    """
    open_ones = AccountDeletion.objects.filter(erased_at=None).order_by("pk")
    ids = list(open_ones.values_list("pk", flat=True)[:_LOOKED_AT])
    return sum(_deletions.each(ids, lambda pk: erase_code(deletion_id=pk)))


@transaction.atomic
def erase_code(*, deletion_id: int) -> int:
    """Erase a batch of the code and logs of one deleted account; return how many rows went."""
    open_ones = AccountDeletion.objects.select_for_update(skip_locked=True)
    deletion = open_ones.filter(pk=deletion_id, erased_at=None).first()
    if deletion is None:
        return 0
    own = BotVersion.objects.filter(bot__owner=deletion.person_id)
    logs = SeatLog.objects.filter(seat__version__in=own).order_by("pk")
    gone, _ = SeatLog.objects.filter(
        pk__in=list(logs.values_list("pk", flat=True)[:_AT_ONCE])
    ).delete()
    BuildLog.objects.filter(version__in=own).delete()
    gone += _empty_archives(own)
    if not gone and not _needed(own).exists():
        AccountDeletion.objects.filter(pk=deletion.pk).update(erased_at=Now())
    return gone


def _needed(own: BotVersionQuerySet) -> BotVersionQuerySet:
    """Return the versions whose code a match still needs."""
    unfinished = Match.objects.unfinished()
    seats = MatchSeat.objects.filter(version=OuterRef("pk"), match__in=unfinished)
    return own.filter(Exists(seats))


def _empty_archives(own: BotVersionQuerySet) -> int:
    """Empty archives that neither a match nor a version of an author who is here needs."""
    free = own.exclude(pk__in=_needed(own).values("pk"))
    # Equal files are one row: versions of other deleted accounts do not keep it.
    gone = BotVersion.objects.filter(bot__owner__in=AccountDeletion.objects.values("person"))
    gone = gone.exclude(pk__in=_needed(gone).values("pk"))
    others = BotVersion.objects.exclude(pk__in=gone.values("pk"))
    found = Archive.objects.filter(
        Q(versions__in=free) | Q(built_versions__in=free) | Q(modelled_versions__in=free)
    )
    found = found.filter(files__gt=0).exclude(versions__in=others)
    found = found.exclude(built_versions__in=others).exclude(modelled_versions__in=others)
    found = found.order_by("pk")
    ids = list(dict.fromkeys(found.values_list("pk", flat=True)))[:_AT_ONCE]
    # Whoever uploads the same files meanwhile holds the lock, and is among the others then.
    list(Archive.objects.select_for_update().filter(pk__in=ids).order_by("pk").values("pk"))
    ids = list(found.filter(pk__in=ids).values_list("pk", flat=True))
    return Archive.objects.filter(pk__in=ids).update(data=b"", unpacked_bytes=0, files=0)
