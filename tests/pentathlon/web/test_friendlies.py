"""Pages on which people play against bots themselves, as they work without JavaScript."""

import pytest
from django.test import Client

from pentathlon.accounts.models import User
from pentathlon.friendlies.models import Friendly
from pentathlon.friendlies.services import resign
from pentathlon.live.snapshots import friendly_now
from tests.factories import make_match, make_user, make_version
from tests.pentathlon.friendlies.acting import answer, begun, claimed, move, play_to_end
from tests.pentathlon.web.pages import Page, page_of

pytestmark = pytest.mark.django_db


def _signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def test_button_on_a_bots_page_leads_to_a_game() -> None:
    person, bot = make_user(), make_version().bot
    client = _signed_in(person)
    address = f"/play/new/?bot={bot.pk}"

    links = page_of(client.get(f"/bots/{bot.pk}/")).links()
    form = page_of(client.get(address))
    made = client.post(address, {"bot_1": bot.pk, "seat": "0"})

    friendly = Friendly.objects.get()
    assert address in links
    assert "Unrated" in form.text
    assert made["Location"] == f"/play/{friendly.pk}/"
    assert (friendly.person, friendly.seat, friendly.state) == (person, 0, "person")


def test_game_is_played_by_the_list() -> None:
    friendly = begun()
    client = _signed_in(friendly.person)
    page = page_of(client.get(f"/play/{friendly.pk}/"))

    moved = client.post(f"/play/{friendly.pk}/act/", {"ply": 0, "action": "add dog b2"})

    friendly.refresh_from_db()
    assert "Your turn" in page.text
    assert "Violet puts a dog on b2" in page.text or "add dog b2" in page.text
    assert moved["Location"] == f"/play/{friendly.pk}/"
    assert (friendly.ply, friendly.state) == (1, "bot")
    waiting = page_of(client.get(f"/play/{friendly.pk}/"))
    assert "number 1 in the queue" in waiting.text


def test_open_page_is_told_of_the_answer() -> None:
    friendly = move(begun())
    client = _signed_in(friendly.person)
    address = f"/play/{friendly.pk}/?since={friendly_now(friendly.pk).mark}"

    before = client.get(address, headers={"X-Part": "true"})
    answer(friendly)
    after = client.get(address, headers={"X-Part": "true"})

    assert before.status_code == 204
    assert "Your turn" in after.content.decode()


@pytest.mark.parametrize(
    ("posted", "sentence"),
    [
        ({"ply": 0, "action": "add dog z9"}, "not among the"),
        ({"ply": 7, "action": "add dog b2"}, "look at the board again"),
        ({"ply": "x", "action": "add dog b2"}, "look at the board again"),
        ({"action": "add dog b2"}, "look at the board again"),
        ({"ply": 0}, "Choose one of the actions"),
    ],
)
def test_action_that_cannot_be_done_is_said(posted: dict[str, object], sentence: str) -> None:
    friendly = begun()
    client = _signed_in(friendly.person)

    answer = client.post(f"/play/{friendly.pk}/act/", posted, follow=True)

    assert sentence in page_of(answer).text
    friendly.refresh_from_db()
    assert friendly.ply == 0


def test_nobody_else_sees_a_game_under_way() -> None:
    friendly = begun()

    assert Client().get(f"/play/{friendly.pk}/").status_code == 404
    assert _signed_in(make_user()).get(f"/play/{friendly.pk}/").status_code == 404
    assert Client().get(f"/play/{friendly.pk}/record.json").status_code == 404


def test_everybody_sees_the_replay_of_a_game_that_is_over() -> None:
    friendly = play_to_end(begun())
    client = Client()

    page = page_of(client.get(f"/play/{friendly.pk}/?ply={friendly.ply}"))

    assert "with a person" in page.text
    begun_at = page_of(client.get(f"/play/{friendly.pk}/?ply=1")).links()
    assert f"/play/new/?friendly={friendly.pk}&ply=1" in begun_at
    assert friendly.person.username in page.text
    assert client.get(f"/play/{friendly.pk}/board.svg?ply=1").status_code == 200
    assert client.get(f"/play/{friendly.pk}/moment/?ply=1").status_code == 200
    assert client.get(f"/play/{friendly.pk}/actions/?ply=1").status_code == 200
    assert client.get(f"/play/{friendly.pk}/record.json").json() == friendly.record


def test_person_is_told_how_the_own_game_went_and_what_to_do_next() -> None:
    version = make_version()
    friendly = play_to_end(begun(bot=version))
    client = _signed_in(friendly.person)

    own = page_of(client.get(f"/play/{friendly.pk}/"))
    other = page_of(Client().get(f"/play/{friendly.pk}/"))

    result = f"You {friendly.persons_result}."
    assert result in own.text
    assert result not in other.text
    assert f"/play/new/?game=tuned&bot={version.bot_id}" in own.links()
    assert [_opened_at(page) for page in (own, other)] == [str(friendly.ply), "0"]
    assert result.lower().rstrip(".") in page_of(client.get("/play/")).text


def _opened_at(page: Page) -> str:
    return next(each["data-ply"] for each in page.all("div") if "data-viewer" in each)


def test_replay_gives_ranks_away_at_the_end_only_and_points_at_every_ply() -> None:
    friendly = play_to_end(begun(game="azure"))
    client = Client()

    start = page_of(client.get(f"/play/{friendly.pk}/?ply=0"))
    end = page_of(client.get(f"/play/{friendly.pk}/?ply={friendly.ply}"))

    assert [_is_rank_hidden(page) for page in (start, end)] == [{True}, {False}]
    assert len([each for each in start.all("b") if "data-points-of" in each]) == 2


