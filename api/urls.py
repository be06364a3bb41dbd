from django.urls import include, path, re_path
from rest_framework.routers import SimpleRouter

from api.accounts.me import MeViewSet, OwnAccountViewSet, OwnSettingsViewSet, QuotaViewSet
from api.accounts.tokens import (
    CurrentTokenViewSet,
    DeviceLoginViewSet,
    SessionViewSet,
    TokenViewSet,
)
from api.audit import AuditViewSet, TournamentAuditViewSet
from api.bots.bots import BatchUploadViewSet, BotViewSet
from api.bots.versions import VersionViewSet
from api.datasets import DatasetViewSet
from api.documentation.docs import KitView, TryView, docs, reference, schema
from api.fleet import FleetViewSet
from api.games import GameViewSet
from api.matches.challenges import ChallengeViewSet
from api.matches.desk_records import DeskRecordViewSet
from api.matches.explanations import SeatFileViewSet
from api.matches.friendlies import FriendlyViewSet
from api.matches.matches import MatchViewSet
from api.matches.replays import MatchHistoryViewSet, ReplayViewSet
from api.protocol.endpoint import ID
from api.protocol.errors import UnknownAddress
from api.protocol.pagination import OnePage
from api.rankings.leaderboards import LatestChangesFirst, LeaderboardViewSet, VersionRatingViewSet
from api.rankings.rankings import ProfileViewSet, RankingViewSet
from api.rankings.rivalry import HeadToHeadViewSet, RivalViewSet
from api.search import SearchViewSet
from api.tournaments.events import EventViewSet
from api.tournaments.ladders import LadderViewSet
from api.tournaments.teams import TeamViewSet
from api.tournaments.tournaments import TournamentViewSet
from api.transparency import InclusionViewSet, LogViewSet
from api.webhooks import WebhookViewSet
from api.workers import QuarantineViewSet, StatusView, WorkerViewSet

_router = SimpleRouter()
_router.register("games", GameViewSet, basename="game")
_router.register("bots", BotViewSet, basename="bot")
_router.register("versions", VersionViewSet, basename="version")
_router.register("ladders", LadderViewSet, basename="ladder")
_router.register("events", EventViewSet, basename="event")
_router.register("tournaments", TournamentViewSet, basename="tournament")
_router.register("teams", TeamViewSet, basename="team")
_router.register("matches", MatchViewSet, basename="match")
_router.register("replays", ReplayViewSet, basename="replay")
_router.register("datasets", DatasetViewSet, basename="dataset")
_router.register("challenges", ChallengeViewSet, basename="challenge")
_router.register("desk-records", DeskRecordViewSet, basename="desk_record")
_router.register("friendlies", FriendlyViewSet, basename="friendly")
_router.register("leaderboards", LeaderboardViewSet, basename="leaderboard")
_router.register("log", LogViewSet, basename="log")
_router.register("rankings", RankingViewSet, basename="ranking")
_router.register("people", ProfileViewSet, basename="person")
_router.register("workers", WorkerViewSet, basename="worker")
_router.register("quarantines", QuarantineViewSet, basename="quarantine")
_router.register("fleet", FleetViewSet, basename="fleet")
_router.register("device", DeviceLoginViewSet, basename="device")
_router.register("webhooks", WebhookViewSet, basename="webhook")
_router.register("quotas", QuotaViewSet, basename="quota")
_router.register("audit", AuditViewSet, basename="audit")
_router.register("search", SearchViewSet, basename="search")
_router.register("sessions", SessionViewSet, basename="session")
_router.register("tokens", TokenViewSet, basename="token")

_opponents = RivalViewSet.as_view({"get": "opponents"})
_rivals = RivalViewSet.as_view({"get": "rivals"})
_against = HeadToHeadViewSet.as_view({"get": "against"})
_meetings = HeadToHeadViewSet.as_view({"get": "meetings"})
_pair = rf"^v1/bots/(?P<pk>{ID})/against/(?P<other>{ID})"
_log = LogViewSet.as_view({"get": "standing"})
_inclusion = InclusionViewSet.as_view({"get": "inclusion"})
_tournament_audit = TournamentAuditViewSet.as_view({"get": "events"})
_desk_board = DeskRecordViewSet.as_view({"get": "board"})
_friendly_board = FriendlyViewSet.as_view({"get": "board"})
_board = ReplayViewSet.as_view({"get": "board"})

_standings_csv = TournamentViewSet.as_view({"get": "standings_csv"}, pagination_class=None)
_results_csv = TournamentViewSet.as_view({"get": "results_csv"}, pagination_class=None)
_season_csv = LadderViewSet.as_view({"get": "season_csv"}, pagination_class=None)
_table_csv = LeaderboardViewSet.as_view({"get": "table_csv"}, pagination_class=None)
_cup = rf"^v1/tournaments/(?P<pk>{ID})"

_ratings = VersionRatingViewSet.as_view({"get": "ratings"}, pagination_class=OnePage)
_rating_history = VersionRatingViewSet.as_view(
    {"get": "history"}, pagination_class=LatestChangesFirst
)

_batch = BatchUploadViewSet.as_view({"post": "create"})

