"""Uploading a bot, or several, or the next version of one."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from pentathlon.accounts.models import User
from pentathlon.bots.models import Bot, BotVersion
from pentathlon.core.errors import DomainError
from pentathlon.core.throttle import count
from pentathlon.fleet.capabilities import read_fleet
from pentathlon.matches.uploads.services import submit_named, submit_version
from pentathlon.web.form_keys import prepared, prepared_by
from pentathlon.web.forms.bots import UploadForm, UploadsForm
from pentathlon.web.forms.errors import call_service
from pentathlon.web.requests import signed_in_user
from pentathlon_engines.archive.archives import CheckedArchive

_RATE: Final = "uploads"


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """The outcome for one of several archives."""

    file: str
    version: BotVersion | None = None
    refusal: str = ""


def _read_uploads(request: HttpRequest) -> UploadsForm:
    """Return the form with its archives, if any, read and checked."""
    form = UploadsForm(request.POST or None, request.FILES or None)
    form.is_valid()
    return form


def _read_upload(request: HttpRequest) -> UploadForm:
    """Return the form with its archive, if any, read and checked."""
    form = UploadForm(request.POST or None, request.FILES or None)
    form.is_valid()
    return form


@login_required
@require_http_methods(["GET", "POST"])
@prepared_by(_read_uploads)
def upload(request: HttpRequest) -> HttpResponse:
    """Create a bot from its first upload, or store several uploads at once."""
    owner = signed_in_user(request)
    form: UploadsForm = prepared(request)
    if form.is_valid():
        archives = form.cleaned_data["archive"]
        if len(archives) > 1:
            return _page(request, UploadsForm(), uploads=[*_store(owner, form)])
        return _submit(request, form, archives[0][1])
    return _page(request, form)


@login_required
@require_http_methods(["GET", "POST"])
@prepared_by(_read_upload)
def upload_version(request: HttpRequest, bot_id: int) -> HttpResponse:
    """Add the next version to one of the user's own bots."""
    actor = signed_in_user(request)
    bot = get_object_or_404(Bot.objects.owned_by(actor), pk=bot_id)
    form: UploadForm = prepared(request)
    if form.is_valid():
        return _submit(request, form, form.cleaned_data["archive"], bot=bot)
    return _page(request, form, bot=bot)


def _submit(
    request: HttpRequest,
    form: UploadForm | UploadsForm,
    archive: CheckedArchive,
    *,
    bot: Bot | None = None,
) -> HttpResponse:
    facts = {name: form.cleaned_data[name] for name in ("notes", "candidate")}
    actor = signed_in_user(request)
    made = call_service(
        form, lambda: submit_version(actor=actor, archive=archive, bot=bot, **facts)
    )
    return _page(request, form, bot=bot) if made is None else redirect("version", made.pk)


def _store(owner: User, form: UploadsForm) -> Iterator[Upload]:
    """Store or refuse each of several archives by itself."""
    for number, (file, checked) in enumerate(form.cleaned_data["archive"]):
        # The request itself has counted as the first upload.
        if number and (wait_s := count(_RATE, owner.pk)):
            yield Upload(file=file, refusal=f"Too many uploads: try again in {wait_s} s.")
        elif isinstance(checked, DomainError):
            yield Upload(file=file, refusal=checked.detail)
        else:
            yield _store_one(owner, file, checked, form)


def _store_one(owner: User, file: str, archive: CheckedArchive, form: UploadsForm) -> Upload:
    try:
        version = submit_named(
            actor=owner,
            archive=archive,
            notes=form.cleaned_data["notes"],
            candidate=form.cleaned_data["candidate"],
        )
    except DomainError as error:
        return Upload(file=file, refusal=error.detail)
    return Upload(file=file, version=version)


def _page(
    request: HttpRequest,
    form: UploadForm | UploadsForm,
    *,
    bot: Bot | None = None,
    uploads: Sequence[Upload] = (),
) -> HttpResponse:
    context = {"section": "bots", "form": form, "bot": bot, "fleet": read_fleet()}
    status = HTTPStatus.CREATED if uploads else HTTPStatus.OK
    return render(request, "web/upload.html", {**context, "uploads": uploads}, status=status)
