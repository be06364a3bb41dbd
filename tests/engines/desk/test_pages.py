"""Pages that stand alone: they ask nothing of any network, and show what they should."""

import json
import re
from html.parser import HTMLParser

import pytest

from pentathlon_engines import GAMES
from pentathlon_engines.desk.replay_page import replay_page
from pentathlon_engines.desk.report_page import report_page
from pentathlon_engines.desk.tournament import DeskTournament
from pentathlon_engines.match.faults import Fault, FaultKind
from pentathlon_engines.record.record import positions
from tests.engines.desk.acting import SECRET, make_document, play_tournament
from tests.engines.record.random_records import make_record

_LOADS = {"src", "href", "srcset", "action", "poster"}


class _Page(HTMLParser):
    """Collects what a page would load, its ids, and its open elements."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.text = ""
        self.open: list[str] = []
        self.policy = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.loads += [f"{tag} {name}" for name in found if name in _LOADS]
        if found.get("http-equiv") == "Content-Security-Policy":
            self.policy = found["content"] or ""
        if tag not in {"meta", "input"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def scrolled(page: str) -> int:
    """Count the tables, which a narrow screen scrolls by touch and by keyboard."""
    found = re.findall(r'<div class="scroll" [^>]*aria-label="[^"]+" tabindex="0"><table', page)
    assert len(found) == page.count("<table")
    return len(found)


def _packed(page: str) -> dict[str, list[list[list[int]]]]:
    found = re.search(r'id="data">(.*?)</script>', page)
    assert found is not None
    packed: dict[str, list[list[list[int]]]] = json.loads(found[1])
    return packed


def _unpacked(page: str) -> list[list[str]]:
    """Return the drawings by view and ply, as the script puts them together."""
    packed = _packed(page)
    views = []
    for changes in packed["boards"]:
        board: list[int] = []
        drawn = []
        for change in changes:
            if change[:1] == [-1]:
                board = change[1:]
            for place, piece in zip(change[::2], change[1::2], strict=False):
                if change[0] != -1:
                    board[place] = piece
            drawn.append("".join(str(packed["pieces"][piece]) for piece in board))
        views.append(drawn)
    return views


@pytest.mark.parametrize("key", ["tuned", "azure"])
def test_replay_page_has_every_position_from_every_view(key: str) -> None:
    game = GAMES[key]
    record = make_record(game, seats=2)
    states = list(positions(record))

    drawn = _unpacked(replay_page(record, states))

    views = (None, 0, 1) if game.info.hidden else (None,)
    expected = [[state.svg(view, ply=ply) for ply, state in enumerate(states)] for view in views]
    assert drawn == expected


def test_replay_page_stands_alone_and_escapes_names() -> None:
    fault = Fault(FaultKind.ILLEGAL_ACTION, seat=0, ply=2, detail="<b>not legal</b>")
    record = make_record(GAMES["tuned"], seats=2, fault=fault)
    record["bots"][0]["name"] = "</script><script>alert(1)</script>"

    page = _Page(text := replay_page(record, list(positions(record))))

    assert (page.loads, page.open) == ([], [])
    assert "default-src 'none'" in page.policy
    assert "unsafe" not in page.policy
    assert "illegal action: <b>not legal</b>" in page.text
    assert "<script>alert" not in text
    assert scrolled(text) == 1
    assert record["chain"] in page.text


def test_replay_page_stays_small() -> None:
    record = make_record(GAMES["maatatahay"], seats=2)
    states = list(positions(record))

    page = replay_page(record, states)

    assert len(page) < sum(len(state.svg()) for state in states) / 8


def test_report_has_table_charts_and_crosstable() -> None:
    tournament = DeskTournament(make_document("swiss/1", entries=7), secret=SECRET)
    play_tournament(tournament)

    page = _Page(text := report_page(tournament, name="Cup <of> cats"))

    assert (page.loads, page.open) == ([], [])
    assert "Cup <of> cats" in page.text
    assert text.count("<svg") == 2
    assert scrolled(text) == 3
    assert "<th></th>" not in text
    assert text.count('class="own"') == 7
    assert "script" not in page.policy


def test_report_of_a_stopped_tournament_says_so() -> None:
    tournament = DeskTournament(make_document(entries=3), secret=SECRET)
    play_tournament(tournament, most=1)

    page = _Page(report_page(tournament, name="Cup"))

    assert "stopped before its end" in page.text
    assert "1 match · " in page.text


def test_report_before_the_first_match_is_a_page_too() -> None:
    tournament = DeskTournament(make_document(entries=3), secret=SECRET)

    assert "No match has ended." in _Page(report_page(tournament, name="Cup")).text
