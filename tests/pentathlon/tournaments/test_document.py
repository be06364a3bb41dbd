import json
from hashlib import sha256

import pytest
from django.db.models import Value
from django.db.models.functions import Concat

from pentathlon.bots.models import Archive, Bot, BotVersion, VersionGame, VersionState
from pentathlon.matches.models import MatchState
from pentathlon.ratings.models import Pool
from pentathlon.ratings.skill import ALGORITHM_VERSION
from pentathlon.tournaments.documents.document import document_json, event_key
from pentathlon.tournaments.services import start_tournament
from pentathlon_engines import GAMES
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.record.record import canonical
from pentathlon_engines.tournament.batches import draw_schedule
from pentathlon_engines.tournament.document import TournamentDocument, document_hash
from tests.factories import SECRET, make_match, make_tournament, make_user, make_version
from tests.pentathlon.tournaments.acting import matches_of, open_cup, started

pytestmark = pytest.mark.django_db


def test_schedule_follows_from_document_and_key_alone() -> None:
    tournament = started(bots=5, cycles=2)
    versions = [entry.version_id for entry in tournament.entries.in_order()]

    copy = TournamentDocument.from_json(json.loads(json.dumps(document_json(tournament))))

    stored = [
        (
            match.place.round,
            match.place.block,
            match.place.index,
            match.seed,
            match.alias,
            tuple(match.seats.order_by("seat").values_list("version_id", flat=True)),
        )
        for match in matches_of(tournament)
    ]
    assert stored == [
        (
            pairing.round,
            pairing.block,
            pairing.index,
            pairing.seed,
            pairing.alias,
            tuple(versions[number] for number in pairing.seating),
        )
        for pairing in draw_schedule(copy, key=event_key(tournament))
    ]


def test_document_names_every_bot_by_its_content() -> None:
    version = make_version(name="alpha")
    tournament = make_tournament(versions=[version])

    entries = document_json(tournament)["entries"]

    assert entries == [
        {
            "bot": "alpha",
            "version": 1,
            "hash": version.archive_id,
            "author": version.bot.owner.username,
            "strength": None,
        }
    ]


def test_replay_with_the_secret_is_the_same_tournament() -> None:
    versions = [make_version() for _ in range(4)]
    first = started(versions=versions)
    make_match(state=MatchState.DONE, ranks=(0, 0))  # would change the draw probability

    second = started(
        versions=versions,
        rated=False,
        secret=first.secret,
        draw_probability=document_json(first)["draw_probability"],
    )

    drawn = [[(match.seed, match.alias) for match in matches_of(one)] for one in (first, second)]
    assert drawn[0] == drawn[1]
    assert canonical(document_json(first)) == canonical(document_json(second))


def test_same_entrants_meet_with_other_seeds_in_the_next_tournament() -> None:
    versions = [make_version() for _ in range(4)]

    drawn = [{match.seed for match in matches_of(started(versions=versions))} for _ in range(2)]

    assert not drawn[0] & drawn[1]


def test_another_file_of_one_entrant_changes_every_seed() -> None:
    first, second = (
        started(
            versions=[make_version(name=f"{cup}-{number}") for number in range(3)],
            rated=False,
            secret=SECRET,
        )
        for cup in ("one", "two")
    )

    seeds = [{match.seed for match in matches_of(each)} for each in (first, second)]
    assert not seeds[0] & seeds[1]
    assert first.commitment == second.commitment


def test_document_holds_the_commitment_and_never_the_secret() -> None:
    tournament = started()

    text = canonical(document_json(tournament)).decode()

    assert (tournament.commitment or "none") in text
    assert tournament.secret not in text
    assert event_key(tournament).hex() not in text


def test_later_changes_of_rows_leave_the_document_as_it_was() -> None:
    tournament = started(bots=2)
    before = document_hash(document_json(tournament))

    Bot.objects.update(name=Concat("name", Value("-renamed")))
    Pool.objects.update(draw_probability=0.3)
    tournament.refresh_from_db()

    assert document_hash(document_json(tournament)) == before


def test_document_is_final_from_the_start_on() -> None:
    tournament = make_tournament(versions=[make_version(), make_version()])
    assert document_json(tournament)["draw_probability"] is None

    begun = start_tournament(actor=tournament.owner, tournament=tournament)

    assert document_json(begun)["draw_probability"] == pytest.approx(0.1)


def _fixed_version(name: str, *, game: str) -> BotVersion:
    """Store a version whose content has a hash that no change of the example bots moves."""
    digest = f"sha256:{sha256(name.encode()).hexdigest()}"
    archive = Archive.objects.create(content_hash=digest, data=b"", unpacked_bytes=0, files=0)
    version = BotVersion.objects.create(
        bot=Bot.objects.create(owner=make_user(), name=name),
        number=1,
        archive=archive,
        manifest={},
        state=VersionState.ELIGIBLE,
    )
    VersionGame.objects.create(version=version, game=game)
    return version


def test_started_tournament_stores_this_document_for_ever() -> None:
    versions = [_fixed_version(f"bot-{number}", game="azure") for number in range(3)]
    owner = make_user(organiser=True)
    made = open_cup(
        owner,
        game="azure",
        versions=[version.pk for version in versions],
        cycles=2,
        options={"gifted": "mighty"},
        limits={"action_cpu_s": 0.5},
        rated=False,
        secret=SECRET,
        draw_probability=0.25,
    )

    stored = start_tournament(actor=owner, tournament=made)

    assert stored.fixed_document == {
        "format": 4,
        "scheduler": "round_robin/2",
        "params": {"cycles": 2, "same_author": True},
        "commitment": sha256(bytes.fromhex(SECRET)).hexdigest(),
        "game": "azure",
        "rules": GAMES["azure"].info.version,
        "options": {"gifted": "mighty"},
        "limits": {**Limits().to_json(), "action_cpu_s": 0.5},
        "table_seats": 2,
        "rating_algorithm": ALGORITHM_VERSION,
        "draw_probability": 0.25,
        "beta": 25 / 6,
        "tie_breaks": ["points", "head_to_head", "sonneborn_berger", "fit"],
        "leaving": "cancel_below_half",
        "entries": [
            {
                "bot": f"bot-{number}",
                "version": 1,
                "hash": f"sha256:{sha256(f'bot-{number}'.encode()).hexdigest()}",
                "author": version.bot.owner.username,
                "strength": None,
            }
            for number, version in enumerate(versions)
        ],
    }
    assert stored.limits == {"action_cpu_s": 0.5}
