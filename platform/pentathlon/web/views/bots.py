"""Bots and their versions."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.db.models import Exists, OuterRef
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from pentathlon.accounts.models import User
from pentathlon.accounts.roles import is_staff
from pentathlon.bots.archives import find_upload
from pentathlon.bots.models import TAKEN_OUT, Bot, BotVersion, VersionState
from pentathlon.bots.services import (
    activate_version,
    disqualify_version,
    reinstate_version,
    retire_version,
)
from pentathlon.core.caching import answer_if_changed, tag_of
from pentathlon.core.errors import DomainError
from pentathlon.core.throttle import count
from pentathlon.fleet.capabilities import read_fleet
from pentathlon.insight.rivalry.opponents import rivals_of
from pentathlon.ladders.models import Ladder
from pentathlon.ladders.tables import next_match, places_of
from pentathlon.matches.dispatch.reasons import why_waiting
from pentathlon.matches.latest import latest_faults, latest_matches
from pentathlon.matches.models import COMPETITIONS, Match, MatchSeat
from pentathlon.matches.uploads.services import submit_named, submit_version, validate_again
from pentathlon.ratings.models import Pool, Rating
from pentathlon.web.drawing.badges import badge_of
from pentathlon.web.drawing.charts import rating_chart
from pentathlon.web.form_keys import prepared, prepared_by
from pentathlon.web.forms.bots import ReasonForm, UploadForm, UploadsForm
from pentathlon.web.requests import (
    call_service,
    cursor_page,
    person,
    query_text,
    say,
    signed_in_form,
    signed_in_post,
    signed_in_user,
    wants_part,
)
from pentathlon_engines import GAMES
from pentathlon_engines.archive.archives import CheckedArchive

_BADGE_KEEPS = "public, max-age=120"
"""How caches may keep a badge, so that many readers of a README cost one request in two
minutes."""
Context = dict[str, Any]  # Any: what templates take
_RECENT = 10
_FAULTS = 5
_CANDIDATES = 20
"""Matches read of each version; some may be validation matches, which not everybody may see."""
_RATE: Final = "uploads"


@require_safe
def bots(request: HttpRequest) -> HttpResponse:
    """List bots, newest first; `q` searches names, `author` narrows it down."""
    found = Bot.objects.listed()
    query, author = query_text(request, "q"), query_text(request, "author")
    if query:
        found = found.filter(name__icontains=query)
    if author:
        found = found.filter(owner__username=author)
    page = cursor_page(request, found)
    context = {"section": "bots", "page": page, "query": query, "author": author}
    return render(request, "web/bots.html", context)


@require_safe
def bot(request: HttpRequest, bot_id: int) -> HttpResponse:
    """Show a bot: its ratings, their history, its matches and its faults."""
    found = get_object_or_404(Bot.objects.select_related("owner"), pk=bot_id)
    versions = list(found.versions.listed().order_by("-number"))
    live = Rating.objects.filter(version__bot=found, pool__in=Pool.objects.live())
    ratings = list(
        live.select_related("pool", "version").with_mean().ranked().order_by("-version__number")
    )
    newest = _newest_per_pool(ratings)
    reader = person(request)
    ladders = places_of(found)
    latest = Match.objects.filter(pk__in=latest_matches(found.pk, limit=_CANDIDATES))
    matches = latest.visible_to(reader).recent().with_seats()
    faults = MatchSeat.objects.filter(
        Exists(Match.objects.visible_to(reader).filter(pk=OuterRef("match"))),
        pk__in=latest_faults(found.pk, limit=_CANDIDATES),
    )
    context = {
        "section": "bots",
        "bot": found,
        "description": f"{found.name} by {found.owner.username}: ratings, matches and faults.",
        "is_owner": reader is not None and reader.pk == found.owner_id,
        "versions": versions,
        "newest": versions[0] if versions else None,
        "is_in_play": any(each.state == VersionState.ELIGIBLE for each in versions),
        "stopped": [each for each in versions if each.state in TAKEN_OUT],
        "ladders": ladders,
        "ratings": newest,
        "charts": [_chart(found, rating) for rating in newest],
        "rivals": rivals_of(found.pk),
        "matches": matches[:_RECENT],
        "faults": faults.filter(match__kind__in=COMPETITIONS)
        .select_related("version__bot")
        .order_by("-pk")[:_FAULTS],
    }
    return render(request, "web/bot.html", context)


@require_safe
def badge(request: HttpRequest, bot_id: int) -> HttpResponseBase:
    """Draw the badge of a bot for pages elsewhere; `ladder` names the ladder."""
    found = get_object_or_404(Bot, pk=bot_id)
    key = query_text(request, "ladder")
    ladder = get_object_or_404(Ladder, key=key) if key else None
    drawn = badge_of(found, ladder=ladder).draw()
    return answer_if_changed(
        request,
        tag=tag_of(drawn),
        make=lambda: HttpResponse(drawn, content_type="image/svg+xml; charset=utf-8"),
        keep=_BADGE_KEEPS,
    )


@require_safe
def version(request: HttpRequest, version_id: int) -> HttpResponse:
    """Show a version: its checks while they run, why it failed, and its log for the owner."""
    listed = BotVersion.objects.select_related("bot__owner", "archive").prefetch_related("games")
    found = get_object_or_404(listed.defer("archive__data"), pk=version_id)
    checks = Match.objects.validations_of(found.pk)
    waiting = checks.waiting().with_needs().first()
    reader = person(request)
    is_owner = reader is not None and reader.pk == found.bot.owner_id
    ladders = _ladders(found)
    context = {
        "section": "bots",
        "version": found,
        "comparable": _comparable(found) if is_owner else None,
        "checks": checks.with_seats().order_by("game"),
        "waiting": None if waiting is None else why_waiting(waiting),
        "is_owner": is_owner,
        "is_staff": _is_staff(reader),
        "ladders": ladders,
        "is_waiting": any(each["next"].is_first for each in ladders),
        "titles": [GAMES[key].info.title for key in found.game_keys if key in GAMES],
    }
    part = "web/parts/checks.html" if wants_part(request) else "web/version.html"
    return render(request, part, context)


@signed_in_form
def version_retire(request: HttpRequest, version_id: int) -> HttpResponse:
    """Ask, then retire a version."""
    owned = BotVersion.objects.owned_by(signed_in_user(request)).select_related("bot")
    found = get_object_or_404(owned, pk=version_id)
    if request.method == "GET":
        return render(request, "web/version_retire.html", {"section": "bots", "version": found})
    retire_version(actor=signed_in_user(request), version=found)
    return say(request, f"{found.label} is retired.", "version", found.pk)


@signed_in_form
def version_disqualify(request: HttpRequest, version_id: int) -> HttpResponse:
    """Ask staff for a reason, then disqualify a version."""
    found = get_object_or_404(BotVersion.objects.select_related("bot__owner"), pk=version_id)
    actor = signed_in_user(request)
    if not _is_staff(actor):
        raise PermissionDenied("Only staff may disqualify bots.")
    form = ReasonForm(request.POST or None)
    if form.is_valid():
        values = {"actor": actor, "version": found, **form.cleaned_data}
        if call_service(form, lambda: disqualify_version(**values)) is not None:
            return say(request, f"{found.label} is disqualified.", "version", found.pk)
    context = {"section": "bots", "version": found, "form": form}
    return render(request, "web/version_disqualify.html", context)


@signed_in_post
def version_reinstate(request: HttpRequest, version_id: int) -> HttpResponse:
    """Lift a disqualification; only staff may."""
    found = get_object_or_404(BotVersion.objects.select_related("bot__owner"), pk=version_id)
    reinstate_version(actor=signed_in_user(request), version=found)
    return say(request, f"{found.label} is no longer disqualified.", "version", found.pk)


@signed_in_post
def version_activate(request: HttpRequest, version_id: int) -> HttpResponse:
    """Activate a candidate."""
    actor = signed_in_user(request)
    owned = BotVersion.objects.owned_by(actor).select_related("bot__owner")
    found = activate_version(actor=actor, version=get_object_or_404(owned, pk=version_id))
    messages.success(request, f"{found.label} plays for {found.bot.name} as soon as it may play.")
    return redirect("version", found.pk)


@signed_in_post
def version_validate(request: HttpRequest, version_id: int) -> HttpResponse:
    """Validate a version again that was stopped or that our machines could not check."""
    owned = BotVersion.objects.owned_by(signed_in_user(request)).select_related("bot__owner")
    found = validate_again(
        actor=signed_in_user(request), version=get_object_or_404(owned, pk=version_id)
    )
    return say(request, f"{found.label} is being checked again.", "version", found.pk)


@login_required
@require_safe
def version_archive(request: HttpRequest, version_id: int) -> HttpResponse:
    """Send an owner the files of a version."""
    owned = BotVersion.objects.owned_by(signed_in_user(request)).select_related("bot")
    found = get_object_or_404(owned, pk=version_id)
    files = find_upload(found.archive_id, model=found.model_id, manifest=found.manifest)
    response = HttpResponse(files, content_type="application/zip")
    response["Content-Disposition"] = f'attachment; filename="{found.archive_name}"'
    return response


def _ladders(found: BotVersion) -> list[Context]:
    """Return the ladder places of a version that may play, with its next match."""
    if found.state != VersionState.ELIGIBLE:
        return []
    places = ((place, next_match(found, place)) for place in places_of(found.bot))
    return [{"place": place, "next": coming} for place, coming in places if coming is not None]


def _is_staff(reader: User | None) -> bool:
    return reader is not None and is_staff(reader)


def _comparable(found: BotVersion) -> BotVersion | None:
    """Return the best version to test a version against: the last one before it."""
    if found.state != VersionState.ELIGIBLE:
        return None
    earlier = found.bot.versions.filter(number__lt=found.number, state=VersionState.ELIGIBLE)
    return earlier.filter(games__game__in=found.game_keys).order_by("-number").first()


def _newest_per_pool(ratings: list[Rating]) -> list[Rating]:
    newest: dict[int, Rating] = {}
    for rating in ratings:
        newest.setdefault(rating.pool_id, rating)
    return sorted(newest.values(), key=lambda rating: rating.pool.title)


def _chart(found: Bot, rating: Rating) -> dict[str, object]:
    return {
        "title": rating.pool.title,
        "chart": rating_chart(bot_id=found.pk, pool_key=rating.pool.key),
    }


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
