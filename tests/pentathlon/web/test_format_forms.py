"""The form of a new tournament offers every format with its own parameters."""

import re

import pytest
from django.test import Client

from pentathlon.tournaments.models import Tournament
from pentathlon.web.forms.plans import formats_of, seats_of
from pentathlon_engines import GAMES
from pentathlon_engines.tournament.checks import LIMIT_RANGES
from pentathlon_engines.tournament.formats.registry import FORMATS
from tests.deep import mostly_deep
from tests.factories import make_user, make_version
from tests.pentathlon.web.pages import Page, page_of

pytestmark = pytest.mark.django_db

_KINDS = [name.partition("/")[0] for name in FORMATS]
_LARGE = next(key for key, game in GAMES.items() if game.info.seats[1] > 2)


@pytest.fixture
def client() -> Client:
    person = Client()
    person.force_login(make_user(organiser=True))
    return person


def _address(kind: str) -> str:
    game = "tuned" if kind in formats_of(GAMES["tuned"].info) else _LARGE
    return f"/tournaments/new/?game={game}&format={kind}"


def _answers(page: Page, **changed: str) -> dict[str, str]:
    """Return what a browser posts if nothing but these fields is touched."""
    fields = [
        each
        for each in page.all("input")
        if each.get("name") and (each.get("type") != "checkbox" or "checked" in each)
    ]
    usual = {"checkbox": "on"}
    values = {each["name"]: each.get("value", usual.get(each["type"], "")) for each in fields}
    return values | {"name": "Cup"} | changed


def _names(page: Page) -> set[str]:
    return {each["name"] for each in page.all("input", "select", "textarea") if "name" in each}


@pytest.mark.parametrize("kind", mostly_deep(_KINDS, keep=["swiss", "knockout", "tables"]))
def test_every_format_is_made_as_its_defaults_say(client: Client, kind: str) -> None:
    page = page_of(client.get(_address(kind)))
    chosen = {name: "3" for name in ("blocks",) if kind == "knockout"}

    answer = client.post(_address(kind), _answers(page, **chosen))

    assert answer.status_code == 302
    made = Tournament.objects.get()
    assert made.scheduler.partition("/")[0] == kind
    parameters = FORMATS[made.scheduler].parameters
    assert made.params == {name: each.default for name, each in parameters.items()}


def test_parameters_and_order_reach_the_tournament(client: Client) -> None:
    page = page_of(client.get(_address("gauntlet")))
    asked = {"challengers": "1, 0", "blocks": "7", "tie_break_1": "wins", "tie_break_3": "fit"}
    versions = [str(make_version().pk) for _ in range(3)]

    client.post(_address("gauntlet"), {**_answers(page, **asked), "versions": versions})

    made = Tournament.objects.get()
    assert made.params["challengers"] == [1, 0]
    assert made.params["blocks"] == 7
    assert made.tie_breaks == ["wins", "fit"]


def test_further_tie_breaks_are_folded_away_until_one_is_chosen(client: Client) -> None:
    def folds(answer: bytes) -> list[str]:
        return re.findall(r"<details( open)?><summary>Further tie-breaks", answer.decode())

    address = _address("gauntlet")
    page = page_of(client.get(address))

    assert folds(client.get(address).content) == [""]
    assert folds(client.post(address, _answers(page, name="", tie_break_2="wins")).content) == [
        " open"
    ]


def test_unchecked_box_says_no(client: Client) -> None:
    answers = _answers(page_of(client.get(_address("knockout"))), blocks="5")
    del answers["third_place"]

    client.post(_address("knockout"), answers)

    made = Tournament.objects.get()
    assert made.params == {
        "blocks": 5,
        "tie_blocks": 2,
        "third_place": False,
        "same_author": True,
    }


