"""Signing in from a terminal: the site is asked until a person has confirmed the code."""

from typing import Any

import pytest

from pentathlon_engines.cli.commands.login import DeviceCode, await_token, begin_login
from pentathlon_engines.cli.failure import CHECK_FAILED, CommandFailed
from tests.engines.cli.client.fake_sites import ORIGIN, FakeSite, Replies, as_site, away, refused

TOKEN = {"token": "ptl_1"}
PENDING = refused("authorization_pending")
CODE = DeviceCode(
    device_code="d", user_code="ABCD", page=f"{ORIGIN}/device/", expires_s=60, interval_s=5
)


def login(*replies: Any) -> tuple[Any, list[float]]:
    pauses: list[float] = []
    site = FakeSite(posts={"device/token/": Replies(*replies)})
    return await_token(as_site(site), CODE, sleep=pauses.append), pauses


@pytest.mark.parametrize(
    "page",
    [f"{ORIGIN}/device/", "http://inside:8000/device/", "file://elsewhere/device/", "/device/"],
)
def test_code_is_asked_for_and_confirmed_on_the_site_itself(page: str) -> None:
    told = {
        "device_code": "d", "user_code": "ABCD", "verification_uri_complete": page,
        "expires_in": 60, "interval": 5,
    }  # fmt: skip
    site = FakeSite(posts={"device/": told})

    assert begin_login(as_site(site), name="desk", scopes=("bots:write",)) == CODE

    assert site.asked[-1][2] == {"name": "desk", "scopes": ["bots:write"]}


def test_site_is_asked_at_its_interval_until_the_code_is_confirmed() -> None:
    assert login(PENDING, PENDING, TOKEN) == (TOKEN, [5, 5, 5])


def test_site_that_asks_for_fewer_questions_gets_them() -> None:
    assert login(refused("slow_down"), PENDING, TOKEN) == (TOKEN, [5, 10, 10])


@pytest.mark.parametrize(
    "outage", [away(), refused("", status=503), refused("throttled", status=429)], ids=repr
)
def test_code_outlasts_a_site_that_restarts(outage: CommandFailed) -> None:
    token, pauses = login(PENDING, outage, outage, PENDING, TOKEN)

    assert token == TOKEN
    assert len(pauses) == 5


def test_site_that_stays_away_is_given_up() -> None:
    code = DeviceCode(device_code="d", user_code="", page="", expires_s=900, interval_s=5)
    site = FakeSite(posts={"device/token/": away()})

    with pytest.raises(CommandFailed, match="does not answer"):
        await_token(as_site(site), code, sleep=lambda _: None)

    assert len(site.asked) == 13


@pytest.mark.parametrize(
    ("replies", "sentence", "exit_code"),
    [
        pytest.param([refused("access_denied")], "denied in the browser", CHECK_FAILED, id="no"),
        pytest.param([refused("expired_token")], "not confirmed in time", CHECK_FAILED, id="late"),
        pytest.param([PENDING], "not confirmed in time", CHECK_FAILED, id="never"),
        pytest.param([refused("bad_code")], "refused: bad_code", CHECK_FAILED, id="other"),
    ],
)
def test_code_that_gives_no_token_ends_with_a_sentence(
    replies: list[Any], sentence: str, exit_code: int
) -> None:
    with pytest.raises(CommandFailed, match=sentence) as failed:
        login(*replies)

    assert failed.value.exit_code == exit_code
