"""Functions that run in the transaction in which matches end or results are corrected.

They belong to apps that build on this one, so the settings name them: `AFTER_MATCHES` and
`AFTER_CORRECTIONS`. Each is called with the ids of matches whose end has just been written, and
what it writes is stored with it or not at all. So it is with results that are taken back later,
and with those that count only because of that.
"""

from collections.abc import Collection

from django.conf import settings
from django.utils.module_loading import import_string


def load_followers() -> None:
    """Import all followers of endings, before this process forks others that would each do it."""
    for name in settings.AFTER_MATCHES:
        import_string(name)


def note_endings(match_ids: Collection[int]) -> None:
    """Notify all followers that these matches have ended; call it in the same transaction."""
    for name in settings.AFTER_MATCHES:
        import_string(name)(match_ids)


def note_corrections(match_ids: Collection[int]) -> None:
    """Notify all followers that these results have changed; call it in the same transaction."""
    for name in settings.AFTER_CORRECTIONS:
        import_string(name)(match_ids)
