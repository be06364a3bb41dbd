"""An address for every page there is, by its name, with somebody who may read it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from django.urls import reverse

from pentathlon.accounts.letters import email_link, reset_link
from pentathlon.accounts.models import User
from pentathlon.accounts.verification import ask_for_email_change
from pentathlon.insight.datasets.models import Dataset
from pentathlon.matches.desk_records.models import DeskRecord
from pentathlon.matches.models import Match, MatchState
from pentathlon.tournaments.handovers.services import offer_share, offer_tournament
from pentathlon.tournaments.models import Tournament
from pentathlon.tournaments.organising.arrangement import Arrangement
from pentathlon.tournaments.organising.events import create_event
from pentathlon.tournaments.teams.services import invite_member
from pentathlon.trust.models import Quarantine
from pentathlon.trust.quarantine import begin_quarantine
from pentathlon_engines import GAMES
from pentathlon_engines.tournament.document import TournamentDocument
from tests.factories import PASSWORD, make_match, make_staff, make_team, make_user, make_version
from tests.pentathlon.accounts.oauth.acting import FakeApp
from tests.pentathlon.friendlies.acting import begun, play_to_end
from tests.pentathlon.insight.analyses.curves import analyse
from tests.pentathlon.ladders.playing import open_ladder, play_waiting, seat_all, step
from tests.pentathlon.tournaments.acting import open_cup
from tests.pentathlon.tournaments.challenges.acting import challenged, play, waiting, won_by
from tests.pentathlon.trust.acting import join, played_by
from tests.pentathlon.web.scene import Scene
from tests.pentathlon.webhooks.receiving import make_endpoint

_DATA: Final = "data, a file or a picture"
_PART: Final = "a part of a page"
_POST: Final = "takes posts only"
_LEADS: Final = "leads to another page"
_JSON: Final = "answers a script of ours"

NO_PAGES: Final[Mapping[str, str]] = {
    **dict.fromkeys(
        (
            *("badge", "board", "bot_feed", "bot_picture", "dataset_schema", "desk_record_board"),
            *(
                "desk_record_file",
                "embed_board",
                "example_board",
                "friendly_board",
                "friendly_file",
                "game_feed",
            ),
            *(
                "ladder_csv",
                "leaderboard_csv",
                "leaderboard_picture",
                "match_picture",
                "oembed",
                "record",
            ),
            *("game_picture", "home_picture", "reel", "tournament_picture"),
            *("seat_bundle", "seat_log", "standings_csv", "tournament_csv", "tournament_feed"),
            *(
                "vectors",
                "version_archive",
                "wheel",
                "match_stream",
                "matches_stream",
                "tournament_stream",
            ),
            *("friendly_stream", "log_feed", "data_export", "oauth_metadata"),
        ),
        _DATA,
    ),
    **dict.fromkeys(
        (
            *("actions", "chances", "desk_record_actions", "desk_record_moment", "embed_moment"),
            *("friendly_actions", "friendly_moment", "leaderboard_changes", "moment", "on_now"),
            *("tournament_changes", "tournament_progress", "tournaments_now"),
        ),
        _PART,
    ),
    **dict.fromkeys(
        (
            *("challenge_cancel", "desk_record_delete", "friendly_act", "friendly_resign"),
            *("ladder_choice", "match_requeue", "sign_out", "theme", "token_revoke"),
            *("app_end_access", "app_secret", "oauth_revoke", "oauth_token"),
            *("tournament_delete", "tournament_enter", "tournament_invite", "tournament_open"),
            *("tournament_pause", "tournament_reinstate"),
            *("account_settings", "team_accept", "team_decline", "team_delete", "team_leave"),
            "team_remove",
            "tournament_release",
            *("tournament_resume", "tournament_start", "version_activate", "version_reinstate"),
            *("version_validate", "webhook_disable", "webhook_enable", "webhook_ping"),
            *("webhook_redeliver", "webhook_rotate"),
        ),
        _POST,
    ),
    **dict.fromkeys(
        (
            *(
                "email_cancel",
                "email_verify",
                "handover_accept",
                "handover_end",
                "organiser_remove",
                "passkey_add",
                "passkey_remove",
                "passkey_sign_in",
            ),
            *("recovery_codes", "session_end", "sessions_end_others", "totp_remove"),
        ),
        _POST,
    ),
    **dict.fromkeys(
        (
            *("account_delete_options", "passkey_add_options", "passkey_options"),
            "second_factor_options",
        ),
        _JSON,
    ),
    "leaderboards": _LEADS,
    "second_factor": "leads to the password first; tests/browser/test_passkeys.py looks at it",
    "totp": "leads to the password first; tests/browser/test_passkeys.py looks at it",
    "ladder_season": "is the page of the ladder, for a season that is over",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """A page, and who reads it; None: somebody who is not signed in."""

    name: str
    address: str
    reader: User | None = None


def make_tour(scene: Scene) -> list[Visit]:
    """Add what the scene lacks, and return all pages in their states, each name at least once."""
    return [*_tour(scene)]


def _tour(scene: Scene) -> Iterator[Visit]:
    author, organiser = scene.author, scene.organiser
    yield from _public_pages(scene)
    for name in _OF_AN_AUTHOR:
        yield _visit(name, reader=author)
    yield from _credentials(author)
    yield _visit("friendly_new", reader=author, query=f"?bot={scene.versions[2].bot_id}")
    yield _visit("join_worker", reader=make_staff())
    yield from _quarantines(make_staff())
    yield _visit("audit", reader=make_staff())
    yield _visit("residuals", reader=make_staff())
    yield _visit("person_roles", author.username, reader=make_staff())
    for name in ("tournament_new", "event_new"):
        yield _visit(name, reader=organiser)
    yield _visit("home", reader=organiser)
    yield _visit("typed", reader=organiser)
    yield _visit("upload_version", scene.versions[0].bot_id, reader=author)
    yield _visit("version_retire", scene.versions[0].pk, reader=author)
    yield _visit("version_disqualify", scene.versions[0].pk, reader=make_staff())
    for version in (scene.validating, scene.rejected, scene.unchecked, scene.versions[0]):
        yield _visit("version", version.pk, reader=author)
    yield _visit("match", scene.faulty.pk, reader=author)
    yield from _organised(scene)
    yield from _challenges(author)
    yield from _friendlies(author)
    hook = make_endpoint(owner=author)
    team = make_team(owner=author)
    invite_member(actor=author, team=team, username=organiser.username)
    yield _visit("team", team.pk, reader=author)
    yield _visit("team", team.pk, reader=organiser)
    yield _visit("webhook", hook.pk, reader=author)
    yield _visit("webhook_delete", hook.pk, reader=author)
    yield from _apps(author)
    yield _visit("person_delete", author.username, reader=make_staff())


def _apps(author: User) -> Iterator[Visit]:
    app = FakeApp(owner=author, keeps_secret=True)
    app.tokens_of(author)
    yield _visit("app", app.row.pk, reader=author)
    yield _visit("app_delete", app.row.pk, reader=author)
    question = f"?{urlencode(app.question())}"
    yield _visit("oauth_authorize", reader=author, query=question)


def _credentials(author: User) -> Iterator[Visit]:
    change = ask_for_email_change(
        actor=author, email="new@example.org", password=PASSWORD, site="http://localhost"
    )
    yield _visit("email_change", reader=author)
    yield _visit("email_confirm", query=f"?{urlencode({'link': email_link(change)})}")
    unverified = make_user()
    unverified.verified_email = ""
    unverified.save(update_fields=("verified_email",))
    for name in ("account", "email_change"):
        yield _visit(name, reader=unverified)
    yield _visit("password_reset", query="?sent")
    # The link is for somebody who does not sign in, since signing in would end it.
    link = urlencode({"link": reset_link(make_user())})
    yield _visit("password_reset_new", query=f"?{link}")


def _quarantines(staff: User) -> Iterator[Visit]:
    token = join()
    played_by(token)
    begin_quarantine(token_id=token.pk, reason="Two other workers agree on a different result.")
    yield _visit("quarantines", reader=staff)
    yield _visit("quarantine", Quarantine.objects.get().pk, reader=staff)


def _visit(name: str, *args: object, reader: User | None = None, query: str = "") -> Visit:
    return Visit(name=name, address=reverse(name, args=args) + query, reader=reader)


_NO_ARGUMENTS: Final = (
    *("home", "games", "ranking", "tournaments", "events", "tv", "matches", "desk_records"),
    *("bots", "challenges", "sign_in", "sign_up", "password_reset", "docs", "how_it_works"),
    *("first_bot", "why_lost", "why_did_it", "rating_guide", "bot_guide", "ci", "protocol"),
    *("verify", "systems", "vectors_guide"),
    *(
        "capacity",
        "runbook",
        "win_chances",
        "reference_bots",
        "ranking_rule",
        "operator_guide",
        "organiser_guide",
    ),
    *(
        "learning",
        "api_guide",
        "webhooks_guide",
        "account_guide",
        "webhooks_guide",
        "apps_guide",
        "limits",
        "datasets",
        "dataset_card",
        "kit",
        "search",
    ),
    *("status", "workers", "log"),
)
_OF_AN_AUTHOR: Final = (
    *("account", "upload", "desk_record_new", "webhooks", "webhook_new", "activate"),
    *("password_change", "sessions", "second_factors", "confirm"),
    *("apps", "app_new", "data", "account_delete", "teams"),
)
_OF_A_GAME: Final = ("game", "lesson", "rules", "leaderboard", "game_bots", "embed_leaderboard")


def _public_pages(scene: Scene) -> Iterator[Visit]:
    analyse(scene.done)
    for name in _NO_ARGUMENTS:
        yield _visit(name)
    yield _visit("search", query="?q=quiet")
    yield _visit("api:docs")
    for group in ("matches", "tournaments"):
        yield _visit("api:reference", group)
    for name in _OF_A_GAME:
        yield _visit(name, "tuned")
    for game in sorted(GAMES):
        yield _visit("rules", game)
        yield _visit("lesson", game)
    yield _visit("explorer", "tuned")
    yield _visit("profile", scene.author.username)
    bot, other = scene.versions[0].bot, scene.versions[2].bot
    yield _visit("bot", bot.pk)
    yield _visit("opponents", bot.pk)
    yield _visit("head_to_head", bot.pk, other.pk)
    yield _visit("dataset", Dataset.objects.get().pk)
    yield _visit("desk_record", DeskRecord.objects.get().pk)
    for match in (scene.done, scene.faulty, scene.live, scene.void):
        yield _visit("match", match.pk)
    yield _visit("match", make_match(scene.versions[:2]).pk)
    yield _visit("embed_match", scene.done.pk)
    for name in ("matches", "schedule", "faults", "document", "audit"):
        yield _visit(f"tournament_{name}", scene.closed.pk)
    for tournament in (scene.closed, scene.running, scene.paused, scene.open):
        yield _visit("tournament", tournament.pk)
    yield from _ladders()


def _ladders() -> Iterator[Visit]:
    open_ladder(all_others=True)
    for _ in range(3):
        make_version()
    seat_all()
    step()
    play_waiting()
    yield _visit("ladders")
    yield _visit("ladder", "tuned")


def _organised(scene: Scene) -> Iterator[Visit]:
    """Yield what the organiser's forms ask, in the states in which they are reached."""
    organiser = scene.organiser
    event = create_event(
        actor=organiser,
        name="Pentathlon Week",
        documents=[TournamentDocument(game=game) for game in ("maatatahay", "tuned")],
        arrangement=Arrangement(),
        rated=False,
    )
    yield _visit("event", event.pk)
    draft = open_cup(organiser, name="Plan", versions=[scene.versions[0].pk], is_draft=True)
    for tournament in (scene.open, scene.running, scene.paused, scene.closed, draft):
        yield _visit("tournament", tournament.pk, reader=organiser)
    running = scene.running.pk
    yield _visit("tournament_edit", draft.pk, reader=organiser)
    yield _visit("tournament_change", scene.open.pk, reader=organiser)
    yield _visit("tournament_schedule", running, reader=organiser)
    yield _visit("tournament_cancel", running, reader=organiser)
    yield from _handovers(scene.running)
    for name in ("void", "rerun"):
        yield _visit(f"tournament_{name}", running, reader=organiser, query="?block=1")
    version = f"?version={scene.versions[2].pk}"
    for name in ("replace", "disqualify", "withdraw"):
        yield _visit(f"tournament_{name}", running, reader=organiser, query=version)
    done = Match.objects.filter(place__tournament=scene.running, state=MatchState.DONE)
    for name in ("match_rerun", "match_void"):
        yield _visit(name, done.order_by("pk")[0].pk, reader=organiser)


def _handovers(tournament: Tournament) -> Iterator[Visit]:
    yield _visit("tournament_handover", tournament.pk, reader=tournament.owner)
    asked = make_user(organiser=True)
    offer_tournament(actor=tournament.owner, tournament=tournament, username=asked.username)
    helper = make_user(organiser=True)
    offer_share(actor=tournament.owner, tournament=tournament, username=helper.username)
    for reader in (tournament.owner, asked, helper, make_staff()):
        yield _visit("tournament_handover", tournament.pk, reader=reader)


def _challenges(author: User) -> Iterator[Visit]:
    challenge = challenged(author=author)
    play(waiting(challenge), won_by(challenge.version))
    for made in (challenge, challenged(author=author)):
        yield _visit("challenge", made.pk, reader=author)
    rival = challenge.opponent.bot_id
    yield _visit("challenge_new", reader=author, query=f"?bot={rival}")


def _friendlies(person: User) -> Iterator[Visit]:
    yield _visit("friendly", begun(person=person).pk, reader=person)
    yield _visit("friendly", play_to_end(begun(person=person)).pk, reader=person)
    yield _visit("friendlies", reader=person)
