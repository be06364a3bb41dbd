"""The page on which a person sees the browsers that are signed in, and ends sessions."""

from uuid import UUID

from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from pentathlon.accounts.sessions import end_other_sessions, end_session, own_sessions
from pentathlon.web.account.browsers import device_name
from pentathlon.web.requests import signed_in_user
from pentathlon.web.responses import say, signed_in_post
from pentathlon_engines.commentary.words import count


@never_cache
@login_required
@require_safe
def sessions(request: HttpRequest) -> HttpResponse:
    """List the user's sessions, this one first."""
    key = request.session.session_key
    rows = [
        {"session": row, "device": device_name(row.user_agent), "is_this": row.pk == key}
        for row in own_sessions(signed_in_user(request))
    ]
    rows.sort(key=lambda row: not row["is_this"])
    return render(request, "web/credentials/sessions.html", {"rows": rows})


@signed_in_post
def session_end(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """End one of the user's sessions; ending this one signs out."""
    user, key = signed_in_user(request), request.session.session_key
    is_this = user.browser_sessions.filter(pk=key, public_id=public_id).exists()
    end_session(actor=user, public_id=public_id)
    if is_this:
        logout(request)
        return redirect("sign_in")
    return say(request, "The session is ended: that browser is signed out.", "sessions")


@login_required
@require_POST
def sessions_end_others(request: HttpRequest) -> HttpResponse:
    """End all of the user's sessions but this one."""
    user = signed_in_user(request)
    ended = end_other_sessions(actor=user, kept=request.session.session_key)
    verb = "is" if ended == 1 else "are"
    return say(request, f"{count(ended, 'other session')} {verb} ended.", "sessions")
