"""Tournaments as everybody sees them: the list, and the tabs of each."""

from bisect import bisect_left
from itertools import accumulate
from typing import Any

from django.db.models import Exists, OuterRef
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from pentathlon.insight.stories import highlights
from pentathlon.live.snapshots import tournament_now
from pentathlon.matches.dispatch.reasons import Reason, read_situation, why_waiting
from pentathlon.matches.latest import faults_of_lane
from pentathlon.matches.models import Match, MatchState
from pentathlon.tournaments.documents.document import (
    document_json,
    reads_results,
    revealed_event_key,
)
from pentathlon.tournaments.entries.eligibility import rules_of
from pentathlon.tournaments.estimates.dry_runs import cautions_of, estimate
from pentathlon.tournaments.estimates.progress import (
    NOTHING_PLAYED,
    Progress,
    count_done,
    progress,
)
from pentathlon.tournaments.guards import Unreadable, is_organiser_of
from pentathlon.tournaments.models import (
    UNSTARTED,
    EntryState,
    Tournament,
    TournamentMatch,
    TournamentState,
)
from pentathlon.tournaments.organising.arrangement import invited_names
from pentathlon.tournaments.results.final_table import podiums
from pentathlon.tournaments.results.hidden_results import are_hidden, hidden_lanes, may_release
from pentathlon.tournaments.results.standings import Standing, crosstable, seat_rates, standings
from pentathlon.tournaments.scheduling.secrecy import count_parts
from pentathlon.web.docs.guides import render_text, summary_of
from pentathlon.web.forms.arrangement import InviteForm
from pentathlon.web.forms.tournaments import EntryForm
from pentathlon.web.pairings import MOST_MATCHES, bracket, swiss_round
from pentathlon.web.requests import (
    changes_since,
    cursor_page,
    get_tournament,
    person,
    query_number,
    query_text,
    reload_page,
)
from pentathlon.web.tables import (
    crosstable_rows,
    finishes_at,
    format_name,
    replacement_lines,
    tournament_lines,
)
from pentathlon.web.templatetags.components import state_words
from pentathlon_engines import GAMES
from pentathlon_engines.tournament.document import document_hash
from pentathlon_engines.tournament.formats.interface import LAWS
from pentathlon_engines.tournament.tie_breaks import TITLES

Context = dict[str, Any]  # Any: what templates take
_ENDED = (TournamentState.CLOSED, TournamentState.CANCELLED)
_STATES_SHOWN = (("open", "open for entries"), ("running", "running"), ("closed", "finished"))
_ALL_MEET = ("round_robin", "tables")
"""Formats in which everybody meets, so that a crosstable is full."""
_PAIRED_BY_RESULTS = ("knockout", "swiss")
_CHANCES_SHOWN = 6
_SMALLEST_CHANCE = 0.005
_ALMOST_SURE = 0.95
_LARGEST_CROSSTABLE = 60
_SHOWN_ANYWAY = ("points", "fit")
"""Tie-breaks that have a column of their own anyway."""
_MOST_SEATS = 500
"""The most seats on one page of the schedule; rounds of large tables have more."""


@require_safe
def tournaments(request: HttpRequest) -> HttpResponse:
    """List tournaments, newest first; `state` and `game` narrow it down."""
    shown = Tournament.objects.visible_to(person(request)).organised()
    state, game = query_text(request, "state"), query_text(request, "game")
    if state in TournamentState.values:
        shown = shown.filter(state=state)
    if game:
        shown = shown.filter(game=game)
    page = cursor_page(request, shown.listed())
    hidden = hidden_lanes(person(request))
    lines = tournament_lines(page.rows, hidden=hidden)
    context = {
        "section": "tournaments",
        "page": page,
        "tournaments": lines,
        "state": state,
        "states": _STATES_SHOWN,
        "game": game,
        "games": [each.info for each in GAMES.values()],
    }
    return render(request, "web/tournaments.html", context)


@require_safe
def tournament(request: HttpRequest, tournament_id: int) -> HttpResponse:
    """Show the table of a tournament, or its entries while it is open or has no table."""
    found, context = load_tournament(request, tournament_id, tab="table")
    if found.state in UNSTARTED:
        return render(request, "web/tournament/open.html", {**context, **_entries(request, found)})
    context["replacements"] = replacement_lines(found, hides=context["hides_results"])
    if not context["hides_results"]:
        try:
            context |= _table(request, found, context["progress"])
            return render(request, "web/tournament/table.html", context)
        except Unreadable as error:
            context["unreadable"] = error.detail
    context["entries"] = found.entries.in_order()
    return render(request, "web/tournament/hidden.html", context)


