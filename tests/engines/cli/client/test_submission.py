"""A bot is uploaded once, under a name that is free, and followed to its verdict."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pentathlon_engines.archive.archives import CheckedArchive
from pentathlon_engines.cli.client import submission
from pentathlon_engines.cli.client.patience import Patience
from pentathlon_engines.cli.client.submission import (
    Follower,
    new_lines,
    out_of_time,
    pack,
    upload_version,
)
from pentathlon_engines.cli.failure import CHECK_FAILED, HOST_OR_SERVER, CommandFailed
from tests.engines.cli.client.fake_sites import FakeSite, Replies, as_site, away, refused

VERSION = {
    "id": 71,
    "label": "tiger v1",
    "games": ["tuned"],
    "state": "validating",
    "state_reason": "",
    "bot": {"id": 7, "name": "tiger", "owner": {"username": "ann"}},
    "is_candidate": False,
    "waiting": None,
}
ELIGIBLE = {**VERSION, "state": "eligible"}


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", lambda _: None)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "tiger"
    folder.mkdir()
    (folder / "bot.toml").write_text('name = "tiger"\ngames = ["tuned"]\nlanguage = "python"\n')
    (folder / "main.py").write_text("print()\n")
    return folder


@pytest.fixture
def archive(folder: Path) -> CheckedArchive:
    return pack(folder)


def patience() -> Patience:
    return Patience(60.0, **out_of_time(VERSION))


def test_folder_and_its_zip_are_the_same_bot(folder: Path, archive: CheckedArchive) -> None:
    packed = folder.parent / "tiger.zip"
    packed.write_bytes(archive.normalised)

    assert pack(packed).content_hash == archive.content_hash


def test_file_that_is_no_bot_fails_the_check(tmp_path: Path) -> None:
    (tmp_path / "tiger.zip").write_bytes(b"no zip")

    with pytest.raises(CommandFailed) as failed:
        pack(tmp_path / "tiger.zip")

    assert failed.value.exit_code == CHECK_FAILED
    assert failed.value.try_next.startswith("pentathlon check ")


def test_first_upload_makes_a_bot(folder: Path, archive: CheckedArchive) -> None:
    site = FakeSite(lists={"bots/": []}, posts={"bots/": {"latest_version": VERSION}})

    assert upload_version(as_site(site), archive, source=folder, notes="first") == VERSION

    assert site.asked[-1] == ("UPLOAD", "bots/", {"notes": "first", "candidate": "false"})


def test_next_upload_is_a_version_of_the_bot(folder: Path, archive: CheckedArchive) -> None:
    site = FakeSite(
        lists={"bots/": [{"id": 7}], "versions/": [{"content_hash": "other"}]},
        posts={"versions/": VERSION},
    )

    upload_version(as_site(site), archive, source=folder, candidate=True)

    assert site.asked[-1][2] == {"notes": "", "candidate": "true", "bot": "7"}


@pytest.mark.parametrize(
    ("is_candidate", "stays_one", "is_activated"),
    [(False, False, False), (True, True, False), (True, False, True)],
)
def test_files_that_are_there_are_not_sent_again(
    is_candidate: bool, stays_one: bool, is_activated: bool, folder: Path, archive: CheckedArchive
) -> None:
    sent = {**VERSION, "content_hash": archive.content_hash, "is_candidate": is_candidate}
    site = FakeSite(
        lists={"bots/": [{"id": 7}], "versions/": [sent]}, posts={"versions/71/activate/": VERSION}
    )

    upload_version(as_site(site), archive, source=folder, candidate=stays_one)

    assert site.paths("UPLOAD") == []
    assert site.paths("POST") == (["versions/71/activate/"] if is_activated else [])


def test_placeholder_that_is_taken_gets_another_name_by_itself(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    manifest = folder / "bot.toml"
    manifest.write_text(manifest.read_text().replace("tiger", "my-bot"))
    taken = refused("name_taken", status=409, allowed=["my-bot-7"])
    site = FakeSite(
        lists={"bots/": []}, posts={"bots/": Replies(taken, {"latest_version": VERSION})}
    )

    upload_version(as_site(site), pack(folder), source=folder)

    assert 'name = "my-bot-7"' in manifest.read_text()
    assert len(site.paths("UPLOAD")) == 2


def test_name_that_a_person_chose_is_not_changed_without_asking(
    folder: Path, archive: CheckedArchive, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(submission, "is_terminal", lambda: False)
    taken = refused("name_taken", status=409, allowed=["tiger-2"])
    site = FakeSite(lists={"bots/": []}, posts={"bots/": taken})

    with pytest.raises(CommandFailed, match="name_taken") as failed:
        upload_version(as_site(site), archive, source=folder, candidate=True)

    assert failed.value.exit_code == CHECK_FAILED
    assert failed.value.try_next == (f"pentathlon submit {folder} --name tiger-2 --no-activate")
    assert 'name = "tiger"' in (folder / "bot.toml").read_text()


@pytest.mark.parametrize(
    ("refusal", "status", "exit_code", "try_next"),
    [
        ("quota_exceeded", 409, CHECK_FAILED, "pentathlon bots"),
        ("too_many_validating", 409, CHECK_FAILED, "pentathlon bots"),
        ("bad_archive", 400, CHECK_FAILED, "pentathlon check "),
        ("database_away", 503, HOST_OR_SERVER, "pentathlon --help"),
        ("authentication_failed", 401, CHECK_FAILED, "pentathlon --help"),
        ("missing_scope", 403, CHECK_FAILED, "pentathlon --help"),
    ],
)
def test_refused_upload_leads_on(
    refusal: str, status: int, exit_code: int, try_next: str, archive: CheckedArchive
) -> None:
    site = FakeSite(lists={"bots/": []}, posts={"bots/": refused(refusal, status=status)})

    with pytest.raises(CommandFailed) as failed:
        upload_version(as_site(site), archive, source=Path("tiger.zip"))

    assert failed.value.exit_code == exit_code
    assert failed.value.try_next.startswith(try_next)


def follower(site: FakeSite) -> Follower:
    return Follower(as_site(site), VERSION, patience())


def waiting(sentence: str, *, code: str = "queued", before: int | None = None) -> dict[str, Any]:
    """Return the version while it waits, with so many matches before its own."""
    place = None if before is None else {"matches": before, "expected_s": 40}
    return {**VERSION, "waiting": {"code": code, "sentence": sentence, "before": place}}


def log(build: str = "", checks: str = "") -> dict[str, str]:
    return {"build_log": build, "validation_log": checks}


def test_version_is_followed_to_its_verdict_with_its_build(
    capsys: pytest.CaptureFixture[str],
) -> None:
    site = FakeSite(
        {
            "versions/71/": Replies(waiting("Comes next."), away(), VERSION, ELIGIBLE),
            "versions/71/log/": Replies(
                log("cc ma"), log("cc main.c\nld"), log("cc main.c\nld\n")
            ),
        }
    )

    assert follower(site).to_its_verdict() == ELIGIBLE

    said = capsys.readouterr().err.splitlines()
    assert said == ["Waiting: Comes next.", "  cc main.c", "  ld", "tiger v1 may play."]


def test_long_build_log_is_shown_once(capsys: pytest.CaptureFixture[str]) -> None:
    whole = "".join(f"line {number}\n" for number in range(500))
    looks = [log(whole[max(0, end - 1000) : end]) for end in range(100, len(whole), 700)]
    site = FakeSite(
        {
            "versions/71/": Replies(*[VERSION] * len(looks), ELIGIBLE),
            "versions/71/log/": Replies(*looks, log(whole[-1000:])),
        },
        {"matches/": []},
    )

    follower(site).to_its_verdict()

    said = capsys.readouterr().err.splitlines()[:-1]
    assert said == [f"  line {number}" for number in range(500)]


LINES = st.lists(st.sampled_from("ab"), max_size=8)


@given(before=LINES, now=LINES)
def test_new_lines_are_those_after_the_longest_overlap(before: list[str], now: list[str]) -> None:
    def overlap(lines: list[str]) -> int:
        most = min(len(before), len(lines))
        return max(n for n in range(most + 1) if before[len(before) - n :] == lines[:n])

    common = overlap(now) or (overlap(now[1:]) + 1 if overlap(now[1:]) else 0)

    assert new_lines(before, now) == now[common:]


def test_log_cannot_command_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    site = FakeSite(
        {"versions/71/": ELIGIBLE, "versions/71/log/": log("\x1b[2Jgone\u202eexe.\tx\n")}
    )

    follower(site).to_its_verdict()

    assert capsys.readouterr().err.startswith("  \\u001b[2Jgone\\u202eexe.\tx\n")


@pytest.mark.parametrize(
    ("state", "exit_code", "try_next"),
    [
        ("rejected", CHECK_FAILED, "pentathlon logs tiger"),
        ("unchecked", HOST_OR_SERVER, "https://example.org/versions/71/"),
    ],
)
def test_version_that_may_not_play_fails_with_the_reason_and_its_last_lines(
    state: str, exit_code: int, try_next: str, capsys: pytest.CaptureFixture[str]
) -> None:
    ended = {**VERSION, "state": state, "state_reason": "It crashed."}
    lines = "".join(f"line {number}\n" for number in range(30))
    site = FakeSite({"versions/71/": ended, "versions/71/log/": log(checks=lines)})

    with pytest.raises(CommandFailed, match=rf"may not play \({state}\): It crashed") as failed:
        follower(site).to_its_verdict()

    assert (failed.value.exit_code, failed.value.try_next) == (exit_code, try_next)
    said = capsys.readouterr().err.splitlines()
    assert said[-1] == "  line 29"
    assert len(said) == 10


def test_token_that_may_not_read_logs_is_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    site = FakeSite(
        {
            "versions/71/": Replies(VERSION, ELIGIBLE),
            "versions/71/log/": refused("missing_scope", status=403),
        },
        {"matches/": []},
    )

    follower(site).to_its_verdict()

    assert site.paths("GET").count("versions/71/log/") == 1
    assert "lacks the scope private:read" in capsys.readouterr().err


def test_other_refusal_of_a_log_is_not_hidden() -> None:
    site = FakeSite(
        {"versions/71/": VERSION, "versions/71/log/": refused("not_found", status=404)}
    )

    with pytest.raises(CommandFailed, match="not_found"):
        follower(site).to_its_verdict()


def test_number_that_falls_is_told_until_the_turn_comes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    line = [
        waiting("Its turn comes. 2 matches go first, which takes about 80 s.", before=2),
        waiting("Its turn comes. 2 matches go first, which takes about 79 s.", before=2),
        waiting("Its turn comes. 1 match goes first, which takes about 40 s.", before=1),
        waiting("Comes next: the first free worker takes it.", code="sent", before=0),
    ]
    site = FakeSite({"versions/71/": Replies(*line, ELIGIBLE), "versions/71/log/": log()})

    follower(site).to_its_verdict()

    assert capsys.readouterr().err.splitlines() == [
        "Waiting: Its turn comes. 2 matches go first, which takes about 80 s.",
        "Waiting: Its turn comes. 1 match goes first, which takes about 40 s.",
        "Waiting: Comes next: the first free worker takes it.",
        "tiger v1 may play.",
    ]


def test_wait_for_the_first_match_says_why_although_none_is_made(
    capsys: pytest.CaptureFixture[str],
) -> None:
    seats = [{"seat": 0, "rank": 0, "version": {"label": "tiger v1"}}]
    done = {"id": 9, "game": "tuned", "state": "done", "outcome_reason": "line", "seats": seats}
    sentence = "It waits for opponents: other authors' bots or reference bots."
    site = FakeSite(
        {"versions/71/": waiting(sentence, code="not_made")},
        {"ladders/": [ladder()], "matches/": Replies([], [done])},
    )

    follower(site).to_its_first_match()

    assert capsys.readouterr().err.splitlines()[0] == f"Waiting: {sentence}"


def ladder(**about: Any) -> dict[str, Any]:
    return {"takes_all": True, "game": "tuned", **about}


def test_first_rated_match_is_waited_for(capsys: pytest.CaptureFixture[str]) -> None:
    seats = [{"seat": 0, "rank": 0, "version": {"label": "tiger v1"}}]
    done = {"id": 9, "game": "tuned", "state": "done", "outcome_reason": "line", "seats": seats}
    asked: list[str] = []

    def matches(query: Any) -> list[Any]:
        asked.append(query["state"])
        return [done] if query["state"] == "done" and asked.count("done") > 1 else []

    site = FakeSite({"versions/71/": ELIGIBLE}, {"ladders/": [ladder()], "matches/": matches})

    assert follower(site).to_its_first_match() == done

    assert "First rated match: tuned: 1. tiger v1 (line)" in capsys.readouterr().err
    assert asked == ["done", "done"]


@pytest.mark.parametrize(
    "ladders",
    [[], [ladder(takes_all=False)], [ladder(game="azure")]],
    ids=["none", "chosen", "other"],
)
def test_bot_that_no_ladder_takes_is_not_waited_for(ladders: list[Any]) -> None:
    site = FakeSite(lists={"ladders/": ladders})

    assert follower(site).to_its_first_match() is None


def test_wait_ends_with_rank_and_strength(capsys: pytest.CaptureFixture[str]) -> None:
    line = {"rank": 7, "strength": 24.06, "provisional": True, "version": {"id": 71}}
    other = {**line, "version": {"id": 70}}
    site = FakeSite(lists={"leaderboards/tuned/": Replies([other], [other, line])})

    assert follower(site).to_its_place("tuned") == line
    assert "Rank 7 in tuned, strength 24.1, provisional." in capsys.readouterr().err
    assert site.asked[-1][2] == {"owner": "ann"}


def test_refused_build_leads_to_a_program_built_at_home(
    archive: CheckedArchive, folder: Path
) -> None:
    site = FakeSite(
        lists={"bots/": []}, posts={"bots/": refused("no_worker_for_build", status=400)}
    )

    with pytest.raises(CommandFailed) as failed:
        upload_version(as_site(site), archive, source=folder)

    assert failed.value.try_next.endswith("/docs/first-bot/#binary")
