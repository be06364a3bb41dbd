"""Whatever people and their bots write stays text: in pages, parts, feeds, pictures and files."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final, NamedTuple
from urllib.parse import quote

import pytest
from django.core.mail import EmailMessage
from django.test import Client
from django.urls import reverse

from pentathlon.accounts.models import User
from pentathlon.bots.models import Bot, BotVersion, VersionState
from pentathlon.core.csv_files import csv_text
from pentathlon.insight.rivalry.services import count_all
from pentathlon.matches.models import Match
from pentathlon.matches.replays.services import accept_results
from pentathlon.matches.services import claim_matches
from pentathlon.ratings.services import apply_results
from pentathlon.tournaments.models import Tournament
from pentathlon.tournaments.services import close_finished, start_tournament
from pentathlon.webhooks.messages import message_to, send
from pentathlon.webhooks.models import Channel, Delivery, OutboxEvent, WebhookEndpoint
from pentathlon_engines.match.faults import FaultKind
from pentathlon_engines.match.protocol import read_reply
from pentathlon_engines.match.traces import TraceLine
from tests.factories import make_user, make_version
from tests.pentathlon.matches.replays.playing import record_of, report_of, submission_of, trace
from tests.pentathlon.web.hostile import (
    MARKUP,
    NAMES,
    TEXTS,
    Check,
    data,
    html,
    part,
    plain,
    png,
    table,
    xml,
)
from tests.pentathlon.web.pages import page_of
from tests.pentathlon.web.scene import open_tournament

pytestmark = pytest.mark.django_db

NOW: Final = datetime(2026, 1, 1, tzinfo=UTC)


class Stage(NamedTuple):
    """Where hostile texts stand."""

    author: User
    versions: list[BotVersion]
    cup: Tournament
    open: Tournament
    lost: Match


@pytest.fixture
def stage() -> Stage:
    author = make_user()
    versions = [make_version(owner=author), make_version(owner=author), make_version()]
    for version, name, text in zip(versions, NAMES, TEXTS, strict=False):
        # Bypass the services, which refuse most of these texts.
        Bot.objects.filter(pk=version.bot_id).update(name=name)
        BotVersion.objects.filter(pk=version.pk).update(
            notes=text[:200], state_reason=text[:300], validation_log=text
        )
    cup, waiting = (_tournament(name, versions) for name in NAMES[:2])
    start_tournament(actor=cup.owner, tournament=cup)
    played = [_play(match) for match in Match.objects.filter(place__tournament=cup).order_by("pk")]
    apply_results()
    close_finished()
    count_all()
    BotVersion.objects.filter(pk=versions[2].pk).update(state=VersionState.REJECTED)
    # Its author reads the logs of both seats.
    own = (match for match in played if not match.seats.filter(version=versions[2]).exists())
    return Stage(author, versions, cup, waiting, next(own))


def _tournament(name: str, versions: list[BotVersion]) -> Tournament:
    made = open_tournament(make_user(organiser=True), "Cup", versions)
    remark = TEXTS[2][:200]
    Tournament.objects.filter(pk=made.pk).update(name=name, remark=remark)
    made.refresh_from_db()
    return made


def _play(match: Match) -> Match:
    """Let a bot lose by a fault while both say all they can think of."""
    (job,) = claim_matches(match_ids=[match.pk], worker=MARKUP[:80])
    detail = f"answered {TEXTS[2]!r}, {MARKUP}"
    record = record_of(
        job, luck=match.pk, fault_at=3, fault=FaultKind.ILLEGAL_ACTION, detail=detail
    )
    lines = [TraceLine("<", text, len(text)) for text in TEXTS[:5]]
    report = report_of(
        record,
        logs=["\n".join(TEXTS).encode() + b"\xed\xa0\x80\x00\xff"] * 2,
        notes=[[(1, text) for text in TEXTS[:5]]] * 2,
        traces=[trace(lines=lines)] * 2,
    )
    submission = submission_of(job, report)
    assert [*accept_results([submission])] == [None]
    return Match.objects.get(pk=match.pk)


def _addresses(stage: Stage) -> Iterator[tuple[Check, str]]:
    match: list[object] = [stage.lost.pk]
    cup: list[object] = [stage.cup.pk]
    game: list[object] = ["tuned"]
    one, other = (version.bot_id for version in stage.versions[:2])
    bot: list[object] = [one]
    pages: list[tuple[tuple[str, ...], list[object]]] = [
        (("home", "tournaments", "matches", "bots", "ranking", "account"), []),
        (("match", "embed_match"), match),
        (("bot", "opponents"), bot),
        (("head_to_head",), [*bot, other]),
        (("leaderboard", "game", "embed_leaderboard"), game),
        (("profile",), [stage.author.username]),
        (("tournament", "tournament_matches", "tournament_schedule"), cup),
        (("tournament_faults", "tournament_document"), cup),
    ]
    for names, args in pages:
        for name in names:
            yield html, reverse(name, args=args)
    yield html, reverse("tournament", args=[stage.open.pk])
    for version in stage.versions[1:]:
        yield html, reverse("version", args=[version.pk])
    for text in TEXTS:
        yield html, f"{reverse('search')}?q={quote(text)}"
    yield part, f"{reverse('moment', args=match)}?ply=2"
    for name, args in (("bot_feed", bot), ("tournament_feed", cup), ("game_feed", game)):
        yield xml, reverse(name, args=args)
    for name, args in (("board", match), ("embed_board", match), ("badge", bot)):
        yield xml, reverse(name, args=args)
    yield png, reverse("match_picture", args=match)
    yield png, reverse("bot_picture", args=bot)
    yield png, reverse("leaderboard_picture", args=game)
    yield table, reverse("tournament_csv", args=cup)
    yield table, reverse("standings_csv", args=cup)
    yield table, reverse("leaderboard_csv", args=game)
    for seat in range(2):
        yield plain, reverse("seat_log", args=[*match, seat])
    yield data, reverse("record", args=match)
    yield data, f"/oembed/?url={quote('http://testserver' + reverse('match', args=match))}"
    for path in (f"matches/{match[0]}/", f"matches/{match[0]}/logs/", "search/?q=pwned"):
        yield data, f"/api/v1/{path}"


def test_hostile_texts_are_text_everywhere(stage: Stage, subtests: pytest.Subtests) -> None:
    client = Client()
    client.force_login(stage.author)

    for check, address in _addresses(stage):
        with subtests.test(address[:80]):
            check(client.get(address))


def test_tags_for_shared_links_hold_the_whole_name(stage: Stage) -> None:
    page = page_of(Client().get(reverse("bot", args=[stage.versions[2].bot_id])))

    tags = {each.get("property"): each.get("content", "") for each in page.all("meta")}

    assert NAMES[2] in tags["og:title"]


@pytest.mark.parametrize("cell", ["=1+1", "+1+1", "-1+1", "@SUM(1)", "\t=1", "\r=1"])
def test_formula_in_a_table_is_text(cell: str) -> None:
    written = csv_text(("bot", "score"), [(cell, -1.5)])

    assert [*csv.reader(io.StringIO(written, newline=""))][1] == [f"'{cell}", "-1.5"]


def test_notes_of_bots_come_without_controls() -> None:
    for text in TEXTS[:5]:
        line = json.dumps({"action": "pass", "note": text}).encode()

        assert read_reply(line, ply=1).note.isprintable()


@pytest.mark.parametrize("channel", Channel)
@pytest.mark.parametrize("text", [*TEXTS, "Cup\r\nBcc: all@example.org\u2028to: x"])
def test_messages_about_a_name_are_well_formed(
    text: str, channel: Channel, mailoutbox: list[EmailMessage]
) -> None:
    address = "person@example.org"
    person = User(username="person", email=address, verified_email=address)
    endpoint = WebhookEndpoint(owner=person, channel=channel, site="https://example.org")
    told = {"tournament_name": text, "url": "/tournaments/1/"}
    event = OutboxEvent(type="tournament.started", data=told, happened_at=NOW)

    message = message_to(endpoint, Delivery(event=event, endpoint=endpoint), now=NOW)

    assert len(message.subject) <= 120
    if channel == Channel.HTTP:
        assert json.loads(message.body)["data"]["tournament_name"] == text
        return
    assert send(message).error == ""
    (letter,) = mailoutbox
    assert len(letter.subject.splitlines()) == 1
    assert "Bcc" not in letter.message()
    lines = [line for line in letter.body.splitlines() if line.startswith(("tournament", "url"))]
    assert [line.partition(":")[0] for line in lines] == ["tournament_name", "url"]