def test_dry_run_says_how_long_it_would_be_and_makes_nothing(client: Client) -> None:
    answers = _answers(page_of(client.get(_address("round_robin"))))
    versions = [str(make_version().pk) for _ in range(3)]

    rehearsed = client.post(
        _address("round_robin"), {**answers, "versions": versions, "dry_run": "1"}
    )
    too_few = client.post(_address("round_robin"), {**answers, "dry_run": "1"})

    page = page_of(rehearsed)
    assert re.search(r"Dry run with these bots Matches ?[1-9]", page.text)
    assert page.field("name")["value"] == "Cup"
    assert "2 bots" in page_of(too_few).text
    assert not Tournament.objects.exists()


def test_all_problems_are_shown_at_once_beside_their_fields(client: Client) -> None:
    page = page_of(client.get(_address("swiss")))
    versions = [str(make_version().pk) for _ in range(4)]
    wrong = {"name": "", "rounds": "9", "action_cpu_s": "999"}
    twice = {"tie_break_1": "wins", "tie_break_2": "wins"}

    answer = client.post(
        _address("swiss"), {**_answers(page, **wrong, **twice), "versions": versions}
    )

    shown = page_of(answer)
    assert "4 things need a change" in shown.text
    for name in (*wrong, "tie_break_2"):
        assert shown.field(name)["aria-invalid"] == "true", name
    assert shown.field("rounds")["value"] == "9"
    assert not Tournament.objects.exists()


def test_options_of_the_game_reach_the_tournament(client: Client) -> None:
    address = "/tournaments/new/?game=tash_kalar"
    page = page_of(client.get(address))
    asked = {"option_mode": "deathmatch_duel", "option_decks_1": "highland"}
    assert "Options of Tash-Kalar" in page.text
    assert {"option_mode", "option_decks_0", "option_decks_1"} <= _names(page)

    client.post(address, {**_answers(page), **asked})

    made = Tournament.objects.get()
    assert made.options == {"mode": "deathmatch_duel", "decks": ["drawn", "highland"]}


@pytest.mark.parametrize("game", GAMES)
def test_every_option_of_every_game_has_a_field(client: Client, game: str) -> None:
    page = page_of(client.get(f"/tournaments/new/?game={game}"))

    fields = _names(page)
    for option in GAMES[game].info.options:
        assert any(name.startswith(f"option_{option.name}") for name in fields), option.name


def test_all_limits_reach_the_tournament(client: Client) -> None:
    page = page_of(client.get(_address("swiss")))
    asked = {name: str(high) for name, (_, high) in LIMIT_RANGES.items()}

    client.post(_address("swiss"), _answers(page, **asked))

    made = Tournament.objects.get()
    assert made.limits == {name: high for name, (_, high) in LIMIT_RANGES.items()}


def test_wrong_option_and_limit_are_shown_at_their_fields(client: Client) -> None:
    address = "/tournaments/new/?game=tash_kalar"
    answers = _answers(page_of(client.get(address)))
    same = {"option_decks_0": "highland", "option_decks_1": "highland", "memory_mb": "1"}

    page = page_of(client.post(address, {**answers, **same}))

    assert page.field("memory_mb")["aria-invalid"] == "true"
    assert page.field("option_mode")["aria-invalid"] == "true"
    assert "they must differ" in page.text
    assert not Tournament.objects.exists()


@pytest.mark.parametrize("kind", mostly_deep(_KINDS, keep=["swiss", "tables"]))
def test_event_is_made_in_every_format(client: Client, kind: str) -> None:
    address = f"/events/new/?format={kind}"
    page = page_of(client.get(address))
    chosen = {name: "3" for name in ("blocks",) if kind == "knockout"}
    games = [key for key, game in GAMES.items() if kind in formats_of(game.info)]
    answers = _answers(page, memory_mb="64", tie_break_1="wins", **chosen)

    answer = client.post(address, {**answers, "name": "Week", "games": games})

    assert answer.status_code == 302, page_of(answer).text
    made = Tournament.objects.all()
    assert sorted(each.game for each in made) == sorted(games)
    assert {each.scheduler.partition("/")[0] for each in made} == {kind}
    assert [each.limits for each in made] == [{"memory_mb": 64}] * len(games)
    assert {tuple(each.tie_breaks) for each in made} == {("wins",)}