def _table(request: HttpRequest, found: Tournament, standing: Progress) -> Context:
    context: Context = {}
    context["all_meet"] = found.format in _ALL_MEET
    context["tie_breaks"] = [TITLES[name] for name in found.tie_breaks]
    columns = [name for name in found.tie_breaks if name not in _SHOWN_ANYWAY]
    context["columns"] = {name: TITLES[name] for name in columns}
    if context["all_meet"] and found.entries.count() <= _LARGEST_CROSSTABLE:
        pairs = crosstable(found)
        context["crosstable"] = crosstable_rows(pairs)
        rows = [row.standing for row in pairs]
    else:
        rows = standings(found)
    context["rows"] = rows
    context["is_by_strength"] = not found.places and found.tie_breaks[:1] in ([], ["fit"])
    context["has_forfeits"] = any(row.forfeits for row in rows)
    context["law"] = LAWS.get(found.leaving, "")
    context["best"] = _best(rows)
    context["highlights"] = highlights(found) if found.state == TournamentState.CLOSED else []
    context["seat_rates"] = seat_rates(found)
    context["seen"] = standing.done
    return context | _pairings(request, found)


@require_safe
def tournament_matches(request: HttpRequest, tournament_id: int) -> HttpResponse:
    """Show the matches of a tournament, newest first."""
    found, context = load_tournament(request, tournament_id, tab="matches")
    matches = Match.objects.of_lane(found.pk).visible_to(person(request)).with_seats()
    context["page"] = cursor_page(request, matches)
    parts = count_parts(found)
    context["parts"] = range(1, parts + 1) if parts > 1 and not context["hides_results"] else ()
    return render(request, "web/tournament/matches.html", context)


@require_safe
def tournament_schedule(request: HttpRequest, tournament_id: int) -> HttpResponse:
    """Show one round of the schedule, and why its matches are not running."""
    found, context = load_tournament(request, tournament_id, tab="schedule")
    places = TournamentMatch.objects.filter(tournament=found)
    if context["hides_results"]:
        # Pairings of a format that reads results reveal them, so they wait for the results'
        # release.
        visible = Match.objects.visible_to(person(request)).filter(pk=OuterRef("match"))
        places = places.filter(Exists(visible))
    last = places.order_by("-index").values_list("round", flat=True).first() or 0
    number = max(1, min(query_number(request, "round") or 1, last))
    length = _MOST_SEATS // found.table_seats
    page = max(1, query_number(request, "page") or 1)
    begin = (page - 1) * length
    # One match more than is shown tells whether the round goes on.
    shown = list(places.filter(round=number).in_order()[begin : begin + length + 1])
    situation = read_situation()
    context["places"] = [
        {"place": place, "reason": why_waiting(place.match, situation)} for place in shown[:length]
    ]
    context |= {
        "round": number,
        "rounds": last,
        "page": page,
        "has_next_page": len(shown) > length,
    }
    return render(request, "web/tournament/schedule.html", context)


@require_safe
def tournament_faults(request: HttpRequest, tournament_id: int) -> HttpResponse:
    """Show the faults of bots, and the matches that the platform could not play."""
    found, context = load_tournament(request, tournament_id, tab="faults")
    shown = Match.objects.of_lane(found.pk).visible_to(person(request))
    seats = faults_of_lane(found.pk)
    if context["hides_results"]:
        seats = seats.filter(Exists(shown.filter(pk=OuterRef("match"))))
    context["page"] = cursor_page(request, seats.select_related("version__bot__owner"))
    voids = shown.filter(state=MatchState.VOID)
    context["voids"] = voids.with_seats().order_by("-pk")[:50]
    return render(request, "web/tournament/faults.html", context)


@require_safe
def tournament_document(request: HttpRequest, tournament_id: int) -> HttpResponse:
    """Show the document from which the whole schedule follows."""
    found, context = load_tournament(request, tournament_id, tab="document")
    source = document_json(found)
    if "download" in request.GET:
        response = JsonResponse(source, json_dumps_params={"indent": 2})
        response["Content-Disposition"] = f'attachment; filename="tournament-{found.pk}.json"'
        return response
    context["document"] = source
    context["document_hash"] = document_hash(source) if found.fixed_document else None
    return render(request, "web/tournament/document.html", context)


@require_safe
def tournament_progress(request: HttpRequest, tournament_id: int) -> HttpResponse:
    """Show only the figures of a tournament, for open pages.

    Once the state differs from that of the page that asks, the page is loaded again: badge,
    buttons and table change with it.
    """
    found, context = load_tournament(request, tournament_id, tab="")
    if request.GET.get("state", found.state) != found.state:
        return reload_page()
    return render(request, "web/tournament/figures.html", context)


