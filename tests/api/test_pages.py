"""What the API can do, pages can do, too: the page or form of each operation, or a reason."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import yaml

from pentathlon.env import CHECKOUT
from pentathlon.web.urls import urlpatterns

_TEMPLATES: Final = CHECKOUT / "platform" / "pentathlon" / "web" / "templates"

PAGES: Final[Mapping[str, str]] = {
    "bots_list": "bots",
    "bots_create": "upload",
    "bots_retrieve": "bot",
    "bots_against": "head_to_head",
    "bots_meetings": "head_to_head",
    "bots_opponents": "opponents",
    "bots_rivals": "opponents",
    "challenges_list": "challenges",
    "challenges_create": "challenge_new",
    "challenges_retrieve": "challenge",
    "challenges_cancel_create": "challenge_cancel",
    "challenges_quota_retrieve": "account",
    "quotas_list": "account",
    "datasets_list": "datasets",
    "datasets_retrieve": "dataset",
    "datasets__ndjson_retrieve": "dataset",
    "datasets__parquet_retrieve": "dataset",
    "datasets_SHA256SUMS_retrieve": "dataset",
    "datasets_history__ndjson_retrieve": "datasets",
    "desk_records_list": "desk_records",
    "desk_records_create": "desk_record_new",
    "desk_records_retrieve": "desk_record",
    "desk_records_destroy": "desk_record_delete",
    "desk_records_board_svg_retrieve": "desk_record_board",
    "desk_records_commentary_retrieve": "desk_record",
    "desk_records_record_retrieve": "desk_record_file",
    "events_list": "events",
    "events_create": "event_new",
    "events_retrieve": "event",
    "events_table_list": "event",
    "friendlies_list": "friendlies",
    "friendlies_create": "friendly_new",
    "friendlies_retrieve": "friendly",
    "friendlies_act_create": "friendly_act",
    "friendlies_commentary_retrieve": "friendly",
    "friendlies_events_retrieve": "friendly",
    "friendlies_board_svg_retrieve": "friendly_board",
    "friendlies_record_retrieve": "friendly_file",
    "friendlies_resign_create": "friendly_resign",
    "games_list": "games",
    "games_retrieve": "game",
    "games_explorer_retrieve": "explorer",
    "kit": "kit",
    "log_retrieve": "log",
    "log_consistency_retrieve": "verify",
    "log_receipt_retrieve": "log",
    "log_roots_list": "log",
    "matches_inclusion": "match",
    "ladders_list": "ladders",
    "ladders_retrieve": "ladder",
    "ladders_join_create": "ladder_choice",
    "ladders_leave_create": "ladder_choice",
    "ladders_pause_create": "ladder_choice",
    "ladders_seasons_list": "ladder",
    "ladders_standings_list": "ladder",
    "ladders_season_standings": "ladder_season",
    "ladders_season_standings_csv": "ladder_csv",
    "leaderboards_list": "leaderboard",
    "leaderboards_table": "leaderboard",
    "leaderboards_table_csv_retrieve": "leaderboard_csv",
    "me": "profile",
    "me_delete": "account_delete",
    "me_export": "data_export",
    "me_passkey": "account_delete_options",
    "me_password": "password_change",
    "me_settings": "account_settings",
    "me_verify_email": "email_verify",
    "matches_history__ndjson_retrieve": "matches",
    "matches_list": "matches",
    "matches_retrieve": "match",
    "matches_analysis_retrieve": "match",
    "matches_events_retrieve": "match",
    "matches_events_of_several": "tv",
    "matches_logs_list": "match",
    "matches_requeue_create": "match_requeue",
    "matches_rerun_create": "match_rerun",
    "matches_void_create": "match_void",
    "matches_seats_bundle_zip_retrieve": "seat_bundle",
    "matches_seats_log_txt_retrieve": "seat_log",
    "people_rivals_list": "profile",
    "people_retrieve": "profile",
    "audit_list": "audit",
    "audit_residuals_list": "residuals",
    "quarantines_list": "quarantines",
    "quarantines_retrieve": "quarantine",
    "quarantines_results_list": "quarantine",
    "quarantines_review_create": "quarantine",
    "quarantines_end_create": "quarantine",
    "rankings_list": "ranking",
    "rankings_table": "ranking",
    "replays_retrieve": "record",
    "replays_commentary_retrieve": "match",
    "replays_board_svg_retrieve": "board",
    "search_list": "search",
    "sessions_list": "sessions",
    "sessions_destroy": "session_end",
    "sessions_end_others_create": "sessions_end_others",
    "status": "status",
    "teams_list": "teams",
    "teams_create": "teams",
    "teams_retrieve": "team",
    "teams_destroy": "team_delete",
    "teams_accept_create": "team_accept",
    "teams_decline_create": "team_decline",
    "teams_invitations_list": "teams",
    "teams_invite_create": "team",
    "teams_leave_create": "team_leave",
    "teams_remove_create": "team_remove",
    "tokens_list": "account",
    "tokens_create": "account",
    "tokens_destroy": "token_revoke",
    "tournaments_list": "tournaments",
    "tournaments_create": "tournament_new",
    "tournaments_retrieve": "tournament",
    "tournaments_destroy": "tournament_delete",
    "tournaments_audit_list": "tournament_audit",
    "tournaments_cancel_create": "tournament_cancel",
    "tournaments_crosstable_list": "tournament",
    "tournaments_document_retrieve": "tournament_document",
    "tournaments_draft_retrieve": "tournament_edit",
    "tournaments_draft_partial_update": "tournament_edit",
    "tournaments_dry_run_retrieve": "tournament",
    "tournaments_dry_run_create": "tournament_new",
    "tournaments_entries_list": "tournament_document",
    "tournaments_entries_create": "tournament_enter",
    "tournaments_entries_disqualify_create": "tournament_disqualify",
    "tournaments_entries_reinstate_create": "tournament_reinstate",
    "tournaments_entries_replace_create": "tournament_replace",
    "tournaments_entries_withdraw_create": "tournament_withdraw",
    "tournaments_events_retrieve": "tournament",
    "tournaments_faults_list": "tournament_faults",
    "tournaments_handover_retrieve": "tournament_handover",
    "tournaments_handover_create": "tournament_handover",
    "tournaments_handover_destroy": "handover_end",
    "tournaments_handover_accept_create": "handover_accept",
    "tournaments_handover_assign_create": "tournament_handover",
    "tournaments_invitations_create": "tournament_invite",
    "tournaments_open_create": "tournament_open",
    "tournaments_organisers_list": "tournament_handover",
    "tournaments_organisers_create": "tournament_handover",
    "tournaments_organisers_destroy": "organiser_remove",
    "tournaments_partial_update": "tournament_change",
    "tournaments_pause_create": "tournament_pause",
    "tournaments_progress_retrieve": "tournament",
    "tournaments_proof_retrieve": "tournament_document",
    "tournaments_release_create": "tournament_release",
    "tournaments_rerun_create": "tournament_rerun",
    "tournaments_results_csv_retrieve": "tournament_csv",
    "tournaments_resume_create": "tournament_resume",
    "tournaments_schedule_list": "tournament_schedule",
    "tournaments_seats_list": "tournament",
    "tournaments_standings_list": "tournament",
    "tournaments_standings_csv_retrieve": "standings_csv",
    "tournaments_start_create": "tournament_start",
    "tournaments_void_create": "tournament_void",
    "tournaments_schema_retrieve": "tournament_document",
    "versions_list": "bot",
    "versions_create": "upload_version",
    "versions_batch_create": "upload",
    "versions_ratings": "version",
    "versions_rating_history": "bot",
    "versions_retrieve": "version",
    "versions_activate_create": "version_activate",
    "versions_archive_retrieve": "version_archive",
    "versions_disqualify_create": "version_disqualify",
    "versions_log_retrieve": "version",
    "versions_reinstate_create": "version_reinstate",
    "versions_retire_create": "version_retire",
    "versions_validate_create": "version_validate",
    "webhooks_list": "webhooks",
    "webhooks_create": "webhook_new",
    "webhooks_retrieve": "webhook",
    "webhooks_partial_update": "webhook",
    "webhooks_destroy": "webhook_delete",
    "webhooks_deliveries_list": "webhook",
    "webhooks_deliveries_redeliver_create": "webhook_redeliver",
    "webhooks_ping_create": "webhook_ping",
    "webhooks_rotate_create": "webhook_rotate",
    "webhooks_events_list": "webhooks_guide",
    "workers_list": "workers",
}
"""For each operation, the name of the address that does the same for a person."""

NO_PAGE: Final[Mapping[str, str]] = dict.fromkeys(
    ("device_create", "device_token_create", "tokens_current", "tokens_current_revoke"),
    "for a terminal that signs in",
)
_OF_WORKERS: Final = "fleet_"
"""Operations with this prefix are for machines with the token of a worker."""


def _operations() -> set[str]:
    schema = yaml.safe_load((CHECKOUT / "api" / "schema.yaml").read_text())
    return {
        operation["operationId"]
        for methods in schema["paths"].values()
        for operation in methods.values()
        if not operation["operationId"].startswith(_OF_WORKERS)
    }


def test_every_operation_has_its_page_or_a_reason() -> None:
    named = {pattern.name for pattern in urlpatterns}

    assert PAGES.keys() | NO_PAGE.keys() == _operations()
    assert PAGES.keys() & NO_PAGE.keys() == set()
    assert set(PAGES.values()) <= named


def test_every_page_of_the_table_is_led_to_by_another() -> None:
    templates = "".join(map(Path.read_text, _TEMPLATES.rglob("*.html")))

    # Pages whose address a template makes from a variable are named here.
    made = {"leaderboard", "tournament_void", "tournament_rerun"}
    led_to = {name for name in PAGES.values() if f"{{% url '{name}'" in templates}
    led_to |= {name for name in PAGES.values() if f'{{% url "{name}"' in templates}

    assert set(PAGES.values()) - led_to - made == set()
