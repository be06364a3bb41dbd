"""Test vectors of a game: positions, what may be done there, and what comes of it.

They are for authors who write the rules anew in another language. `vectors.json` in the package of
a game has one case a line; `tools.vectors` writes it, and `tests/engines/desk/test_vectors.py`
compares it with the rules.
"""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any, Final

from pentathlon_engines.contract.game import CHANCE, Game, State
from pentathlon_engines.contract.info import Option
from pentathlon_engines.errors import BadOption

FORMAT: Final = 1
_CASES: Final = 12
"""How many decisions of seats a game has at least."""
_ACTIONS: Final = 3
"""After how many actions of a case the position is stated."""
_DEEPEST: Final = 6
_WIDEST: Final = 2000
"""The most lines of play that are followed one action further."""
_MOST_CHOICES: Final = 8

Json = dict[str, Any]  # Any: the JSON of a game


def path_of(game: Game) -> Path:
    """Return the file with the vectors of a game."""
    package = import_module(type(game).__module__.rpartition(".")[0])
    return Path(str(package.__file__)).parent / "vectors.json"


@cache
def read_vectors(game: Game) -> Json:
    """Return the vectors of a game."""
    vectors: Json = json.loads(path_of(game).read_text(encoding="utf-8"))
    return vectors


def to_text(vectors: Json) -> str:
    """Return vectors as JSON with one case a line."""
    head = {name: value for name, value in vectors.items() if name != "cases"}
    cases = ",\n".join(map(_compact, vectors["cases"]))
    return f'{_compact(head)[:-1]},"cases":[\n{cases}\n]}}\n'


def make_vectors(game: Game) -> Json:
    """Return the vectors of a game by its rules, the same every time."""
    setups = list(_setups(game))
    of_each = max(2, -(-_CASES // len(setups)))
    cases = [case for setup in setups for case in _cases(game, *setup, most=of_each)]
    return {"format": FORMAT, "game": game.info.key, "rules": game.info.version, "cases": cases}


def perft(state: State, depth: int) -> int:
    """Return how many lines of `depth` actions there are; none goes past chance or the end.

    >>> from pentathlon_engines import GAMES
    >>> [perft(GAMES["tuned"].start(), depth) for depth in (1, 2)]
    [27, 666]
    """
    actions = state.legal_actions()
    if depth == 1:
        return len(actions)
    return sum(perft(_after(state, action), depth - 1) for action in actions)


def _after(state: State, action: int) -> State:
    after = state.copy()
    after.apply_unchecked(action)
    return after


def _setups(game: Game) -> Iterator[tuple[int, Json]]:
    low, high = game.info.seats
    for seats in range(low, high + 1):
        yield seats, {}
    for option in game.info.options:
        for value in _other_values(option):
            try:
                game.start(None, {option.name: value})
            except BadOption:
                continue
            yield game.info.default_seats, {option.name: value}


def _other_values(option: Option) -> list[Any]:
    others = [value for value in option.choices if value not in (option.default, option.usual())]
    if option.kind == "each_seat":
        return [[value] * len(option.usual()) for value in others]  # type: ignore[arg-type]  # a list
    return others if len(others) <= _MOST_CHOICES else others[:1]


def _cases(game: Game, seats: int, options: Json, *, most: int) -> Iterator[Json]:
    """Yield cases from one match at random: decisions of seats, one of chance, and the end."""
    rng = Random(f"{game.info.key}:{seats}:{_compact(options)}")
    state = game.start(seats, options)
    met = [state.copy()]
    while state.to_move is not None:
        if state.to_move == CHANCE:
            state.apply_chance(state.sample_chance(rng))
        else:
            state.apply_unchecked(state.random_action(rng))
        met.append(state.copy())
    seats_decide = [each for each in met if each.to_move not in (None, CHANCE)]
    for number in range(most):
        yield _case(seats_decide[number * len(seats_decide) // most], rng)
    yield from (_case(each, rng) for each in _last_chance(met))
    yield _case(state, rng)


def _last_chance(met: list[State]) -> list[State]:
    return [each for each in met if each.to_move == CHANCE][-1:]


def _case(state: State, rng: Random) -> Json:
    actions = state.legal_actions()
    after = {}
    for action in rng.sample(actions, min(_ACTIONS, len(actions))):
        after[state.text(action)] = _after(state, action).to_json()
    if state.to_move == CHANCE:
        drawn = state.copy()
        drawn.apply_chance(text := drawn.sample_chance(rng))
        after[text] = drawn.to_json()
    return {
        "position": state.to_json(),
        "legal": [state.text(action) for action in actions],
        "after": after,
        "observations": [_seen(state, seat) for seat in (*range(state.seats), None)],
        "perft": list(_counts(state)),
    }


def _seen(state: State, seat: int | None) -> Json:
    seen = state.observation(seat)
    seen.pop("legal", None)
    return seen


def _counts(state: State) -> Iterator[int]:
    for depth in range(1, _DEEPEST + 1):
        yield (count := perft(state, depth))
        if not 0 < count <= _WIDEST:
            return


def _compact(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