@require_safe
def tournament_changes(request: HttpRequest, tournament_id: int) -> HttpResponse:
    """Show how many results are missing from the table on an open page."""
    found = get_tournament(request, tournament_id)
    count = 0 if are_hidden(found, person(request)) else count_done(found)
    return changes_since(request, count)


def load_tournament(
    request: HttpRequest, tournament_id: int, *, tab: str
) -> tuple[Tournament, Context]:
    """Return a tournament that this person may see, with the context that all of its tabs show."""
    found = get_tournament(request, tournament_id)
    # The mark is read before everything that it stands for.
    mark = tournament_now(found.pk).mark
    reader = person(request)
    hides = are_hidden(found, reader)
    standing = NOTHING_PLAYED if hides else progress(found)
    podium = None if hides else podiums([found.pk]).get(found.pk)
    context: Context = {
        "section": "tournaments",
        "tournament": found,
        "mark": mark,
        "description": f"{podium.story if podium else ''} {_summary(found)}".strip(),
        "about": render_text(found.description) if found.description else "",
        "info": GAMES[found.game].info,
        "organisers": found.organiser_names,
        "tab": tab,
        "hides_results": hides,
        "is_hidden": hides or are_hidden(found, None),
        "podium": podium,
        "progress": standing,
        "finishes_at": finishes_at(standing),
        "reason": _why_idle(found, standing),
        "event_key": revealed_event_key(found),
        "has_started": found.state not in UNSTARTED,
        "format_name": format_name(found),
        "reads_results": reads_results(found),
        "is_being_scheduled": not hides
        and found.state not in _ENDED
        and not found.is_fully_scheduled,
        "has_ended": found.state in _ENDED,
        "is_long": not hides and count_parts(found) > 1,
        "is_owner": reader is not None and (reader.is_superuser or is_organiser_of(reader, found)),
        "may_release": reader is not None and may_release(reader, found),
    }
    return found, context


def _summary(found: Tournament) -> str:
    """Return what a preview of the page says in one line."""
    kind = f"{GAMES[found.game].info.title}: {format_name(found)}, {state_words(found.state)}."
    return f"{found.name}, a tournament of {kind} {summary_of(found.description)}".strip()


def _pairings(request: HttpRequest, found: Tournament) -> Context:
    """Return the bracket of a knockout, or one round of a Swiss tournament."""
    if found.scheduled > MOST_MATCHES or found.format not in _PAIRED_BY_RESULTS:
        return {}
    places = TournamentMatch.objects.filter(tournament=found)
    last = places.order_by("-index").values_list("round", flat=True).first() or 0
    if not last:
        return {}
    if found.format == "knockout":
        return {"bracket": bracket(found)}
    number = max(1, min(query_number(request, "round") or last, last))
    pairings = swiss_round(found, number)
    return {"pairings": pairings, "round": number, "rounds": last}


def _why_idle(found: Tournament, standing: Progress) -> Reason | None:
    """Return why no match of a tournament runs although some wait."""
    if standing.running or not standing.waiting:
        return None
    waiting = Match.objects.of_lane(found.pk).waiting()
    first = waiting.with_needs().first()
    return None if first is None else why_waiting(first)


def _entries(request: HttpRequest, found: Tournament) -> Context:
    entries = list(found.entries.in_order())
    reader = person(request)
    mine: set[int] = set()
    if reader is not None:
        organises = is_organiser_of(reader, found)
        own = found.entries.all() if organises else found.entries.behind(reader)
        mine.update(own.values_list("pk", flat=True))
    return {
        "entries": entries,
        "withdrawable": mine,
        "disqualified": found.entries.filter(state=EntryState.DISQUALIFIED).select_related(
            "version__bot"
        ),
        "estimate": estimate(found),
        "cautions": cautions_of(found),
        "form": EntryForm(actor=reader, tournament=found),
        "rules": rules_of(found).sentences(),
        "invite": InviteForm(),
        "invited": invited_names(found),
    }


def _best(rows: list[Standing]) -> Context:
    """Return the chances of being best, and the fewest bots of which one is almost surely it."""
    chances = sorted((row for row in rows if row.place is not None), key=_by_chance)
    sums = list(accumulate(row.chance_of_best for row in chances))
    open_to = bisect_left(sums, _ALMOST_SURE) + 1
    return {
        "chances": [row for row in chances if row.chance_of_best >= _SMALLEST_CHANCE][
            :_CHANCES_SHOWN
        ],
        "between": [row.version.bot.name for row in chances[:open_to]],
        "sure": sums[min(open_to, len(sums)) - 1] if sums else 0,
        "is_too_early": all(row.matches == 0 for row in rows),
    }


def _by_chance(row: Standing) -> float:
    return -row.chance_of_best
