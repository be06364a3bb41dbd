"""Who may follow what, as the views behind streams decide it."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from pentathlon.friendlies.services import resign
from pentathlon.live.snapshots import (
    HEADER,
    PageKind,
    Ticket,
    friendly_now,
    matches_now,
    tournament_now,
)
from pentathlon.live.streams import is_stream
from pentathlon.matches.hidden_lanes import HiddenLane
from pentathlon.matches.models import Match, MatchKind, MatchState
from pentathlon.matches.services import claim_matches
from pentathlon_engines.cli.client.http_site import read_events
from tests.factories import make_match, make_tournament, make_user, make_version
from tests.pentathlon.friendlies.acting import begun, claimed, move

pytestmark = pytest.mark.django_db


def ticket_of(client: Client, address: str) -> Ticket | None:
    header = client.get(address).headers.get(HEADER)
    return None if header is None else Ticket.of(header)


def said(client: Client, address: str) -> list[str]:
    text = client.get(address).content.decode()
    return [each.name for each in read_events(text.splitlines(keepends=True))]


@pytest.mark.parametrize("address", ["/live/matches/{}/", "/api/v1/matches/{}/events/"])
def test_running_match_is_followed_and_an_ended_one_is_told(address: str) -> None:
    running = make_match(state=MatchState.RUNNING)
    done = make_match(state=MatchState.DONE)

    ticket = ticket_of(Client(), address.format(running.pk))

    assert ticket is not None
    assert (ticket.matches, ticket.private) == ((running.pk,), ())
    assert said(Client(), address.format(running.pk)) == ["state"]
    assert ticket_of(Client(), address.format(done.pk)) is None
    assert said(Client(), address.format(done.pk)) == ["end"]


@pytest.mark.parametrize("address", ["/live/matches/{}/", "/api/v1/matches/{}/events/"])
def test_validation_is_followed_by_the_author_alone(address: str) -> None:
    author = make_user()
    version = make_version(owner=author)
    match = make_match([version] * 2, kind=MatchKind.VALIDATION, state=MatchState.RUNNING)
    signed_in = Client()
    signed_in.force_login(author)

    ticket = ticket_of(signed_in, address.format(match.pk))

    assert ticket is not None
    assert ticket.private == (match.pk,)
    assert Client().get(address.format(match.pk)).status_code == 404


def test_hidden_match_is_followed_by_its_organiser_alone_and_never_shown() -> None:
    organiser = make_user(organiser=True)
    match = make_match(state=MatchState.RUNNING, lane=77)
    HiddenLane.objects.create(lane=77, organiser=organiser)
    signed_in = Client()
    signed_in.force_login(organiser)

    ticket = ticket_of(signed_in, f"/live/matches/{match.pk}/")

    assert ticket is not None
    assert ticket.private == (match.pk,)
    assert Client().get(f"/live/matches/{match.pk}/").status_code == 404
    several = Client().get(f"/live/matches/?match={match.pk}")
    assert HEADER not in several.headers
    assert b'"state": "hidden", "attempt": 0, "ply": 0' in several.content


@pytest.mark.parametrize(
    ("kept", "is_public"),
    [
        (None, True),
        ({}, False),
        ({"hides_from": timedelta(hours=1)}, False),  # it may run into the freeze
        ({"hides_from": -timedelta(hours=2), "hides_until": -timedelta(hours=1)}, True),
    ],
)
def test_worker_is_told_what_it_may_show(
    kept: dict[str, timedelta] | None, is_public: bool
) -> None:
    match = make_match(lane=77)
    if kept is not None:
        times = {name: timezone.now() + after for name, after in kept.items()}
        HiddenLane.objects.create(lane=77, organiser=make_user(), **times)

    (job,) = claim_matches(match_ids=[match.pk], worker="test")

    assert (job.is_public, job.lane) == (is_public, 77)


def test_worker_may_not_show_validations() -> None:
    match = make_match(kind=MatchKind.VALIDATION)

    (job,) = claim_matches(match_ids=[match.pk], worker="test")

    assert not job.is_public


def test_several_matches_come_over_one_connection() -> None:
    running = [make_match(state=MatchState.RUNNING).pk for _ in range(8)]
    query = "&".join(f"match={pk}" for pk in [*running, "x", 10**20])

    ticket = ticket_of(Client(), f"/live/matches/?{query}")

    assert ticket is not None
    assert ticket.matches == tuple(running[:6])


def test_tournament_is_followed_from_what_its_page_shows() -> None:
    tournament = make_tournament()
    mark = tournament_now(tournament.pk).mark
    address = f"/live/tournaments/{tournament.pk}/"

    assert said(Client(), f"{address}?since={mark}") == []
    assert said(Client(), address) == ["changed"]


def test_mark_of_a_tournament_changes_with_results_unless_they_are_hidden() -> None:
    tournament = make_tournament()
    match = make_match(state=MatchState.DONE, lane=tournament.pk)
    shown = tournament_now(tournament.pk).mark
    Match.objects.filter(pk=match.pk).update(finished_at=timezone.now() + timedelta(hours=1))
    later = tournament_now(tournament.pk).mark

    HiddenLane.objects.create(lane=tournament.pk, organiser=make_user())
    hidden = tournament_now(tournament.pk).mark
    make_match(state=MatchState.DONE, lane=tournament.pk)

    assert len({shown, later, hidden}) == 3
    assert tournament_now(tournament.pk).mark == hidden


def test_game_of_ones_own_is_followed_from_what_its_page_shows() -> None:
    friendly = begun()
    own, other = Client(), Client()
    own.force_login(friendly.person)
    other.force_login(make_user())
    address = f"/live/friendlies/{friendly.pk}/"
    mark = friendly_now(friendly.pk).mark

    assert said(own, f"{address}?since={mark}") == []
    ticket = ticket_of(own, f"{address}?since={mark}")
    assert ticket is not None
    assert ticket.page == (PageKind.FRIENDLY, friendly.pk)
    assert said(own, address) == ["changed"]
    assert other.get(address).status_code == 404
    assert HEADER not in Client().get(address).headers


def test_mark_of_a_game_changes_with_each_step_of_a_move() -> None:
    friendly = begun()
    marks = [friendly_now(friendly.pk).mark]
    move(friendly)
    marks.append(friendly_now(friendly.pk).mark)
    claimed(friendly)
    marks.append(friendly_now(friendly.pk).mark)
    resign(actor=friendly.person, friendly_id=friendly.pk)
    ended = friendly_now(friendly.pk)

    assert len({*marks, ended.mark}) == 4
    assert ended.is_over


def test_matches_are_looked_at_together(django_assert_num_queries: pytest.FixtureRequest) -> None:
    running = [make_match(state=MatchState.RUNNING).pk for _ in range(5)]

    with django_assert_num_queries(1):  # type: ignore[operator]  # the package's fixture
        found = matches_now(running)

    assert [each.match for each in found] == running


def test_unknown_view_is_refused() -> None:
    match = make_match(state=MatchState.RUNNING)

    answer = Client().get(f"/api/v1/matches/{match.pk}/events/?view=sound")

    assert answer.status_code == 400


class TestSeveral:
    ADDRESS = "/api/v1/matches/events/"

    def test_are_followed_over_one_connection(self) -> None:
        running = [make_match(state=MatchState.RUNNING) for _ in range(2)]
        done = make_match(state=MatchState.DONE)
        query = "&".join(f"match={each.pk}" for each in (*running, done))

        ticket = ticket_of(Client(), f"{self.ADDRESS}?{query}&view=text")

        assert ticket is not None
        assert ticket.matches == tuple(each.pk for each in running)
        assert (ticket.view, ticket.names_matches, ticket.private) == ("text", True, ())
        assert said(Client(), f"{self.ADDRESS}?{query}") == ["state", "state", "end"]

    def test_end_when_all_of_them_have_ended(self) -> None:
        done = make_match(state=MatchState.DONE)

        assert ticket_of(Client(), f"{self.ADDRESS}?match={done.pk}") is None

    def test_hidden_one_is_no_match_but_for_its_organiser_who_sees_no_ply_of_it(self) -> None:
        organiser = make_user(organiser=True)
        hidden = make_match(state=MatchState.RUNNING, lane=78)
        public = make_match(state=MatchState.RUNNING)
        HiddenLane.objects.create(lane=78, organiser=organiser)
        signed_in = Client()
        signed_in.force_login(organiser)
        address = f"{self.ADDRESS}?match={public.pk}&match={hidden.pk}"

        ticket = ticket_of(signed_in, address)
        refused = Client().get(address)

        assert ticket is not None
        assert ticket.private == (hidden.pk,)
        assert refused.status_code == 404
        assert HEADER not in refused.headers

    @pytest.mark.parametrize(
        ("query", "code"),
        [
            ("", "required"),
            ("match=x", "invalid"),
            ("match=0", "min_value"),
            ("&".join(f"match={number}" for number in range(1, 18)), "max_length"),
        ],
    )
    def test_odd_or_too_many_are_refused(self, query: str, code: str) -> None:
        refused = Client().get(f"{self.ADDRESS}?{query}")

        assert refused.status_code == 400
        assert code in {each["code"] for each in refused.json()["errors"]}

    def test_id_of_the_last_message_says_where_each_goes_on(self) -> None:
        match = make_match(state=MatchState.RUNNING)
        mark = f"{match.pk}:1-12,9:1-40"

        answer = Client().get(f"{self.ADDRESS}?match={match.pk}", headers={"Last-Event-ID": mark})

        assert Ticket.of(answer.headers[HEADER]).seen == mark


@pytest.mark.parametrize(
    "path",
    [
        "/api/v1/matches/5/events/",
        "/api/v1/matches/events/",
        "/api/v1/tournaments/5/events/",
        "/api/v1/friendlies/5/events/",
        "/live/matches/",
    ],
)
def test_server_goes_on_with_every_address_that_follows(path: str) -> None:
    assert is_stream(path)
    assert not is_stream("/api/v1/webhooks/events/")
