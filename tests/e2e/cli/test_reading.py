"""Commands that show what a site knows, and play its matches again."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pentathlon.accounts.models import User
from pentathlon.bots.services import note_build_log
from pentathlon.matches.models import Match
from pentathlon.matches.replays.services import read_record
from pentathlon.tournaments.challenges.models import Challenge
from pentathlon.tournaments.models import Tournament
from pentathlon_engines.cli.client.http_site import ServerEvent
from pentathlon_engines.cli.client.patience import Patience
from pentathlon_engines.cli.commands import watch
from tests.e2e.cli.conftest import SITE
from tests.engines.commands import Run, write_bot
from tests.factories import make_version
from tests.pentathlon.matches.acting import claimed
from tests.pentathlon.matches.replays.playing import record_of, submit
from tests.pentathlon.tournaments.acting import matches_of, started
from tests.pentathlon.tournaments.challenges.acting import play, waiting, won_by
from tests.pentathlon.web.scene import play_all

pytestmark = pytest.mark.django_db

Meanwhile = Callable[..., None]


@pytest.fixture
def unplayed(author: User) -> Tournament:
    """Return a tournament with a bot of the author."""
    return started(versions=[make_version(owner=author, name="mine"), make_version(name="theirs")])


@pytest.fixture
def cup(unplayed: Tournament) -> Tournament:
    """Return the same when it has been played; a bot failed in the first match."""
    play_all(unplayed, fault_in_first=True)
    return unplayed


def first(cup: Tournament) -> Match:
    return matches_of(cup)[0]


def test_bots_are_mine_unless_others_are_asked_for(run: Run, cup: Tournament) -> None:
    assert [row["name"] for row in run("bots", "--json").data] == ["mine"]
    assert {row["name"] for row in run("bots", "--all", "--json").data} == {"mine", "theirs"}
    assert "mine  author  1        tuned  eligible" in run("bots").out


def test_long_lists_take_several_pages(run: Run, author: User) -> None:
    for number in range(5):
        make_version(owner=author, name=f"bot-{number}")

    assert len(run("bots", "--most", "3", "--json").data) == 3
    assert len(run("bots", "--json").data) == 5


def test_matches_are_those_of_all_my_bots(run: Run, cup: Tournament) -> None:
    mine, theirs = run("matches", "--json").data, run("matches", "theirs", "--json").data

    assert [row["id"] for row in mine] == [row["id"] for row in theirs]
    assert len(mine) == len(matches_of(cup))
    assert "1. " in run("matches", "mine", "--most", "1").out


def test_leaderboard_lists_tables_and_shows_one(run: Run, cup: Tournament) -> None:
    assert run("leaderboard").out.splitlines()[1].startswith("tuned")
    table = run("leaderboard", "tuned")
    assert "mine v1" in table.out
    assert "theirs v1" in table.out
    assert run("leaderboard", "tuned", "--json").data[0]["rank"] == 1
    assert "Nobody has played azure here yet" in run("leaderboard", "azure").err


def test_logs_of_a_match_explain_a_fault(run: Run, cup: Tournament) -> None:
    match = first(cup)
    guilty = match.seats.exclude(fault_kind="").get()
    own = guilty.version.bot.name == "mine"

    told = run("logs", f"{SITE}/matches/{match.pk}/")

    assert told.code == 0, told.err
    assert "mine v1" in told.out
    assert (f"Next: pentathlon repro {match.pk} FOLDER" in told.err) == own


def test_logs_of_a_bot_show_its_build_and_checks(run: Run, author: User) -> None:
    version = make_version(owner=author, name="mine")
    note_build_log(version_id=version.pk, log="gcc bot.c\n")

    assert "gcc bot.c" in run("logs", "mine").out
    assert run("logs", "mine@1", "--json").data["build_log"] == "gcc bot.c\n"
    assert run("logs", "mine@2").code == 2


def test_match_verifies_by_its_number_and_by_its_address(run: Run, cup: Tournament) -> None:
    match = matches_of(cup)[-1]

    by_number, by_address = (
        run("verify", str(match.pk)),
        run("verify", f"{SITE}/matches/{match.pk}/", "--json"),
    )

    assert by_number.out.startswith(f"{match.pk} verifies: ")
    assert by_address.data["chain"] == match.chain


def test_record_with_another_chain_than_the_page_shows_is_refused(
    run: Run, cup: Tournament, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = matches_of(cup)[-1]
    record = read_record(match.replay)
    monkeypatch.setattr("api.matches.replays.read_record", lambda replay: record)
    Match.objects.filter(pk=match.pk).update(chain="0" * 64)

    refused = run("verify", str(match.pk))

    assert refused.code == 1
    assert "has a different chain from the one its page shows" in refused.err


def test_repro_lets_a_bot_meet_the_same_requests(run: Run, cup: Tournament) -> None:
    match = matches_of(cup)[-1]
    seat = match.seats.get(version__bot__name="mine").seat
    record = read_record(match.replay)
    chosen = {index: event[1] for index, event in enumerate(record["events"]) if event[0] == seat}
    write_bot(
        Path("again"),
        "import json, sys\n"
        f"chosen = {json.dumps(chosen)}\n"
        "for line in sys.stdin:\n"
        "    told = json.loads(line)\n"
        "    if told['type'] == 'hello': print('{\"type\": \"ready\"}', flush=True)\n"
        "    if told['type'] == 'act':\n"
        "        print(json.dumps({'action': chosen[str(told['ply'])]}), flush=True)\n",
    )

    done = run("repro", str(match.pk), "again", "--keep", "bundle.zip", "--json")

    assert (done.code, done.data["verdict"], done.data["seat"]) == (0, "played_through", seat)
    assert run("play", "bundle.zip", "again").code == 0


def test_repro_of_a_sealed_match_is_for_later(run: Run, unplayed: Tournament) -> None:
    job = claimed(matches_of(unplayed)[0])
    submit(job, record_of(job, luck=1))

    refused = run("repro", str(job.match_id), ".")

    assert refused.code == 1
    assert "is sealed until the last match of its block is done" in refused.err


def test_watched_match_is_told_and_drawn(
    run: Run, unplayed: Tournament, meanwhile: Meanwhile
) -> None:
    one, other = (claimed(match) for match in matches_of(unplayed))
    submit(one, record_of(one, luck=1))
    Match.objects.filter(pk=other.match_id).update(ply=4)
    meanwhile(lambda: submit(other, record_of(other, luck=2)))

    seen = run("watch", str(other.match_id))

    assert seen.code == 0, seen.err
    assert ", ply 4" in seen.err
    assert "(seat 0)" in seen.out
    assert "tuned: 1. " in seen.out


def test_running_match_is_drawn_over_itself(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    screen = watch._Screen(as_json=False)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    seat = {"version": {"label": "mine v1"}}
    match = {"game": "tuned", "state": "running", "seats": [seat, seat]}
    plies = {"ply": 3, "text": "a board", "cpu_ms": [1200, 0], "limit_ms": 20000}

    screen.show(ServerEvent("plies", plies), match, Patience(1, what="", try_next=""))
    screen.clear()

    drawn = capsys.readouterr().err
    assert "mine v1 – mine v1, running, ply 3\na board\n" in drawn
    assert "CPU time of 20 s: seat 0 1.2 s, seat 1 0.0 s" in drawn
    assert drawn.endswith("\r\x1b[2A\x1b[J")


def test_watched_match_whose_seed_is_sealed_shows_no_board(run: Run, unplayed: Tournament) -> None:
    job = claimed(matches_of(unplayed)[0])
    submit(job, record_of(job, luck=1))

    seen = run("watch", str(job.match_id))

    assert seen.code == 0
    assert "sealed" in seen.err
    assert seen.out.startswith("tuned: 1. ")


def test_watched_bot_tells_of_every_match_it_ends(
    run: Run, unplayed: Tournament, meanwhile: Meanwhile
) -> None:
    one, other = (claimed(match) for match in matches_of(unplayed))
    submit(one, record_of(one, luck=1))
    meanwhile(lambda: None, lambda: submit(other, record_of(other, luck=2)))

    seen = run("watch", "mine", "--count", "2", "--json")

    lines = [json.loads(line) for line in seen.out.splitlines()]
    told = [line["id"] for line in lines if line["event"] == "result"]
    assert told == [one.match_id, other.match_id]
    assert {line["match"] for line in lines if line["event"] == "state"} == {other.match_id}


def test_challenge_is_made_and_its_score_awaited(
    run: Run, cup: Tournament, meanwhile: Meanwhile
) -> None:
    def play_it() -> None:
        made = Challenge.objects.get()
        play(waiting(made), won_by(made.version))

    meanwhile(play_it)

    done = run("challenge", "mine", "theirs", "--blocks", "2", "--wait")

    assert done.code == 0, done.err
    assert "mine v1 meets theirs v1: " in done.err
    assert "4 of 4 matches played" in done.err
    assert done.out.startswith("mine v1 – theirs v1: 4 of 4 points, 100%")


def test_challenge_that_the_site_refuses_says_why(run: Run, cup: Tournament) -> None:
    refused = run("challenge", "theirs", "mine")

    owner = User.objects.get(bots__name="theirs").username
    assert (refused.code, refused.out) == (2, "")
    assert f"theirs v1 belongs to {owner}: take a version of your own." in refused.err
    assert f"Try: {SITE}/api/docs/challenges/" in refused.err
    assert not Challenge.objects.exists()
