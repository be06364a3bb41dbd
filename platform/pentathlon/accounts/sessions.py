"""Sessions that know whose they are, so that people can see and end theirs.

Django's sessions in a table of our own: the row holds the person, the address and the browser. A
request costs no additional query; once a minute, one stores when its session was last seen.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any, Final, cast
from uuid import UUID

import structlog
from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore as StoredSession
from django.db import DatabaseError, transaction
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from pentathlon.accounts.models import BrowserSession, User
from pentathlon.core.clock import database_now
from pentathlon.core.errors import NotFound
from pentathlon.core.texts import storable

_SEEN_EVERY: Final = timedelta(minutes=1)
_LONGEST_USER_AGENT: Final = 300

_log = structlog.stdlib.get_logger(__name__)


class SessionStore(StoredSession):
    """The store of sessions; Django finds it by this name."""

    address = ""
    user_agent = ""
    """The browser that sent the request being served; `address` is where it came from."""
    row: BrowserSession | None = None
    """The row as it was last read or written; None before that."""

    @classmethod
    def get_model_class(cls) -> type[BrowserSession]:
        """Return the model of the rows."""
        return BrowserSession

    def _get_session_from_db(self) -> BrowserSession | None:
        self.row = super()._get_session_from_db()  # type: ignore[misc]  # the stubs leave it out
        return self.row

    def create_model_instance(self, data: dict[str, Any]) -> BrowserSession:
        """Return the row to write; it keeps what was known of the session."""
        row, known = cast(BrowserSession, super().create_model_instance(data)), self.row
        if known is not None and known.session_key == row.session_key:
            row.public_id, row.begun_at = known.public_id, known.begun_at
            row.address, row.user_agent = known.address, known.user_agent
        row.person_id = int(data[SESSION_KEY]) if SESSION_KEY in data else None
        row.address = self.address or row.address
        row.user_agent = self.user_agent or row.user_agent
        self.row = row
        return row


def note_sessions(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Store from which address, with which browser and when each session was last used."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        session = request.session
        if not isinstance(session, SessionStore):
            return get_response(request)
        session.address = request.META.get("REMOTE_ADDR", "")[:45]
        session.user_agent = storable(request.headers.get("User-Agent", ""))[:_LONGEST_USER_AGENT]
        response = get_response(request)
        _note(session)
        return response

    return answer


def own_sessions(person: User) -> list[BrowserSession]:
    """Return the person's valid sessions, the last used first."""
    rows = BrowserSession.objects.filter(person=person, expire_date__gt=database_now())
    good = person.get_session_auth_hash()
    return [
        row
        for row in rows.order_by("-seen_at")
        # Sessions from before a change of the password in the administration let nobody in.
        if constant_time_compare(_decoded(row).get(HASH_SESSION_KEY, ""), good)
    ]


@transaction.atomic
def end_session(*, actor: User, public_id: UUID) -> None:
    """End one of the actor's own sessions: its browser is signed out at once."""
    ended, _ = BrowserSession.objects.filter(person=actor, public_id=public_id).delete()
    if not ended:
        raise NotFound("You have no session with this id; it may have ended already.")
    _log.info("session ended", person=actor.pk)


@transaction.atomic
def end_other_sessions(*, actor: User, kept: str | None) -> int:
    """End all of the actor's sessions but the one with the key `kept`; return how many."""
    ended, _ = BrowserSession.objects.filter(person=actor).exclude(session_key=kept or "").delete()
    _log.info("other sessions ended", person=actor.pk, ended=ended)
    return ended


def _note(session: SessionStore) -> None:
    row = session.row
    if row is None or row.person_id is None or session.modified:
        return
    now = timezone.now()
    if now - row.seen_at < _SEEN_EVERY:
        return
    found = BrowserSession.objects.filter(pk=row.pk)
    try:
        found.update(seen_at=now, address=session.address, user_agent=session.user_agent)
    except DatabaseError as error:
        # The request is answered already; only the time of this use is lost.
        _log.warning("session not noted", reason=str(error).strip())


def _decoded(row: BrowserSession) -> dict[str, Any]:
    return SessionStore().decode(row.session_data)
