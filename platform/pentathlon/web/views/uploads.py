"""Uploading a bot, or the next version of one."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from pentathlon.bots.models import Bot
from pentathlon.fleet.capabilities import read_fleet
from pentathlon.matches.uploads import submit_bot, submit_version
from pentathlon.web.forms.bots import UploadForm
from pentathlon.web.forms.errors import call_service
from pentathlon.web.requests import signed_in_user


@login_required
@require_http_methods(["GET", "POST"])
def upload(request: HttpRequest) -> HttpResponse:
    """Create a bot from its first upload."""
    owner = signed_in_user(request)
    form = UploadForm(request.POST or None, request.FILES or None)
    if form.is_valid():
        made = call_service(
            form,
            lambda: submit_bot(
                actor=owner,
                archive=form.cleaned_data["archive"],
                notes=form.cleaned_data["notes"],
                candidate=form.cleaned_data["candidate"],
            ),
        )
        if made is not None:
            return redirect("version", made.pk)
    return _page(request, form)


@login_required
@require_http_methods(["GET", "POST"])
def upload_version(request: HttpRequest, bot_id: int) -> HttpResponse:
    """Add the next version to one of the user's own bots."""
    actor = signed_in_user(request)
    bot = get_object_or_404(Bot.objects.owned_by(actor), pk=bot_id)
    form = UploadForm(request.POST or None, request.FILES or None)
    if form.is_valid():
        made = call_service(
            form,
            lambda: submit_version(
                actor=actor,
                bot=bot,
                archive=form.cleaned_data["archive"],
                notes=form.cleaned_data["notes"],
                candidate=form.cleaned_data["candidate"],
            ),
        )
        if made is not None:
            return redirect("version", made.pk)
    return _page(request, form, bot=bot)


def _page(request: HttpRequest, form: UploadForm, *, bot: Bot | None = None) -> HttpResponse:
    context = {"section": "bots", "form": form, "bot": bot, "fleet": read_fleet()}
    return render(request, "web/upload.html", context)
