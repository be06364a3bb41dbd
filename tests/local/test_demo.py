"""The demo's people, bots and tournaments; `test_up.py` plays the whole of it."""

import secrets
import time
from collections import Counter
from pathlib import Path

import pytest

from pentathlon.accounts.models import User
from pentathlon.ladders.reference import pack_renamed
from pentathlon.local.demo import people
from pentathlon.local.demo.people import DemoFailed, People, demo_logins
from pentathlon.local.demo.plan import BOTS, CHALLENGE, Plan, authors, folder_of, plans
from pentathlon.matches.uploads.services import submit_version
from pentathlon_engines import GAMES
from pentathlon_engines.archive.packing import content_hash
from pentathlon_engines.manifest import bot_command, read_manifest
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.match.plain_launcher import PlainLauncher
from pentathlon_engines.runner import SeatBot, play_match
from pentathlon_engines.tournament.formats.interface import Format, Size
from pentathlon_engines.tournament.formats.interface import Plan as FormatPlan
from pentathlon_engines.tournament.formats.registry import FORMATS, newest_format
from tests.deep import mostly_deep
from tests.factories import make_user

FOLDERS = sorted(path.parent for path in BOTS.glob("*/bot.toml"))


def seat_bot(name: str) -> SeatBot:
    path = folder_of(name)
    command = bot_command(path, read_manifest(path))
    return SeatBot(name=name, hash=content_hash(path), command=command)


def format_of(plan: Plan) -> Format:
    return FORMATS[newest_format(plan.format, seats=plan.seats)]


def drawn(plan: Plan) -> FormatPlan:
    return FormatPlan(seats=plan.seats, params=plan.params, key=bytes(32), draw_probability=0.1)


def size_of(plan: Plan) -> Size:
    return format_of(plan).size(drawn(plan), len(plan.bots))


def test_bots_are_different_and_named_like_their_folders() -> None:
    assert len({content_hash(folder) for folder in FOLDERS}) == len(FOLDERS)
    assert [read_manifest(folder).name for folder in FOLDERS] == [f.name for f in FOLDERS]


def test_every_game_has_a_tournament_tuned_first() -> None:
    games = [plan.game for plan in plans() if plan.format == "round_robin"]

    assert games[0] == plans()[0].game == "tuned"
    assert sorted(games) == sorted(GAMES)


def test_swiss_knockout_and_finals_are_shown_in_different_games() -> None:
    shown = {plan.format: plan.game for plan in plans() if plan.format != "round_robin"}

    assert set(shown) == {"swiss", "knockout", "finals"}
    assert len(set(shown.values())) == 3


def test_every_plan_has_its_own_key_and_label() -> None:
    assert len({plan.key for plan in plans()}) == len(plans())
    assert len({plan.label for plan in plans()}) == len(plans())


def test_bracket_of_the_demo_has_a_third_place() -> None:
    (bracket,) = (plan for plan in plans() if plan.format == "knockout")
    bots = len(bracket.bots)

    assert size_of(bracket).fewest == 2 * (bots - 1 + 1)


@pytest.mark.parametrize("plan", plans(), ids=lambda plan: plan.key)
def test_tournament_can_be_held(plan: Plan) -> None:
    manifests = [read_manifest(folder_of(bot)) for bot in plan.bots]

    assert all(plan.game in manifest.games for manifest in manifests)
    assert GAMES[plan.game].info.check_seats(plan.seats) == plan.seats
    assert 2 <= plan.seats <= len(plan.bots)
    assert plan.document([1, 2])["versions"] == [1, 2]
    assert format_of(plan).problems(drawn(plan), len(plan.bots)) == []


def test_demo_stays_short() -> None:
    assert sum(size_of(plan).expected for plan in plans()) <= 100


def test_way_of_the_dragon_is_played_by_five() -> None:
    assert [plan.seats for plan in plans() if plan.game == "way_of_the_dragon"] == [5]


@pytest.mark.parametrize("key", mostly_deep(GAMES, keep=["tuned", "way_of_the_dragon"]))
def test_bots_play_without_fault_in_less_time_than_their_tournaments_give(key: str) -> None:
    shown = [plan for plan in plans() if plan.game == key]
    seats = shown[0].seats
    bots = list(dict.fromkeys(bot for plan in shown for bot in plan.bots))
    tables = [(bots + bots[:seats])[first : first + seats] for first in range(0, len(bots), seats)]

    for table in tables:
        report = play_match(
            game=GAMES[key],
            options={},
            seats=[seat_bot(name) for name in table],
            seed=1,
            limits=Limits(match_cpu_s=1.0),  # those that use what they get are quick
            launcher=PlainLauncher(),
        )

        assert report.record["faults"] == []