@pytest.mark.parametrize("address", [_address("ab_test"), "/events/new/?format=ab_test"])
def test_ab_test_cannot_be_chosen_to_be_rated(client: Client, address: str) -> None:
    page = page_of(client.get(address))

    client.post(address, {**_answers(page), "rated": "on", "games": ["tuned"]})

    assert "disabled" in page.field("rated")
    assert "never rated" in page.text
    assert list(Tournament.objects.values_list("rated", flat=True)) == [False]


def test_problems_of_an_event_are_shown_at_once(client: Client) -> None:
    address = "/events/new/?format=ab_test"
    answers = _answers(page_of(client.get(address)))
    wrong = {"alternative": "0.4", "starts_at": "2001-01-01T10:00", "memory_mb": "1"}

    page = page_of(client.post(address, {**answers, **wrong, "name": "W", "games": ["tuned"]}))

    for name in wrong:
        assert page.field(name)["aria-invalid"] == "true", name


_OUT_OF_BOUNDS = (
    ("swiss", "rounds", "0", "greater than or equal to 1"),
    ("knockout", "blocks", "4", "Select a valid choice"),
    ("gauntlet", "challengers", "two", "numbers separated by commas"),
    ("finals", "confidence", "2", "less than or equal to 0.999"),
    ("ab_test", "alternative", "0.99", "less than or equal to 0.95"),
    ("gauntlet", "challengers", "-3,", "list of different entry numbers"),
    ("tables", "table_seats", "2", "greater than or equal to 3"),
)


@pytest.mark.parametrize(
    ("kind", "name", "value", "sentence"),
    [
        pytest.param(*case, marks=[pytest.mark.deep] * (number % 3 > 0))
        for number, case in enumerate(_OUT_OF_BOUNDS)
    ],
)
def test_value_out_of_bounds_names_its_field(
    client: Client, kind: str, name: str, value: str, sentence: str
) -> None:
    answers = _answers(page_of(client.get(_address(kind))), **{name: value})

    page = page_of(client.post(_address(kind), answers))

    assert page.field(name)["aria-invalid"] == "true"
    assert sentence in page.text


def test_every_format_is_led_to(client: Client) -> None:
    links = page_of(client.get(_address("tables"))).links()

    assert {f"?game={_LARGE}&format={kind}" for kind in _KINDS} <= set(links)


def test_game_for_two_is_offered_no_larger_tables() -> None:
    for game in GAMES.values():
        offered = formats_of(game.info)
        assert ("tables" in offered) == (game.info.seats[1] > 2)
        assert all(seats_of(each, game.info) for each in offered.values())


@pytest.mark.parametrize("address", ["/tournaments/new/?game=tuned&", "/events/new/?"])
def test_unknown_format_is_answered_with_the_known_ones(client: Client, address: str) -> None:
    page = page_of(client.get(f"{address}format=king"))

    assert "There is no format 'king' here; the formats are Round robin, " in page.text
    assert page.field("cycles")["value"] == "1"
    assert "king" not in {link.rpartition("=")[2] for link in page.links()}


@pytest.mark.parametrize("address", ["/tournaments/new/?game=tuned&", "/events/new/?"])
def test_nothing_is_made_in_an_unknown_format(client: Client, address: str) -> None:
    answers = _answers(page_of(client.get(address)), games="tuned")

    page = page_of(client.post(f"{address}format=king", answers))

    assert page.text.count("There is no format 'king' here") == 1
    assert not Tournament.objects.exists()


def test_format_without_tables_for_the_game_is_unknown_there(client: Client) -> None:
    page = page_of(client.get("/tournaments/new/?game=tuned&format=tables"))

    assert "There is no format 'tables' here" in page.text


def test_known_format_needs_no_warning(client: Client) -> None:
    page = page_of(client.get(_address("swiss")))

    assert "There is no format" not in page.text
