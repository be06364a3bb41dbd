"""Requests to a site: what is sent again, and the sentence for everything that goes wrong."""

from typing import Any

import pytest
import urllib3
from urllib3.exceptions import HTTPError, NewConnectionError

from pentathlon_engines.cli.client.http_site import (
    _pool,
    lines_of,
    read_events,
)
from pentathlon_engines.cli.failure import (
    CHECK_FAILED,
    HOST_OR_SERVER,
    USAGE,
    CommandFailed,
    FieldMissing,
    SiteRefused,
)
from pentathlon_engines.match.protocol import PROTOCOL
from tests.engines.cli.client.fake_sites import ORIGIN, answer, problem, site_with

CUT = HTTPError("Connection broken")


@pytest.fixture(autouse=True)
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return the pauses between requests, which take no time."""
    taken: list[float] = []
    monkeypatch.setattr("time.sleep", taken.append)
    return taken


def failure_of(*replies: Any, **about: Any) -> CommandFailed:
    site, _ = site_with(*replies, **about)
    with pytest.raises(CommandFailed) as failed:
        site.get("bots/")
    return failed.value


def test_question_goes_to_the_api_with_the_token_and_what_was_asked() -> None:
    site, wire = site_with(answer({"id": 7}))

    assert site.get("bots/", name="a b", owner=None, most=3) == {"id": 7}

    (asked,) = wire.asked
    assert (asked["method"], asked["address"]) == ("GET", f"{ORIGIN}/api/v1/bots/")
    assert asked["fields"] == {"name": "a b", "most": "3"}
    assert asked["headers"]["Authorization"] == "Bearer ptl_1"
    assert asked["redirect"] is False, "it could carry the token elsewhere"


def test_long_list_is_read_page_by_page_up_to_what_is_wanted() -> None:
    pages = [
        answer({"results": [1, 2], "next": f"{ORIGIN}/api/v1/bots/?cursor=x"}),
        answer({"results": [3, 4], "next": f"{ORIGIN}/api/v1/bots/?cursor=y"}),
    ]
    site, wire = site_with(*pages)

    assert site.rows("bots/", most=3, game="tuned") == [1, 2, 3]

    first, second = wire.asked
    assert first["fields"] == {"game": "tuned", "page_size": "3"}
    assert (second["address"], second["fields"]) == (f"{ORIGIN}/api/v1/bots/?cursor=x", {})


@pytest.mark.parametrize(
    "named",
    [
        "https://thief.example/api/v1/bots/?cursor=x",
        "https://example.org:8443/api/v1/bots/?cursor=x",
        "https://example.org@thief.example/api/v1/bots/?cursor=x",
        "http://example.org/api/v1/bots/?cursor=x",
        "http://web:8000/api/v1/bots/?cursor=x",
        "//thief.example/api/v1/bots/?cursor=x",
        "/api/v1/bots/?cursor=x",
        "bots/?cursor=x",
    ],
)
def test_token_stays_on_its_own_site_wherever_the_next_page_is_said_to_be(named: str) -> None:
    site, wire = site_with(
        answer({"results": [1], "next": named}), answer({"results": [2], "next": None})
    )

    assert site.rows("bots/", most=9) == [1, 2]

    assert wire.asked[1]["address"] == f"{ORIGIN}/api/v1/bots/?cursor=x"


@pytest.mark.parametrize("named", [7, ["x"], {"x": 1}, "http://[::1/", "mailto:thief.example"])
def test_next_page_that_is_no_address_leads_nowhere_else(named: object) -> None:
    site, wire = site_with(answer({"results": [1], "next": named}), problem(404, "not_found"))

    with pytest.raises(CommandFailed):
        site.rows("bots/", most=9)

    assert all(asked["address"].startswith(f"{ORIGIN}/") for asked in wire.asked)


def test_list_that_ends_sooner_is_all_there_is() -> None:
    site, _ = site_with(answer({"results": [1], "next": None}))

    assert site.rows("bots/", most=500) == [1]


def test_question_is_asked_again_after_a_broken_line(pauses: list[float]) -> None:
    site, _ = site_with(CUT, CUT, answer({"id": 7}))

    assert site.get("bots/7/")["id"] == 7

    assert pauses == [0.2, 1.0]


def test_request_that_takes_effect_once_is_sent_again_with_its_key() -> None:
    site, wire = site_with(CUT, answer({"id": 7}))

    site.post("challenges/", {"bot": 1})

    keys = {asked["headers"]["Idempotency-Key"] for asked in wire.asked}
    assert (len(wire.asked), len(keys)) == (2, 1)


def test_request_without_a_key_is_never_sent_twice() -> None:
    site, wire = site_with(CUT, answer({}))

    with pytest.raises(CommandFailed):
        site.post_once("device/", {})

    assert len(wire.asked) == 1


@pytest.mark.parametrize(
    ("wait", "pause"), [("3", 3.0), ("0", 0.2), ("", 0.2), ("soon", 0.2), ("²", 0.2)]
)
def test_busy_site_is_waited_for_as_long_as_it_asks(
    wait: str, pause: float, pauses: list[float]
) -> None:
    busy = problem(503, "database_away", headers={"Retry-After": wait})
    site, _ = site_with(busy, answer({"id": 7}))

    assert site.get("bots/7/")["id"] == 7

    assert pauses == [pause]


def test_site_that_asks_for_much_patience_is_told_of_instead(pauses: list[float]) -> None:
    failed = failure_of(problem(429, "throttled", headers={"Retry-After": "61"}))

    assert "wait 61 seconds" in str(failed)
    assert failed.exit_code == HOST_OR_SERVER
    assert pauses == []


def test_site_that_does_not_answer_is_named_with_the_reason_alone() -> None:
    error = NewConnectionError(None, "Failed to establish a new connection: refused")  # type: ignore[arg-type]  # its text alone

    failed = failure_of(error, error, error)

    assert str(failed).startswith(f"{ORIGIN} does not answer: ")
    assert "NewConnectionError" not in str(failed)
    assert (failed.exit_code, failed.try_next.split()[0]) == (HOST_OR_SERVER, f"{ORIGIN}/status/")


@pytest.mark.parametrize(
    ("reply", "about", "words", "try_next", "exit_code"),
    [
        pytest.param(
            problem(401, "not_authenticated"), {"token": None}, "have not signed in",
            f"pentathlon login {ORIGIN}", USAGE, id="nobody",
        ),
        pytest.param(
            problem(401, "authentication_failed"), {}, "does not accept your token",
            f"pentathlon login {ORIGIN}", USAGE, id="old token",
        ),
        pytest.param(
            problem(401, "authentication_failed"), {"named_by": "PENTATHLON_TOKEN"},
            "does not accept your token", f"unset PENTATHLON_TOKEN; pentathlon login {ORIGIN}",
            USAGE, id="old token of the environment",
        ),
        pytest.param(
            problem(403, "missing_scope", "It lacks bots:write."), {}, "It lacks bots:write.",
            f"pentathlon login {ORIGIN}", USAGE, id="scope",
        ),
        pytest.param(
            problem(404, "not_found", "There is no bot 7."), {}, "There is no bot 7.",
            "pentathlon --help", USAGE, id="missing",
        ),
        pytest.param(
            problem(400, "bad_archive", "No bot.toml.", help="https://h"), {}, "No bot.toml.",
            "https://h", CHECK_FAILED, id="refused",
        ),
        pytest.param(
            answer(raw=b"<h1>", status=502, kind="text/html"), {}, "cannot answer now: 502",
            f"the same command later; {ORIGIN}/status/", HOST_OR_SERVER, id="proxy",
        ),
        pytest.param(
            answer(raw=b'{"code": "er', status=500, kind="application/problem+json"), {},
            "cannot answer now: 500", f"the same command later; {ORIGIN}/status/",
            HOST_OR_SERVER, id="half a problem",
        ),
        pytest.param(
            answer(raw=b"[]", status=500, kind="application/problem+json"), {},
            "cannot answer now: 500", f"the same command later; {ORIGIN}/status/",
            HOST_OR_SERVER, id="no problem",
        ),
    ],
)  # fmt: skip
def test_refusal_comes_with_a_sentence_a_next_command_and_a_code(
    reply: urllib3.HTTPResponse, about: dict[str, Any], words: str, try_next: str, exit_code: int
) -> None:
    failed = failure_of(reply, **about)

    assert words in str(failed)
    assert (failed.try_next, failed.exit_code) == (try_next, exit_code)


def test_refusal_keeps_its_code_and_what_would_be_allowed() -> None:
    failed = failure_of(problem(409, "name_taken", errors=[{"allowed": ["tiger-2"]}]))

    assert isinstance(failed, SiteRefused)
    assert (failed.status, failed.refusal, failed.allowed) == (409, "name_taken", ["tiger-2"])


def test_site_that_has_moved_is_named_and_not_followed() -> None:
    failed = failure_of(answer({}, status=301, Location="https://new.example/api/v1/bots/"))

    assert "redirects its visitors to https://new.example" in str(failed)
    assert failed.try_next == "pentathlon login https://new.example"


@pytest.mark.parametrize(
    "reply",
    [
        answer(raw=b"<html>", kind="text/html"),
        answer(raw=b"<h1>Not here</h1>", status=404, kind="text/html"),
        answer({}, status=302, Location="/login/"),
    ],
    ids=["page", "no page", "redirect"],
)
def test_address_of_something_else_is_no_site(reply: urllib3.HTTPResponse) -> None:
    failed = failure_of(reply)

    assert "does not speak version 1 of the API" in str(failed)
    assert failed.exit_code == HOST_OR_SERVER


def test_field_that_an_answer_lacks_ends_the_command_with_a_sentence() -> None:
    site, _ = site_with(answer({"bot": {"name": "tiger"}}))
    told = site.get("bots/7/")

    with pytest.raises(FieldMissing, match="does not speak version 1"):
        _ = told["bot"]["owner"]


def test_site_with_another_protocol_is_told_with_both_numbers() -> None:
    site, _ = site_with(answer({"protocol": PROTOCOL + 1}))

    with pytest.raises(CommandFailed, match=f"speaks version {PROTOCOL + 1} .* {PROTOCOL} of"):
        site.kit()


def test_stream_ends_without_a_failure_where_it_breaks() -> None:
    lines = b'event: plies\ndata: {"ply": 3}\n\nevent: end\ndata: {"pl'
    site, wire = site_with(answer(raw=lines, kind="text/event-stream"))

    events = list(site.events("matches/7/events/", seen="1-2", view="text"))

    assert [(event.name, event.data) for event in events] == [("plies", {"ply": 3})]
    assert wire.asked[0]["headers"]["Last-Event-ID"] == "1-2"


def test_stream_of_nonsense_ends(pauses: list[float]) -> None:
    site, _ = site_with(answer(raw=b"data: {\n\n", kind="text/event-stream"))

    assert list(site.events("matches/7/events/")) == []


@pytest.mark.parametrize(
    ("origin", "is_proxied"),
    [("https://example.org", True), ("http://localhost:8000", False), ("http://[::1]", False)],
)
def test_own_machine_is_asked_without_a_proxy(
    origin: str, is_proxied: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy = "http://127.0.0.1:1"
    monkeypatch.setattr("urllib.request.getproxies", lambda: {"https": proxy, "http": proxy})
    monkeypatch.setattr("urllib.request.proxy_bypass", lambda host: False)

    assert isinstance(_pool(origin), urllib3.ProxyManager) is is_proxied


STREAM = 'id: 1-2\nevent: plies\ndata: {"text": "é"}\n\n: still here\n\ndata: {"ply": 4}\n\n'


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_pieces_of_any_size_give_the_same_messages(size: int) -> None:
    data = STREAM.encode()
    pieces = [data[at : at + size] for at in range(0, len(data), size)]

    first, second = read_events(lines_of(pieces))

    assert (first.name, first.id, first.data) == ("plies", "1-2", {"text": "é"})
    assert (second.name, second.id, second.data) == ("message", "", {"ply": 4})


def test_message_that_does_not_end_is_dropped() -> None:
    assert list(read_events(lines_of([b'data: {"ply": 4}\n']))) == []
    assert list(read_events(lines_of([b'data: {"ply": 4}\n\ndata: {"pl']))) != []


def test_line_may_end_as_on_windows() -> None:
    (event,) = read_events(lines_of([b'data: {"ply": 4}\r\n\r\n']))

    assert event.data == {"ply": 4}