def test_every_bot_has_an_author_and_every_author_bots() -> None:
    whose = authors(["ada", "bruno", "chen"])

    assert set(whose) == {bot for plan in plans() for bot in plan.bots}
    assert set(whose.values()) == {"ada", "bruno", "chen"}


def test_challenge_is_between_bots_of_two_authors_in_the_first_tournament() -> None:
    whose = authors(["ada", "bruno", "chen"])

    assert set(CHALLENGE) <= set(plans()[0].bots)
    assert len({whose[bot] for bot in CHALLENGE}) == 2


class Reader:
    """Tells the states of versions as they come to be."""

    def __init__(self) -> None:
        self.states = {1: "validating", 2: "validating"}

    def get(self, path: str) -> dict[str, str]:
        number = int(path.strip("/").rpartition("/")[2])
        return {"label": f"bot {number}", "state": self.states[number]}


def test_slow_worker_is_waited_for_while_it_gets_on(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    people = People("http://localhost", [])
    reader = Reader()
    monkeypatch.setattr(people, "reader", reader)

    now[0] = 100.0
    reader.states[1] = "eligible"
    assert people.is_eligible(1)
    now[0] = 200.0
    assert people.is_eligible(1)
    assert not people.is_eligible(2)
    now[0] = 221.0

    with pytest.raises(DemoFailed, match="No worker has validated bot 2"):
        people.is_eligible(2)


class Author:
    """Sees the validations of their own bots."""

    def __init__(self) -> None:
        self.ended: list[dict[str, int]] = []

    def get(self, path: str, **query: str | int) -> dict[str, list[dict[str, int]]]:
        assert (path, query["kind"], query["state"]) == ("matches/", "validation", "done")
        return {"results": self.ended}


def test_validation_of_many_slow_matches_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    people = People("http://localhost", [])
    author = Author()
    monkeypatch.setattr(people, "reader", Reader())
    monkeypatch.setattr(people, "_clients", {"ada": author})

    for match in range(1, 4):
        now[0] += 121.0
        author.ended.append({"id": match})
        assert not people.is_eligible(2)
    now[0] += 121.0

    with pytest.raises(DemoFailed, match="No worker has validated bot 2"):
        people.is_eligible(2)


@pytest.mark.django_db
def test_every_bot_can_be_uploaded() -> None:
    owner = make_user()

    for bot in authors(["ada"]):
        assert (
            submit_version(actor=owner, archive=pack_renamed(folder_of(bot), name=bot)).bot.name
            == bot
        )


@pytest.mark.django_db
def test_log_ins_are_kept_private_and_work(tmp_path: Path) -> None:
    made = demo_logins(tmp_path)

    assert (tmp_path / "demo_logins.json").stat().st_mode & 0o777 == 0o600
    for login in made:
        assert User.objects.get(username=login.username).check_password(login.password)


@pytest.mark.django_db
def test_log_ins_are_the_same_the_next_time(tmp_path: Path) -> None:
    assert demo_logins(tmp_path) == demo_logins(tmp_path)


@pytest.mark.django_db
def test_two_installations_have_different_passwords(tmp_path: Path) -> None:
    passwords = {
        login.password for name in ("one", "two") for login in demo_logins(folder(tmp_path, name))
    }

    assert len(passwords) == 8


@pytest.mark.django_db
def test_no_password_is_too_like_an_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worst that can be drawn is one of the letters of the address."""
    monkeypatch.setattr(people, "_PEOPLE", (("bruno", "author"),))
    left = Counter("bruno@example.org")

    def draw(letters: str) -> str:
        drawn = max(letters, key=lambda letter: left[letter])
        left[drawn] -= 1
        return drawn

    monkeypatch.setattr(secrets, "choice", draw)

    (made,) = demo_logins(tmp_path)

    assert len(made.password) == 19


@pytest.mark.django_db
def test_interrupted_start_gets_passwords_that_work(tmp_path: Path) -> None:
    demo_logins(tmp_path)
    (tmp_path / "demo_logins.json").unlink()

    again = demo_logins(tmp_path)

    assert User.objects.count() == len(again)
    assert all(
        User.objects.get(username=login.username).check_password(login.password) for login in again
    )


def folder(base: Path, name: str) -> Path:
    (base / name).mkdir()
    return base / name
