"""An author's table of first observations, made from all that is public, for a bot to bring along.

Whoever knows the seed of a match knows every hand, deck and die of it. The old attack needed only
the public seed of a tournament; here it gets everything that the server says, at the time when
entries are open and while the first blocks are done, and every way of making seeds of it.
"""

import hmac
import re
from collections.abc import Iterable, Iterator
from hashlib import sha256

import pytest

from pentathlon.accounts.models import User
from pentathlon.matches.models import Match
from pentathlon.tournaments.documents.document import document_json, event_key
from pentathlon.tournaments.models import Tournament
from pentathlon.tournaments.organising.drafts import Draft, create_tournament
from pentathlon.tournaments.services import start_tournament
from pentathlon_engines import GAMES
from pentathlon_engines.match.referee import Referee
from pentathlon_engines.record.record import canonical
from pentathlon_engines.tournament.document import TournamentDocument, document_hash
from tests.api.everything import answers
from tests.deep import mostly_deep
from tests.factories import make_user, make_version
from tests.pentathlon.matches.acting import claimed
from tests.pentathlon.matches.replays.playing import record_of, submit
from tests.pentathlon.tournaments.acting import matches_of

pytestmark = pytest.mark.django_db

_WORD = re.compile(r"[0-9A-Za-z]{1,64}")
_BITS = 53
_MOST_WORDS = 400
Seeds = set[int]


def _event(game: str) -> Tournament:
    owner = make_user(organiser=True)
    return create_tournament(
        actor=owner,
        draft=Draft(
            name="Cup",
            document=TournamentDocument(game=game, table_seats=2),
            versions=[make_version(owner=owner, games=(game,)).pk for _ in range(3)],
        ),
    )


def _public_words(tournament: Tournament, author: User) -> set[str]:
    """Return every word of what an author is told of the tournament, the likely ones first."""
    about = (f"/tournaments/{tournament.pk}/", "/matches/")
    told = answers(author, tournament, where=lambda address: _is_about(address, about))
    return {word for _, text in told for word in _WORD.findall(text)}


def _is_about(address: str, about: Iterable[str]) -> bool:
    return address.startswith("/api/") and any(part in address for part in about)


def _telling(words: Iterable[str]) -> list[str]:
    """Return the words that could be a key or a seed: numbers and hexadecimal ones, long first."""
    likely = [word for word in words if word.isdigit() or re.fullmatch("[0-9a-f]{16,}", word)]
    return sorted(likely, key=lambda word: (-len(word), word))[:_MOST_WORDS]


def _seeds_from(words: Iterable[str], digest: str, blocks: int) -> Seeds:
    """Make seeds of words in every way that this project has ever had, and some more."""
    return {
        int.from_bytes(hashed[:7]) >> (56 - _BITS)
        for word in words
        for block in range(1, blocks + 1)
        for hashed in _ways(word, digest, f"block:{block}")
    } | {int(word) for word in words if word.isdigit() and int(word) < 2**_BITS}


def _ways(word: str, digest: str, label: str) -> Iterator[bytes]:
    yield sha256(f"{word}:{label}".encode()).digest()
    as_hex = len(word) % 2 == 0 and re.fullmatch("[0-9a-f]+", word)
    for key in (word.encode(), bytes.fromhex(word) if as_hex else b""):
        if key:
            yield hmac.digest(key, label.encode(), "sha256")
            event = hmac.digest(key, bytes.fromhex(digest), "sha256")
            yield hmac.digest(event, label.encode(), "sha256")


def _first_request(tournament: Tournament, seed: int) -> bytes:
    referee = Referee(game=GAMES[tournament.game], seats=2, options=tournament.options, seed=seed)
    referee.seat_to_ask()
    request = referee.request()
    return canonical([request.seat, request.observation, request.legal])


def _hits(tournament: Tournament, waiting: list[Match], guesses: Seeds) -> int:
    """Count the matches that a table of first requests, made of these seeds, knows.

    Another seed may begin alike by chance; what follows is then another match.
    """
    table: dict[bytes, Seeds] = {}
    for seed in guesses:
        table.setdefault(_first_request(tournament, seed), set()).add(seed)
    return sum(
        match.seed in table.get(_first_request(tournament, match.seed), ()) for match in waiting
    )


@pytest.mark.parametrize(
    "game", mostly_deep(["azure", "maatatahay", "tash_kalar"], keep=["azure"])
)
def test_table_made_of_everything_public_knows_no_match(game: str) -> None:
    author = make_user()
    tournament = _event(game)
    words = _public_words(tournament, author)
    start_tournament(actor=tournament.owner, tournament=tournament)
    tournament.refresh_from_db()
    done, waiting = matches_of(tournament)[:2], matches_of(tournament)[2:]
    for match in done:
        job = claimed(match)
        submit(job, record_of(job))
    words |= _public_words(tournament, author)
    digest = document_hash(document_json(tournament))

    guesses = _seeds_from(_telling(words), digest, blocks=3)

    assert str(done[0].seed) in words
    assert tournament.commitment in words
    assert len(guesses) > 300
    assert _hits(tournament, waiting, guesses) == 0
    # With the secret, or with the event key, the same table knows them all.
    for leak in (tournament.secret, event_key(tournament).hex()):
        assert _hits(tournament, waiting, _seeds_from([leak], digest, blocks=3)) == len(waiting)


def test_blocks_that_are_done_say_nothing_about_the_next() -> None:
    tournament = _event("azure")
    start_tournament(actor=tournament.owner, tournament=tournament)
    tournament.refresh_from_db()
    digest = document_hash(document_json(tournament))
    first, *_, last = (match.seed for match in matches_of(tournament))

    guesses = _seeds_from([str(first), f"{first:x}", f"{first:014x}"], digest, blocks=3)

    assert last not in guesses
