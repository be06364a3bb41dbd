"""What waits for workers that take nothing from the queue."""

from __future__ import annotations

from collections.abc import Collection

from pentathlon.analyses.services import sent_analyses
from pentathlon.fleet.announcements import Work
from pentathlon.fleet.hints import Hint
from pentathlon.friendlies.stretches import sent_friendlies
from pentathlon.matches.worker_tokens import sent_matches


def sent_work(work: Collection[str]) -> Hint:
    """Return something of this work that was sent out and nobody does yet; empty if all is done.

    People wait for friendlies; analyses give way to everything.
    """
    if Work.UNRATED in work and (friendly_ids := sent_friendlies()):
        return Hint(friendly_ids=friendly_ids)
    if match_ids := sent_matches(work):
        return Hint(match_ids=match_ids)
    if Work.ANALYSES in work and (analysis_ids := sent_analyses()):
        return Hint(analysis_ids=analysis_ids)
    return Hint()
