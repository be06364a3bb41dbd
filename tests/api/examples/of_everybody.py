"""Examples of what everybody may read, and of tokens."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from django.db.models.functions import Now
from rest_framework.test import APIClient

from pentathlon.accounts.device_logins import answer_device_login, begin_device_login
from pentathlon.accounts.models import BrowserSession
from pentathlon.accounts.passkeys import add_passkey, begin_passkey
from pentathlon.matches.models import Match, MatchState
from tests.api.examples.asking import Call, Id, Making, after, at
from tests.api.examples.world import World
from tests.factories import PASSWORD
from tests.pentathlon.accounts.authenticator import Authenticator
from tests.pentathlon.accounts.mailing import SITE
from tests.pentathlon.accounts.test_passkeys import as_json


def _poll(world: World) -> Call:
    login, code = begin_device_login(name="laptop", scopes=["bots:write"], address="::1")
    answer_device_login(actor=world.author, user_code=login.user_code, approves=True)
    return Call(body={"device_code": code})


def _unverify(world: World) -> None:
    world.author.verified_email = ""
    world.author.save(update_fields=("verified_email",))


def _give_a_passkey(world: World) -> None:
    options, state = begin_passkey(world.author, host="testserver")
    answer = Authenticator().make(as_json(options))
    add_passkey(actor=world.author, name="Telephone", answer=answer, state=state, site=SITE)


def _history(world: World) -> Call:
    Match.objects.filter(state=MatchState.DONE).update(finished_at=Now() - timedelta(hours=1))
    return Call(path={"game": "tuned"})


def _lost_browser(world: World) -> Call:
    APIClient().login(username=world.author.username, password=PASSWORD)
    row = BrowserSession.objects.get(person=world.author)
    return Call(who="browser", path={"id": row.public_id})


CALLS: Final[dict[str, Making]] = {
    "datasets_list": at(query={"game": "tuned"}),
    "datasets_retrieve": at(id=Id("dataset")),
    "datasets__ndjson_retrieve": at(id=Id("dataset"), table="decisions", number=1),
    "datasets__parquet_retrieve": at(id=Id("dataset"), table="matches", number=1),
    "datasets_SHA256SUMS_retrieve": at(id=Id("dataset")),
    "datasets_history__ndjson_retrieve": at(game="tuned"),
    "matches_history__ndjson_retrieve": _history,
    "device_create": at(body={"name": "laptop", "scopes": ["bots:write"]}),
    "device_token_create": _poll,
    "games_list": at(),
    "games_retrieve": at(key="tuned"),
    "games_explorer_retrieve": at(key="tuned"),
    "kit": at(),
    "ladders_list": at(),
    "ladders_retrieve": at(key="tuned"),
    "ladders_join_create": at("author", key="tuned", body={"bot": Id("bot")}),
    "ladders_leave_create": at("author", key="tuned", body={"bot": Id("bot")}),
    "ladders_pause_create": at("author", key="tuned", body={"bot": Id("bot")}),
    "ladders_seasons_list": at(key="tuned"),
    "ladders_standings_list": at(key="tuned", query={"division": 1}),
    "ladders_season_standings": at(key="tuned", number=1, query={"division": 1}),
    "ladders_season_standings_csv": at(key="tuned", number=1),
    "leaderboards_list": at(),
    "leaderboards_table": at(game="tuned", query={"owner": "author"}),
    "leaderboards_table_csv_retrieve": at(game="tuned"),
    "log_retrieve": at(),
    "log_receipt_retrieve": at(index=0),
    "log_consistency_retrieve": at(query={"first": 1, "second": 2}),
    "log_roots_list": at(),
    "matches_list": at(
        query={
            "tournament": Id("running"),
            "state": "done",
            "ordering": "-finished_at",
            "page_size": 1,
        }
    ),
    "matches_retrieve": at(id=Id("match")),
    "matches_analysis_retrieve": at(id=Id("match")),
    "matches_events_retrieve": at(id=Id("match")),
    "matches_events_of_several": at(query={"match": Id("match")}),
    "matches_inclusion": at(id=Id("match")),
    "matches_logs_list": at("author", id=Id("faulty")),
    "matches_requeue_create": at("organiser", id=Id("void match")),
    "matches_rerun_create": at(
        "organiser", id=Id("done match"), body={"reason": "The host was too slow."}
    ),
    "matches_void_create": at(
        "organiser", id=Id("done match"), body={"reason": "A bot read a file of its opponent."}
    ),
    "matches_seats_bundle_zip_retrieve": at("author", id=Id("faulty"), seat=Id("own seat")),
    "matches_seats_log_txt_retrieve": at("author", id=Id("faulty"), seat=Id("own seat")),
    "me": at("author"),
    "me_delete": at("guest", body={"username": "guest", "password": PASSWORD}),
    "me_export": at("password"),
    "me_passkey": after(_give_a_passkey, at("browser")),
    "me_password": at("password", body={"password": PASSWORD, "new_password": "another battery"}),
    "me_settings": at("author", body={"takes_organiser_entries": False}),
    "me_verify_email": after(_unverify, at("password")),
    "people_retrieve": at(username="author"),
    "people_rivals_list": at(username="author"),
    "quotas_list": at("author"),
    "rankings_list": at(),
    "rankings_table": at(key="pentathlon", query={"page_size": 1}),
    "replays_retrieve": at(match=Id("match")),
    "replays_commentary_retrieve": at(match=Id("match"), query={"count": 2}),
    "replays_board_svg_retrieve": at(match=Id("match"), query={"ply": 3}),
    "search_list": at(query={"q": "quiet"}),
    "sessions_list": at("browser"),
    "sessions_destroy": _lost_browser,
    "sessions_end_others_create": at("browser"),
    "status": at(),
    "tokens_list": at("password"),
    "tokens_create": at("password", body={"name": "laptop", "scopes": ["bots:write"], "days": 30}),
    "tokens_destroy": at("password", id=Id("token")),
    "tokens_current": at("author"),
    "tokens_current_revoke": at("author"),
    "workers_list": at(query={"game": "tuned"}),
}
