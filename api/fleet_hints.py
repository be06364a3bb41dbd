"""Hints for workers that do not read the queue."""

from __future__ import annotations

from pentathlon.analyses.services import sent_analyses
from pentathlon.fleet.announcements import Work
from pentathlon.fleet.hints import Hint
from pentathlon.fleet.models import WorkerToken
from pentathlon.friendlies.stretches import sent_friendlies
from pentathlon.matches.worker_tokens import sent_matches


def sent_work(token: WorkerToken, *, only_friendlies: bool = False) -> Hint:
    """Return what a token allows, was sent out and is done by nobody; empty if there is nothing.

    People wait for friendlies; analyses give way to everything.
    """
    if Work.UNRATED in token.work and (friendly_ids := sent_friendlies()):
        return Hint(friendly_ids=friendly_ids)
    if only_friendlies:
        return Hint()
    if match_ids := sent_matches(token):
        return Hint(match_ids=match_ids)
    if Work.ANALYSES in token.work and (analysis_ids := sent_analyses()):
        return Hint(analysis_ids=analysis_ids)
    return Hint()