def _is_rank_hidden(page: Page) -> set[bool]:
    return {"hidden" in each for each in page.all("span") if "data-at-end" in each}


@pytest.mark.parametrize(
    ("ranks", "scores", "resigned_at", "result"),
    [
        ([0, 1], [25, 15], None, "won, 25 to 15"),
        ([1, 0], None, None, "lost"),
        ([0, 0], None, None, "drew"),
        ([2, 0, 1], [0, 5, 1], None, "came 3rd, 0 to 5 and 1"),
        ([1, 0], None, 4, "resigned"),
    ],
)
def test_result_is_said_from_where_the_person_sits(
    ranks: list[int], scores: list[int] | None, resigned_at: int | None, result: str
) -> None:
    friendly = Friendly(seat=0, ranks=ranks, scores=scores, resigned_at=resigned_at)

    assert friendly.persons_result == result


def test_replay_of_a_fork_shows_where_it_comes_from() -> None:
    first = play_to_end(begun())
    person, bot = make_user(), make_version().bot
    client = _signed_in(person)
    address = f"/play/new/?friendly={first.pk}&ply=1"

    form = page_of(client.get(address))
    client.post(address, {"bot_1": bot.pk, "seat": ""})

    forked = Friendly.objects.get(person=person)
    assert "after ply 1" in form.text
    assert (forked.seat, forked.ply, forked.origin_friendly) == (1, 1, first)
    resign(actor=person, friendly_id=forked.pk)
    links = page_of(Client().get(f"/play/{forked.pk}/")).links()
    assert f"/play/{first.pk}/?ply=1" in links


def test_position_of_a_match_that_nobody_may_see_is_no_beginning() -> None:
    match = make_match()

    answer = _signed_in(make_user()).get(f"/play/new/?match={match.pk}&ply=1")

    assert answer.status_code == 404


def test_resigning_ends_the_game() -> None:
    friendly = begun()

    _signed_in(friendly.person).post(f"/play/{friendly.pk}/resign/")

    friendly.refresh_from_db()
    assert (friendly.state, friendly.outcome_reason) == ("done", "resigned")


def test_list_has_the_persons_own_games() -> None:
    friendly, other = begun(), begun()

    links = page_of(_signed_in(friendly.person).get("/play/")).links()

    assert f"/play/{friendly.pk}/" in links
    assert f"/play/{other.pk}/" not in links


def test_worker_at_work_is_said() -> None:
    friendly = move(begun())
    claimed(friendly)

    page = page_of(_signed_in(friendly.person).get(f"/play/{friendly.pk}/"))

    assert "The bot thinks" in page.text


def test_options_of_the_game_are_chosen_in_the_form() -> None:
    person, bot = make_user(), make_version(games=["tash_kalar"]).bot
    client = _signed_in(person)
    address = f"/play/new/?game=tash_kalar&bot={bot.pk}"
    chosen = {
        "option_mode": "deathmatch_duel",
        "option_decks_0": "highland",
        "option_decks_1": "sylvan",
    }

    form = page_of(client.get(address))
    client.post(address, {"bot_1": bot.pk, "seat": "0", **chosen})

    assert {"option_mode", "option_decks_0"} <= {each.get("name") for each in form.all("select")}
    friendly = Friendly.objects.get()
    assert friendly.options["mode"] == "deathmatch_duel"
    assert friendly.options["decks"] == ["highland", "sylvan"]


def test_options_that_do_not_go_together_are_said_at_the_form() -> None:
    bot = make_version(games=["tash_kalar"]).bot
    posted = {"bot_1": bot.pk, "seat": "0", "option_decks_0": "sylvan", "option_decks_1": "sylvan"}

    answer = _signed_in(make_user()).post(f"/play/new/?game=tash_kalar&bot={bot.pk}", posted)

    page = page_of(answer)
    assert "they must differ" in page.text
    assert any("open" in details for details in page.all("details"))
    assert not Friendly.objects.exists()


def test_several_bots_take_the_other_seats() -> None:
    person = make_user()
    bots = [make_version(games=["way_of_the_dragon"]).bot.pk for _ in range(3)]
    posted = {f"bot_{number}": bot for number, bot in enumerate(bots, 1)}

    _signed_in(person).post("/play/new/?game=way_of_the_dragon", {**posted, "seat": "2"})

    friendly = Friendly.objects.get()
    assert [place["version"] and place["version"].bot_id for place in friendly.places] == [
        *bots[:2],
        None,
        bots[2],
    ]


def test_position_that_is_not_there_is_no_beginning() -> None:
    friendly = play_to_end(begun())
    person = Client()
    person.force_login(friendly.person)
    queries = ["friendly=99999", "match=99999", f"friendly={friendly.pk}&ply=9999"]

    answers = [person.get(f"/play/new/?{query}") for query in queries]

    assert [answer.status_code for answer in answers] == [404, 404, 404]


def test_open_page_of_a_game_that_is_over_becomes_its_replay() -> None:
    friendly = play_to_end(begun())
    person = Client()
    person.force_login(friendly.person)

    answer = person.get(f"/play/{friendly.pk}/", headers={"X-Part": "true"})

    assert answer.headers["X-Reload"] == "true"
