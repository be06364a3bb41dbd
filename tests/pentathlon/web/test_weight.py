"""Pages are light: what they weigh on the wire, and how many elements a long replay has."""

import json
import re
from datetime import timedelta
from pathlib import Path
from random import Random

import pytest
from django.conf import settings
from django.contrib.staticfiles import finders
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now
from whitenoise.compress import Compressor

from pentathlon.matches.models import Match, MatchState
from pentathlon.web.views.tv import REEL
from pentathlon_engines import GAMES
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.match.referee import Referee
from pentathlon_engines.record.record import seal
from pentathlon_engines.record.shape import Header, Record
from tests.factories import make_match, make_replay, make_version
from tests.pentathlon.web.pages import page_of
from tests.pentathlon.web.scene import Scene

pytestmark = pytest.mark.django_db

LONGEST_SEEN = 1594
_IMPORT = re.compile(r'from "\./([^"]+)"')
_HEADERS = 530
"""The size of the longest headers in bytes: those of a page, with the server's."""


def long_record() -> Record:
    """Return a match of Dragon with five seats that is longer than the longest that was seen."""
    game, rng = GAMES["way_of_the_dragon"], Random(0)
    referee = Referee(game=game, seats=5, options=None, seed=0)
    while referee.seat_to_ask() is not None:
        legal = referee.request().legal
        # A seat that keeps no die rolls as often as it may.
        referee.accept("keep -" if "keep -" in legal else rng.choice(legal), cpu_ms=1, wall_ms=2)
    header: Header = {
        "game": game.info.key,
        "rules": game.info.version,
        "seats": 5,
        "options": referee.state.options,
        "seed": 0,
        "match": "local",
        "bots": [{"name": f"bot {seat}", "hash": "sha256:00"} for seat in range(5)],
        "limits": Limits().to_json(),
        "sandbox": "process",
        "layers": [],
    }
    outcome = referee.final_outcome()
    return seal(header, events=referee.events, faults=referee.faults, outcome=outcome)


def store_long_match() -> Match:
    """Store a finished match with a long replay."""
    versions = [make_version(games=("way_of_the_dragon",)) for _ in range(5)]
    match = make_match(
        versions, game="way_of_the_dragon", state=MatchState.DONE, ranks=(0, 1, 2, 3, 4)
    )
    record = long_record()
    assert len(record["events"]) > LONGEST_SEEN
    make_replay(match, record)
    return match


def test_long_replay_is_light_wherever_it_is_opened() -> None:
    address = reverse("match", args=[store_long_match().pk])

    for ply in ("", "?ply=800", "?ply=99999"):
        packed = Client().get(address + ply, headers={"accept-encoding": "gzip"})
        page = page_of(Client().get(address + ply))
        assert packed["Content-Encoding"] == "gzip"
        assert len(packed.content) < 60_000
        assert len(page.elements) <= 2000
        assert len(page.all("li")) < 150


@pytest.mark.parametrize(
    ("address", "most"),
    [
        ("/", 40_000),
        ("/tv/", 60_000),
        ("/tv/?game=azure", 60_000),
        ("/tv/?game=tash_kalar", 60_000),
    ],
)
def test_page_is_light_with_all_that_it_loads(scene: Scene, address: str, most: int) -> None:
    Match.objects.filter(pk=scene.live.pk).update(started_at=now() + timedelta(hours=1))
    pack = Compressor(use_brotli=False, quiet=True).compress_gzip
    client = Client(headers={"accept-encoding": "gzip"})
    answers, page = [client.get(address)], page_of(Client().get(address))

    links = [each["href"] for each in page.all("link") if each["rel"] in {"stylesheet", "icon"}]
    links += [each["src"] for each in page.all("script")]
    files = _with_imports({link.removeprefix(settings.STATIC_URL) for link in links})
    if [each for each in page.all("div") if "data-chances" in each]:
        files |= {"pentathlon/chances.js"}  # which tv.js imports then
    (show,) = [each for each in page.all("section") if "data-tv" in each]
    plies = [str(ply) for ply, _ in json.loads(show["data-frames"])]
    answers.append(client.get(f"{show['data-tv']}?plies={'-'.join(plies[:REEL])}"))

    assert {answer["Content-Encoding"] for answer in answers} == {"gzip"}
    assert len(files) > 10
    bodies = sum(len(answer.content) for answer in answers) + sum(
        len(pack(_read(each))) for each in files
    )
    assert bodies + _HEADERS * (len(answers) + len(files)) <= most


def _with_imports(files: set[str]) -> set[str]:
    """Add the modules that scripts load, and those that these load."""
    found = {
        f"pentathlon/{name}"
        for file in files
        for name in _IMPORT.findall(_read(file).decode())
        if file.endswith(".js")
    }
    return files if found <= files else _with_imports(files | found)


def _read(file: str) -> bytes:
    return Path(str(finders.find(file))).read_bytes()
