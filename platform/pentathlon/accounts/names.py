"""Who has a name, for good: names of people, teams and bots that look alike belong to one person.

A name stays taken when its account is deleted or its bot is renamed, because records, documents
and other people's memories go on using it. Only a digest of the name is stored.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from pentathlon.accounts.models import NameKind, TakenName, User
from pentathlon.core.names import is_of_the_house, name_key


def take_name(*, kind: NameKind, name: str, holder: User) -> bool:
    """Take a name unless somebody else has one that looks like it; return whether it is theirs.

    One person may have several names that look alike.
    """
    digest = digest_of(name)
    taken = TakenName(kind=kind, digest=digest, holder=holder)
    TakenName.objects.bulk_create([taken], ignore_conflicts=True)
    return TakenName.objects.filter(kind=kind, digest=digest, holder=holder).exists()


def free_names(*, kind: NameKind, names: Iterable[str]) -> list[str]:
    """Return the names that are not of the house and look like nobody's."""
    digests = {name: digest_of(name) for name in names if not is_of_the_house(name)}
    rows = TakenName.objects.filter(kind=kind, digest__in=digests.values())
    taken = set(rows.values_list("digest", flat=True))
    return [name for name, digest in digests.items() if digest not in taken]


def digest_of(name: str) -> str:
    """Return the digest of a name as it looks."""
    return hashlib.sha256(name_key(name).encode()).hexdigest()
