"""A new game is one package and one line in the registry: it plays, draws and has its pages."""

from random import Random

import pytest
from django.test import Client

from pentathlon.matches.models import Match
from pentathlon.matches.services import claim_matches
from pentathlon_engines import CHANCE, GAMES
from pentathlon_engines.contract.registry import PACKAGES
from pentathlon_engines.lookahead import best_first, winning_action
from pentathlon_engines.manifest import bot_command, built_in_bots, read_manifest
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.match.plain_launcher import PlainLauncher
from pentathlon_engines.record.record import verify_record
from pentathlon_engines.runner import SeatBot, play_match
from pentathlon_engines.tools.simulate import simulate
from pentathlon_engines.tree_search import TreeSearch
from tests.factories import make_match, make_version
from tests.pentathlon.friendlies.acting import begun, play_to_end
from tests.pentathlon.matches.replays.playing import record_of, submit
from tests.pentathlon.web.pages import Page, page_of, part_of

pytestmark = pytest.mark.usefixtures("sixth_game")


@pytest.fixture
def sixth_game(monkeypatch: pytest.MonkeyPatch) -> None:
    """Add the one line."""
    monkeypatch.setitem(PACKAGES, "twelve", "tests.engines.twelve_game")


def test_it_is_played_between_processes_and_verified() -> None:
    folder = built_in_bots()["random"]
    bot = SeatBot(name="random", hash="", command=bot_command(folder, read_manifest(folder)))

    report = play_match(
        game=GAMES["twelve"],
        options={},
        seats=[bot] * 3,
        seed=5,
        limits=Limits(),
        launcher=PlainLauncher(),
    )

    assert report.record["faults"] == []
    verify_record(report.record)


def test_it_is_drawn_encoded_searched_and_simulated() -> None:
    state = GAMES["twelve"].start(2)
    while state.to_move == CHANCE:
        state.apply_chance(state.sample_chance(Random(1)))
    actions = state.legal_actions()

    assert state.svg(0).startswith("<svg")
    assert "points" in str(state)
    assert len(state.features(0)) > 0
    assert winning_action(state) is None
    assert best_first(state, actions) == actions
    search = TreeSearch(state, seat=state.to_move or 0, rng=Random(2))
    for _ in range(20):
        search.step()
    assert search.best() in actions
    assert simulate(state.game, ("random", "careful"), games=3, seed=1, figures=["actions"])


@pytest.mark.django_db
def test_it_has_pages_and_an_api() -> None:
    make_match([make_version(games=["twelve"]) for _ in range(3)], game="twelve")
    client = Client()

    for path in (
        "/",
        "/games/",
        "/games/twelve/",
        "/leaderboards/twelve/",
        "/matches/?game=twelve",
    ):
        answer = client.get(path)
        assert answer.status_code == 200, path
        assert "Twelve" in answer.content.decode(), path
    assert client.get("/api/v1/games/twelve/").json()["title"] == "Twelve"
    assert len(client.get("/api/v1/matches/?game=twelve").json()["results"]) == 1


def _played() -> Match:
    match = make_match(
        [make_version(games=["twelve"]) for _ in range(3)],
        game="twelve",
        rules_version=GAMES["twelve"].info.version,
    )
    (job,) = claim_matches(match_ids=[match.pk], worker="test/1.0")
    return submit(job, record_of(job), logs=[""] * 3)


@pytest.mark.django_db
def test_a_match_of_it_has_a_page_before_and_a_replay_after() -> None:
    client = Client()
    waiting = make_match([make_version(games=["twelve"]) for _ in range(3)], game="twelve")
    done = _played()

    before = page_of(client.get(f"/matches/{waiting.pk}/"))
    steps = [page_of(client.get(f"/matches/{done.pk}/?ply={ply}")) for ply in (0, 5, done.ply)]
    told = part_of(client.get(f"/matches/{done.pk}/moment/?ply=5"))

    assert "Twelve" in before.text
    assert all(_drawn(page) for page in steps)
    for ply, page in zip((0, 5, done.ply), steps, strict=True):
        assert f"{ply} / {done.ply}" in page.text
    assert "take" in steps[2].text
    assert told.text.startswith("Teal: ")
    for name in ("board.svg", "record.json", "share.png", "actions/"):
        assert client.get(f"/matches/{done.pk}/{name}").status_code == 200, name
    assert client.get(f"/embed/matches/{done.pk}/").status_code == 200


@pytest.mark.django_db
def test_a_person_plays_it_to_its_end_and_reads_its_replay() -> None:
    friendly = begun(game="twelve", bot=make_version(games=["twelve"]))
    client = Client()
    client.force_login(friendly.person)

    form = page_of(client.get("/play/new/?game=twelve"))
    asked = page_of(client.get(f"/play/{friendly.pk}/"))
    client.post(f"/play/{friendly.pk}/act/", {"ply": friendly.ply, "action": "take"})
    friendly.refresh_from_db()
    over = play_to_end(friendly)
    replay = page_of(client.get(f"/play/{friendly.pk}/"))

    assert "Twelve" in form.text
    assert "Your turn" in asked.text
    assert _drawn(asked)
    assert {"stay", "take"} <= {each.get("value") for each in asked.all("input", "button")}
    assert over.state == "done"
    assert _drawn(replay)
    assert "You " in replay.text


def _drawn(page: Page) -> bool:
    return any("board" in each.get("class", "").split() for each in page.all("svg"))