_sums = DatasetViewSet.as_view({"get": "sums"})
_history = DatasetViewSet.as_view({"get": "history"})
_match_history = MatchHistoryViewSet.as_view({"get": "history"}, pagination_class=None)
_part = DatasetViewSet.as_view({"get": "part"})
_parquet = DatasetViewSet.as_view({"get": "parquet"})

_current_token = CurrentTokenViewSet.as_view({"get": "retrieve", "delete": "destroy"})
_me = MeViewSet.as_view({"get": "retrieve"})
_my_settings = OwnSettingsViewSet.as_view({"patch": "change"})
_delete_me = OwnAccountViewSet.as_view({"post": "delete_account"})
_change_my_password = OwnAccountViewSet.as_view({"post": "change_password"})
_ask_for_passkey = OwnAccountViewSet.as_view({"post": "ask_for_passkey"})
_verify_my_email = OwnAccountViewSet.as_view({"post": "verify_email"})
_export_me = OwnAccountViewSet.as_view({"get": "export"})
_seat_log = SeatFileViewSet.as_view({"get": "log"})
_seat_bundle = SeatFileViewSet.as_view({"get": "bundle"})
_seat = rf"^v1/matches/(?P<pk>{ID})/seats/(?P<seat>\d{{1,2}})"

app_name = "api"
urlpatterns = [
    path("v1/kit/", KitView.as_view(), name="kit"),
    path("v1/versions/batch/", _batch, name="batch"),
    path("v1/status/", StatusView.as_view(), name="status"),
    path("v1/log/", _log, name="log"),
    path("v1/me/", _me, name="me"),
    path("v1/me/export.zip", _export_me, name="me_export"),
    path("v1/me/delete/", _delete_me, name="me_delete"),
    path("v1/me/passkey/", _ask_for_passkey, name="me_passkey"),
    path("v1/me/password/", _change_my_password, name="me_password"),
    path("v1/me/settings/", _my_settings, name="me_settings"),
    path("v1/me/verify-email/", _verify_my_email, name="me_verify_email"),
    path("v1/tokens/current/", _current_token, name="current_token"),
    path("v1/", include(_router.urls)),
    re_path(rf"^v1/bots/(?P<pk>{ID})/opponents/$", _opponents, name="opponents"),
    re_path(rf"^v1/bots/(?P<pk>{ID})/rivals/$", _rivals, name="rivals"),
    re_path(rf"{_pair}/$", _against, name="against"),
    re_path(rf"{_pair}/meetings/$", _meetings, name="meetings"),
    re_path(rf"^v1/versions/(?P<pk>{ID})/ratings/$", _ratings, name="version_ratings"),
    re_path(
        rf"^v1/versions/(?P<pk>{ID})/rating-history/$", _rating_history, name="version_history"
    ),
    re_path(rf"{_cup}/standings\.csv$", _standings_csv, name="tournament_standings_csv"),
    re_path(rf"{_cup}/results\.csv$", _results_csv, name="tournament_results_csv"),
    re_path(
        r"^v1/ladders/(?P<key>[a-z0-9_-]{1,40})/seasons/(?P<number>\d{1,6})/standings\.csv$",
        _season_csv,
        name="ladder_csv",
    ),
    re_path(
        r"^v1/leaderboards/(?P<game>[a-z_]{1,30})/table\.csv$", _table_csv, name="leaderboard_csv"
    ),
    re_path(rf"^v1/replays/(?P<pk>{ID})/board\.svg$", _board, name="board"),
    re_path(rf"^v1/desk-records/(?P<pk>{ID})/board\.svg$", _desk_board, name="desk_board"),
    re_path(rf"^v1/friendlies/(?P<pk>{ID})/board\.svg$", _friendly_board, name="friendly_board"),
    re_path(rf"^v1/matches/(?P<pk>{ID})/inclusion/$", _inclusion, name="inclusion"),
    re_path(rf"^v1/tournaments/(?P<pk>{ID})/audit/$", _tournament_audit, name="tournament_audit"),
    re_path(rf"{_seat}/log\.txt$", _seat_log, name="seat_log"),
    re_path(rf"{_seat}/bundle\.zip$", _seat_bundle, name="seat_bundle"),
    re_path(r"^v1/datasets/history/(?P<game>[a-z_]+)\.ndjson$", _history, name="history"),
    re_path(
        r"^v1/matches/history/(?P<game>[a-z_]+)\.ndjson$", _match_history, name="match_history"
    ),
    re_path(rf"^v1/datasets/(?P<pk>{ID})/SHA256SUMS$", _sums, name="dataset_sums"),
    re_path(
        rf"^v1/datasets/(?P<pk>{ID})/(?P<table>decisions|matches)/(?P<number>\d{{1,9}})\.ndjson$",
        _part,
        name="dataset_part",
    ),
    re_path(
        rf"^v1/datasets/(?P<pk>{ID})/(?P<table>decisions|matches)/(?P<number>\d{{1,9}})\.parquet$",
        _parquet,
        name="dataset_parquet",
    ),
    path("schema/", schema, name="schema"),
    path("docs/", docs, name="docs"),
    path("docs/try/", TryView.as_view(url_name="api:schema"), name="try"),
    path("docs/<slug:key>/", reference, name="reference"),
    re_path(r"", UnknownAddress.as_view()),
]
