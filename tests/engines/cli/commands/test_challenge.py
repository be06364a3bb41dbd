"""`pentathlon challenge` asks for matches, and waits for their score if it is told to."""

from collections.abc import Callable
from typing import Any

import pytest

from pentathlon_engines.cli.commands import challenge
from pentathlon_engines.cli.failure import HOST_OR_SERVER
from tests.engines.cli.client.fake_sites import FakeSite, Replies, as_site, away
from tests.engines.commands import Run

Challenge = Callable[..., Any]


def bot(number: int, name: str, *, owner: int) -> dict[str, Any]:
    version = {"id": 10 * number, "number": 1, "bot": {"name": name, "owner": {"id": owner}}}
    return {"id": number, "name": name, "latest_version": version}


BOTS = [bot(1, "tiger", owner=1), bot(2, "lamb", owner=1), bot(3, "wolf", owner=2)]
MADE = {
    "id": 5, "done": 0, "matches": 4, "state": "running", "score": None,
    "version": {"label": "tiger v1"}, "opponent": {"label": "wolf v1"},
}  # fmt: skip
SCORE = {"points": 3.0, "matches": 4, "share": 0.75, "low": 0.3, "high": 0.98}


def site(*progress: Any) -> FakeSite:
    return FakeSite(
        {"challenges/5/": Replies(*(progress or (MADE,)))},
        {"bots/": lambda query: [each for each in BOTS if each["name"] == query["name"]]},
        {"challenges/": MADE},
    )


@pytest.fixture
def challenged(run: Run, monkeypatch: pytest.MonkeyPatch) -> Challenge:
    monkeypatch.setattr("time.sleep", lambda _: None)

    def challenge_at(at: FakeSite, *arguments: str) -> Any:
        monkeypatch.setattr(challenge, "connect_as_person", lambda address: as_site(at))
        return run("challenge", *arguments)

    return challenge_at


@pytest.mark.parametrize(("opponent", "named"), [("wolf", {"bot": 3}), ("lamb", {"against": 20})])
def test_own_version_is_met_as_it_is_and_a_foreign_bot_as_it_plays(
    opponent: str, named: dict[str, int], challenged: Challenge
) -> None:
    at = site()

    ended = challenged(at, "tiger", opponent, "--game", "tuned", "--blocks", "2")

    asked = [body for method, path, body in at.asked if method == "POST"]
    assert asked == [{"version": 10, **named, "game": "tuned", "blocks": 2}]
    assert ended.out == "https://example.org/challenges/5/\n"


def test_score_is_waited_for_through_an_outage(challenged: Challenge) -> None:
    half, whole = {**MADE, "done": 2}, {**MADE, "done": 4, "state": "done", "score": SCORE}

    ended = challenged(site(MADE, away(), half, half, whole), "tiger", "wolf", "--wait")

    assert [line for line in ended.err.splitlines() if "played" in line] == [
        "0 of 4 matches played",
        "2 of 4 matches played",
        "4 of 4 matches played",
    ]
    assert ended.out == "tiger v1 – wolf v1: 3 of 4 points, 75% (30% to 98%)\n"


def test_challenge_without_a_whole_block_has_no_score(challenged: Challenge) -> None:
    ended = challenged(site({**MADE, "state": "cancelled"}), "tiger", "wolf", "--wait")

    assert ended.out == "tiger v1 – wolf v1: no block was completed.\n"


def test_challenge_that_takes_too_long_goes_on_without_its_author(
    challenged: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]

    def monotonic() -> float:
        now[0] += 1.0
        return now[0]

    monkeypatch.setattr("time.monotonic", monotonic)

    ended = challenged(site(MADE), "tiger", "wolf", "--wait", "--timeout", "10")

    assert ended.code == HOST_OR_SERVER
    assert "It continues without you" in ended.err


def test_script_gets_the_challenge_with_its_address(challenged: Challenge) -> None:
    assert challenged(site(), "tiger", "wolf", "--json").data == {
        **MADE, "url": "https://example.org/challenges/5/",
    }  # fmt: skip
