"""Desk records: matches that authors have played at their desks and uploaded."""

from dataclasses import dataclass

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from pentathlon.accounts.roles import is_staff
from pentathlon.core.errors import InvalidInput
from pentathlon.matches.desk_records.models import DeskRecord
from pentathlon.matches.desk_records.services import (
    CheckedRecord,
    check_record,
    delete_record,
    keep_record,
)
from pentathlon.web.form_keys import prepared, prepared_by
from pentathlon.web.replay.viewer import answer_actions, answer_board, answer_moment, make_viewer
from pentathlon.web.requests import (
    call_service,
    cursor_page,
    person,
    query_number,
    query_text,
    say,
    signed_in_post,
    signed_in_user,
)
from pentathlon_engines import GAMES, strict_json
from pentathlon_engines.errors import BadJson
from pentathlon_engines.record.record import events_by
from pentathlon_engines.record.shape import Record


class RecordForm(forms.Form):
    """A record that the `pentathlon` command has written."""

    record = forms.FileField(
        allow_empty_file=True,
        help_text="A .json file, for example from pentathlon play with --out.",
        widget=forms.FileInput({"accept": ".json,application/json"}),
        error_messages={"required": "Choose the .json file of the record."},
    )

    def check_record(self) -> CheckedRecord:
        """Return the verified record of a valid form; replaying the game may take long."""
        try:
            sent = strict_json.loads(self.cleaned_data["record"].read())
        except BadJson as error:
            raise InvalidInput(
                f"This file is not JSON: {error}. Choose the one that pentathlon wrote.",
                code="bad_record",
                field="record",
            ) from error
        return check_record(sent)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskSeat:
    """One seat as its row shows it; the name is only what the record claims."""

    seat: int
    name: str
    hash: str
    rank: int
    score: int | None
    has_failed: bool
    cpu_ms: int


@require_safe
def desk_records(request: HttpRequest) -> HttpResponse:
    """List uploaded records, newest first; `author` narrows it down."""
    found = DeskRecord.objects.listed()
    author = query_text(request, "author")
    if author:
        found = found.filter(author__username=author)
    context = {"section": "games", "page": cursor_page(request, found), "author": author}
    return render(request, "web/desk_records.html", context)


def _read_record(request: HttpRequest) -> tuple[RecordForm, CheckedRecord | None]:
    """Return the form with its record, if it has a good one; replaying the game may take long."""
    form = RecordForm(request.POST or None, request.FILES or None)
    return form, call_service(form, form.check_record) if form.is_valid() else None


@login_required
@require_http_methods(["GET", "POST"])
@prepared_by(_read_record)
def desk_record_new(request: HttpRequest) -> HttpResponse:
    """Upload a record that the reader has played at a desk."""
    author = signed_in_user(request)
    form, checked = prepared(request)
    if checked is not None:
        made = call_service(form, lambda: keep_record(actor=author, checked=checked))
        if made is not None:
            messages.success(request, "The record verifies, and everybody can see it.")
            return redirect("desk_record", made.pk)
    return render(request, "web/desk_record_new.html", {"section": "games", "form": form})


@require_safe
def desk_record(request: HttpRequest, record_id: int) -> HttpResponse:
    """Show an uploaded record: its replay, and that nobody here has played it."""
    found = get_object_or_404(DeskRecord.objects.select_related("author"), pk=record_id)
    record = found.record
    reader = person(request)
    context = {
        "section": "games",
        "desk": found,
        "info": GAMES[found.game].info,
        "may_delete": reader is not None and (reader.pk == found.author_id or is_staff(reader)),
        "viewer": make_viewer(
            _seats(found, record),
            record=record,
            ply=query_number(request, "ply"),
            seat=query_number(request, "seat"),
        ),
    }
    return render(request, "web/desk_record.html", context)


@require_safe
def desk_record_board(request: HttpRequest, record_id: int) -> HttpResponseBase:
    """Draw the position after `ply` events, as a spectator or a seat sees it."""
    found = get_object_or_404(DeskRecord, pk=record_id)
    return answer_board(request, "desk", found.chain, read=lambda: found.record)


@require_safe
def desk_record_moment(request: HttpRequest, record_id: int) -> HttpResponse:
    """Show what happened at `ply`: a part of the replay."""
    found = get_object_or_404(DeskRecord, pk=record_id)
    return answer_moment(request, found.record)


@require_safe
def desk_record_actions(request: HttpRequest, record_id: int) -> HttpResponse:
    """List the events around `ply`: a part of the replay."""
    found = get_object_or_404(DeskRecord, pk=record_id)
    return answer_actions(request, found.record)


@require_safe
def desk_record_file(request: HttpRequest, record_id: int) -> HttpResponse:
    """Send the record itself, for `pentathlon verify`."""
    found = get_object_or_404(DeskRecord, pk=record_id)
    response = JsonResponse(found.record)
    response["Content-Disposition"] = f'attachment; filename="desk-record-{found.pk}.json"'
    return response


@signed_in_post
def desk_record_delete(request: HttpRequest, record_id: int) -> HttpResponse:
    """Delete an uploaded record."""
    found = get_object_or_404(DeskRecord.objects.listed(), pk=record_id)
    actor = signed_in_user(request)
    delete_record(actor=actor, desk_record=found)
    return say(request, "The record is deleted.", "desk_records")


def _seats(found: DeskRecord, record: Record) -> list[DeskSeat]:
    return [
        DeskSeat(**place, cpu_ms=sum(event.cpu_ms for event in events_by(record, place["seat"])))
        for place in found.seats
    ]
