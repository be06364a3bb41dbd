"""Examples of what organisers ask, and of what everybody reads of tournaments and events."""

from __future__ import annotations

from typing import Any, Final

from pentathlon.tournaments.entries.withdrawals import disqualify_entry
from pentathlon.tournaments.handovers.services import offer_share, offer_tournament
from pentathlon.trust.models import Quarantine, Verdict
from pentathlon.trust.quarantine import review_results
from tests.api.examples.asking import Id, Making, after, at
from tests.api.examples.world import World

_WHY: Final = {"reason": "It hangs on rivers."}
_NEW: Final[dict[str, Any]] = {
    "name": "Spring Cup",
    "game": "tuned",
    "format": "round_robin",
    "versions": [Id("version"), Id("other version")],
    "params": {"cycles": 2},
    "rated": False,
}
_STAFF: Final = {"verdict": "keep", "reason": "Seen by eye."}


def _disqualify(world: World) -> None:
    disqualify_entry(
        actor=world.organiser,
        tournament=world.scene.open,
        version_id=world.scene.versions[0].pk,
        reason="It cheats.",
    )


def _offer(world: World) -> None:
    offer_tournament(
        actor=world.organiser, tournament=world.scene.running, username="second-organiser"
    )


def _share(world: World) -> None:
    offer_share(actor=world.organiser, tournament=world.scene.running, username="second-organiser")


def _decide(world: World) -> None:
    review_results(
        actor=world.people["staff"],
        quarantine=Quarantine.objects.get(),
        verdict=Verdict.KEEP,
        reason="Seen by eye.",
    )


CALLS: Final[dict[str, Making]] = {
    "events_list": at(query={"owner": "organiser", "since": "2020-01-01"}),
    "events_create": at(
        "organiser",
        body={"name": "Week", "games": ["tuned", "azure"], "description": "All week."},
    ),
    "events_retrieve": at(id=Id("event")),
    "events_table_list": at(id=Id("event")),
    "audit_list": at("staff", query={"kind": "tournament", "page_size": 1}),
    "audit_residuals_list": at("staff"),
    "quarantines_list": at("staff"),
    "quarantines_retrieve": at("staff", id=Id("quarantine")),
    "quarantines_results_list": at("staff", id=Id("quarantine")),
    "quarantines_review_create": at("staff", id=Id("quarantine"), body=_STAFF),
    "quarantines_end_create": after(
        _decide, at("staff", id=Id("quarantine"), body={"reason": "Mended."})
    ),
    "teams_list": at(query={"member": "author"}),
    "teams_create": at("author", body={"name": "Night Owls"}),
    "teams_retrieve": at("author", id=Id("team")),
    "teams_destroy": at("author", id=Id("team")),
    "teams_invitations_list": at("second organiser"),
    "teams_invite_create": at("author", id=Id("team"), body={"person": "guest"}),
    "teams_remove_create": at("author", id=Id("team"), body={"person": "organiser"}),
    "teams_accept_create": at("second organiser", id=Id("team")),
    "teams_decline_create": at("second organiser", id=Id("team")),
    "teams_leave_create": at("organiser", id=Id("team")),
    "tournaments_audit_list": at("organiser", id=Id("paused")),
    "tournaments_list": at(query={"game": "tuned", "state": "closed"}),
    "tournaments_create": at("organiser", body=_NEW),
    "tournaments_retrieve": at(id=Id("closed")),
    "tournaments_destroy": at("organiser", id=Id("draft")),
    "tournaments_cancel_create": at("organiser", id=Id("open")),
    "tournaments_crosstable_list": at(id=Id("closed")),
    "tournaments_document_retrieve": at(id=Id("closed")),
    "tournaments_draft_retrieve": at("organiser", id=Id("draft")),
    "tournaments_draft_partial_update": at(
        "organiser", id=Id("draft"), body={"name": "New plan", "revision": Id("revision")}
    ),
    "tournaments_dry_run_retrieve": at("organiser", id=Id("full")),
    "tournaments_dry_run_create": at("organiser", body=_NEW),
    "tournaments_entries_list": at(id=Id("open")),
    "tournaments_entries_create": at(
        "author", id=Id("open"), body={"version": Id("second"), "team": Id("team")}
    ),
    "tournaments_entries_disqualify_create": at(
        "organiser", id=Id("open"), version=Id("version"), body=_WHY
    ),
    "tournaments_entries_reinstate_create": after(
        _disqualify,
        at("organiser", id=Id("open"), version=Id("version"), body={"reason": "It did not."}),
    ),
    "tournaments_entries_replace_create": at(
        "author", id=Id("open"), version=Id("version"), body={"by": Id("newer version")}
    ),
    "tournaments_entries_withdraw_create": at("author", id=Id("open"), version=Id("version")),
    "tournaments_events_retrieve": at(id=Id("closed")),
    "tournaments_faults_list": at(id=Id("closed")),
    "tournaments_handover_retrieve": after(_offer, at("organiser", id=Id("running"))),
    "tournaments_handover_create": at(
        "organiser", id=Id("running"), body={"person": "second-organiser"}
    ),
    "tournaments_handover_destroy": after(_offer, at("organiser", id=Id("running"))),
    "tournaments_handover_accept_create": after(_offer, at("second organiser", id=Id("running"))),
    "tournaments_handover_assign_create": at(
        "staff",
        id=Id("running"),
        body={"person": "second-organiser", "reason": "Its organiser has left."},
    ),
    "tournaments_invitations_create": at(
        "organiser", id=Id("invitational"), body={"invited": ["author"]}
    ),
    "tournaments_open_create": at("organiser", id=Id("draft")),
    "tournaments_organisers_list": at(id=Id("running")),
    "tournaments_organisers_create": at(
        "organiser", id=Id("running"), body={"person": "second-organiser"}
    ),
    "tournaments_organisers_destroy": after(
        _share, at("organiser", id=Id("running"), username="second-organiser")
    ),
    "tournaments_partial_update": at(
        "organiser",
        id=Id("open"),
        body={"description": "Bring **one** bot.", "revision": Id("setup")},
    ),
    "tournaments_pause_create": at("organiser", id=Id("running")),
    "tournaments_progress_retrieve": at(id=Id("running")),
    "tournaments_proof_retrieve": at(id=Id("closed")),
    "tournaments_release_create": at("organiser", id=Id("hidden")),
    "tournaments_rerun_create": at("organiser", id=Id("running"), body={"block": 1, **_WHY}),
    "tournaments_results_csv_retrieve": at(id=Id("closed")),
    "tournaments_resume_create": at("organiser", id=Id("paused")),
    "tournaments_schedule_list": at(id=Id("running"), query={"round": 1, "page_size": 2}),
    "tournaments_schema_retrieve": at(),
    "tournaments_seats_list": at(id=Id("closed")),
    "tournaments_standings_list": at(id=Id("closed")),
    "tournaments_standings_csv_retrieve": at(id=Id("closed")),
    "tournaments_start_create": at("organiser", id=Id("full")),
    "tournaments_void_create": at("organiser", id=Id("running"), body={"round": 1, **_WHY}),
}
