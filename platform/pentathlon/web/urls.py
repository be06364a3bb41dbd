"""Addresses of the pages."""

from django.contrib.auth.views import LogoutView
from django.urls import path

from pentathlon.web.views import (
    accounts,
    bots,
    docs,
    games,
    home,
    leaderboards,
    matches,
    organising,
    status,
    theme,
    tournaments,
    uploads,
)

_TOURNAMENT = "tournaments/<int:tournament_id>"

urlpatterns = [
    path("", home.home, name="home"),
    path("now/matches/", home.on_now, name="on_now"),
    path("now/tournaments/", home.tournaments_now, name="tournaments_now"),
    path("games/", games.games, name="games"),
    path("games/<slug:game>/", games.game, name="game"),
    path("games/<slug:game>/rules/", docs.rules, name="rules"),
    path("leaderboards/", leaderboards.leaderboards, name="leaderboards"),
    path("leaderboards/<slug:game>/", leaderboards.leaderboard, name="leaderboard"),
    path(
        "leaderboards/<slug:game>/changes/",
        leaderboards.leaderboard_changes,
        name="leaderboard_changes",
    ),
    path(
        "leaderboards/<slug:game>/table.csv", leaderboards.leaderboard_csv, name="leaderboard_csv"
    ),
    path("tournaments/", tournaments.tournaments, name="tournaments"),
    path("tournaments/new/", organising.tournament_new, name="tournament_new"),
    path(f"{_TOURNAMENT}/", tournaments.tournament, name="tournament"),
    path(f"{_TOURNAMENT}/matches/", tournaments.tournament_matches, name="tournament_matches"),
    path(f"{_TOURNAMENT}/schedule/", tournaments.tournament_schedule, name="tournament_schedule"),
    path(f"{_TOURNAMENT}/faults/", tournaments.tournament_faults, name="tournament_faults"),
    path(f"{_TOURNAMENT}/document/", tournaments.tournament_document, name="tournament_document"),
    path(f"{_TOURNAMENT}/progress/", tournaments.tournament_progress, name="tournament_progress"),
    path(f"{_TOURNAMENT}/changes/", tournaments.tournament_changes, name="tournament_changes"),
    path(f"{_TOURNAMENT}/results.csv", tournaments.tournament_csv, name="tournament_csv"),
    path(f"{_TOURNAMENT}/start/", organising.tournament_start, name="tournament_start"),
    path(f"{_TOURNAMENT}/pause/", organising.tournament_pause, name="tournament_pause"),
    path(f"{_TOURNAMENT}/resume/", organising.tournament_resume, name="tournament_resume"),
    path(f"{_TOURNAMENT}/cancel/", organising.tournament_cancel, name="tournament_cancel"),
    path(f"{_TOURNAMENT}/enter/", organising.tournament_enter, name="tournament_enter"),
    path(f"{_TOURNAMENT}/withdraw/", organising.tournament_withdraw, name="tournament_withdraw"),
    path("matches/", matches.matches, name="matches"),
    path("matches/<int:match_id>/", matches.match, name="match"),
    path("matches/<int:match_id>/board.svg", matches.board, name="board"),
    path("matches/<int:match_id>/record.json", matches.record, name="record"),
    path("bots/", bots.bots, name="bots"),
    path("bots/new/", uploads.upload, name="upload"),
    path("bots/<int:bot_id>/", bots.bot, name="bot"),
    path("bots/<int:bot_id>/new/", uploads.upload_version, name="upload_version"),
    path("versions/<int:version_id>/", bots.version, name="version"),
    path("versions/<int:version_id>/archive/", bots.version_archive, name="version_archive"),
    path("versions/<int:version_id>/retire/", bots.version_retire, name="version_retire"),
    path("sign-in/", accounts.sign_in, name="sign_in"),
    path("sign-up/", accounts.sign_up, name="sign_up"),
    path("sign-out/", LogoutView.as_view(), name="sign_out"),
    path("account/", accounts.account, name="account"),
    path("account/tokens/<uuid:public_id>/revoke/", accounts.token_revoke, name="token_revoke"),
    path("docs/", docs.docs, name="docs"),
    path("docs/how-it-works/", docs.how_it_works, name="how_it_works"),
    path("docs/bots/", docs.bot_guide, name="bot_guide"),
    path("docs/protocol/", docs.protocol, name="protocol"),
    path("docs/verify/", docs.verify, name="verify"),
    path("status/", status.status, name="status"),
    path("theme/", theme.theme, name="theme"),
]
