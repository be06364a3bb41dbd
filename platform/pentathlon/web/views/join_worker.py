"""The page on which staff let a machine work for the site."""

from http import HTTPStatus

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from pentathlon.fleet.tokens import create_worker_token
from pentathlon.web.forms.errors import call_service
from pentathlon.web.forms.workers import JoinForm
from pentathlon.web.requests import signed_in_user


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def join_worker(request: HttpRequest) -> HttpResponse:
    """Make a worker token, and show the commands that use it just once."""
    user = signed_in_user(request)
    if not user.is_staff:
        raise PermissionDenied
    form = JoinForm(request.POST or None)
    made = None
    if form.is_valid():
        facts = form.cleaned_data
        made = call_service(form, lambda: create_worker_token(actor=user, **facts))
    token, secret = made or (None, None)
    context = {"form": form, "token": token, "secret": secret, "section": "status"}
    status = HTTPStatus.OK if made is None else HTTPStatus.CREATED
    return render(request, "web/join_worker.html", context, status=status)
