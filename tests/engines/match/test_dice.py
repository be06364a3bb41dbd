"""Each seat has dice of its own, which nothing that another seat is told gives away."""

import hmac
import json
from hashlib import sha256
from itertools import product
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from pentathlon_engines import GAMES
from pentathlon_engines.match import protocol
from pentathlon_engines.match.friendly import Course, play_bots
from pentathlon_engines.match.launcher import BotCommand
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.match.plain_launcher import PlainLauncher
from pentathlon_engines.record.rerun import match_facts, rerun
from pentathlon_engines.record.shape import SEED_END
from pentathlon_engines.runner import MatchReport, SeatBot, play_match
from pentathlon_engines.seeds import dice_of

SEEDS = st.integers(0, SEED_END - 1)
NAMES = st.text(min_size=1, max_size=40)

LISTENER = """
import json, sys
for line in sys.stdin:
    sys.stderr.write(line)
    message = json.loads(line)
    if message["type"] == "end":
        break
    print(json.dumps({"type": "ready", "action": message.get("legal", [""])[0]}), flush=True)
"""


def recomputed(seed: int, match: str, seat: int) -> str:
    """Compute the dice of a seat as PROTOCOL.md says, without the program and its library."""
    block = hmac.digest(str(seed).encode(), f"dice:{match}".encode() + b"\0\0\0\1", sha256)
    key = int.from_bytes(block)
    for _ in range(999):
        block = hmac.digest(str(seed).encode(), block, sha256)
        key ^= int.from_bytes(block)
    return hmac.digest(key.to_bytes(32), str(seat).encode(), sha256)[:8].hex()


def listen(folder: Path, *, seed: int, match: str) -> MatchReport:
    """Play a match between bots that write down every line they are sent."""
    (folder / "main.py").write_text(LISTENER)
    command = BotCommand(folder=folder, argv=["{python}", "-S", "-u", "{bot}/main.py"])
    seats = [SeatBot(name=name, hash="sha256:00", command=command) for name in ("a", "b")]
    return play_match(
        game=GAMES["tuned"],
        options=None,
        seats=seats,
        seed=seed,
        limits=Limits(),
        launcher=PlainLauncher(),
        match=match,
    )


@given(SEEDS, NAMES, st.integers(1, 5))
def test_anybody_who_has_the_record_can_compute_the_dice(
    seed: int, match: str, seats: int
) -> None:
    assert dice_of(seed, match=match, seats=seats) == tuple(
        recomputed(seed, match, seat) for seat in range(seats)
    )


@given(
    st.lists(SEEDS, min_size=1, max_size=4, unique=True),
    st.lists(NAMES, min_size=1, max_size=4, unique=True),
)
def test_no_two_seats_matches_or_seeds_have_the_same_dice(
    seeds: list[int], names: list[str]
) -> None:
    drawn = [
        dice
        for seed, match in product(seeds, names)
        for dice in dice_of(seed, match=match, seats=5)
    ]

    assert len(set(drawn)) == len(drawn)
    assert all(len(bytes.fromhex(dice)) == 8 for dice in drawn)


@given(SEEDS, SEEDS, NAMES)
def test_without_the_seed_all_that_a_bot_is_told_fits_other_dice_as_well(
    seed: int, other: int, match: str
) -> None:
    """A seat's `hello` but for the dice is the same whatever the seed is."""
    told = []
    for drawn in (seed, other):
        dice = dice_of(drawn, match=match, seats=2)
        facts = protocol.MatchFacts("tuned", 1, 2, {}, Limits(), match, dice)
        told.append(protocol.hello(facts, seat=0))
        assert told[-1].pop("dice") == dice[0]

    assert told[0] == told[1]


def test_no_message_to_a_seat_has_the_dice_of_another_or_the_seed(tmp_path: Path) -> None:
    seed = 6012345678901234

    report = listen(tmp_path, seed=seed, match="heard")

    dice = dice_of(seed, match="heard", seats=2)
    for seat, log in enumerate(report.logs):
        first, *rest = log.decode().splitlines()
        assert json.loads(first)["dice"] == dice[seat]
        assert json.loads(rest[-1])["type"] == "end"
        assert dice[1 - seat] not in log.decode()
        assert str(seed) not in log.decode()
        assert not any(dice[seat] in line for line in rest)


def test_bot_that_meets_a_person_has_the_same_dice_at_every_start(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(LISTENER)
    command = BotCommand(folder=tmp_path, argv=["{python}", "-S", "-u", "{bot}/main.py"])
    game = GAMES["tuned"]
    course = Course(game=game, options=game.start(2).options, seats=2, seed=7, person=1)
    heard: list[protocol.Message] = []

    def note(message: protocol.Message) -> bytes:
        heard.append(message)
        return protocol.encode(message)

    for _ in range(2):
        play_bots(
            course,
            commands={0: command},
            limits=Limits(),
            launcher=PlainLauncher(),
            codec=note,
            match="friendly",
        )

    told = [message["dice"] for message in heard if message["type"] == "hello"]
    assert told == [dice_of(7, match="friendly", seats=2)[0]] * 2


def test_record_gives_the_dice_by_its_seed_alone_and_a_rerun_has_them_again(
    tmp_path: Path,
) -> None:
    record = listen(tmp_path, seed=7, match="again").record
    dice = dice_of(7, match="again", seats=2)
    command = BotCommand(folder=tmp_path, argv=["{python}", "-S", "-u", "{bot}/main.py"])

    again = rerun(record, seat=1, command=command, launcher=PlainLauncher())

    assert not any(one in json.dumps(record) for one in dice)
    assert match_facts(record).dice == dice
    assert json.loads(again.log.splitlines()[0])["dice"] == dice[1]
