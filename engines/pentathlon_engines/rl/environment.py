"""Every game as a PettingZoo environment in which agents act in turn (AEC).

>>> env = PentathlonEnv("tuned")
>>> env.reset(seed=7)
>>> env.agent_selection, int(env.observe("seat_0")["action_mask"].sum())
('seat_0', 27)
"""

import random
from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv

from pentathlon_engines.contract.game import CHANCE, Game, Outcome, State
from pentathlon_engines.contract.registry import GAMES
from pentathlon_engines.errors import BadAction

Observation = dict[str, NDArray[Any]]  # Any: numbers of two types


class PentathlonEnv(AECEnv):
    """A match of one game; agents are `seat_0`, `seat_1`, ..., and chance acts by itself.

    An observation has `observation`, a vector of fixed size made from what the seat may see, and
    `action_mask`, which is all zeros for a seat that is not to move. Rewards come at the end: the
    share of the other seats that rank behind, minus the share that rank ahead. Two seats get 1
    and -1, or 0 each.
    """

    def __init__(
        self,
        game: str | Game,
        *,
        seats: int | None = None,
        options: Mapping[str, Any] | None = None,  # Any: each option has its own type
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        self.game = GAMES[game] if isinstance(game, str) else game
        info = self.game.info
        self.metadata = {
            "name": f"{info.key}_v{info.version}",
            "render_modes": ["ansi", "svg"],
            "is_parallelizable": False,
        }
        self.render_mode = render_mode
        self._options = info.check_options(options)
        self._seats = {f"seat_{seat}": seat for seat in range(info.check_seats(seats))}
        self.possible_agents = list(self._seats)
        self._rng = random.Random(0)
        self.reset()
        self._spaces = {agent: self._space(agent) for agent in self.possible_agents}
        self._actions = {agent: spaces.Discrete(info.actions) for agent in self.possible_agents}
        self._rng = random.Random()

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a new match; without a seed, the generator continues."""
        if seed is not None:
            self._rng = random.Random(seed)
        self.position: State = self.game.start(len(self._seats), self._options)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self._play_chance()
        self._select()

    def step(self, action: int | None) -> None:
        """Do an action of the selected agent, or raise `IllegalAction` and change nothing.

        When the match is over, step each agent once more with None.
        """
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise BadAction("None", reason=f"{agent} has to act; its mask says how it can")
        self.position.apply(int(action))
        self._play_chance()
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        if self.position.outcome is not None:
            self._finish(self.position.outcome)
        self._accumulate_rewards()
        self._select()

    def observe(self, agent: str) -> Observation:
        """Return what a seat sees, as numbers, and the mask of its legal actions."""
        position, seat = self.position, self._seats[agent]
        mask = np.zeros(self.game.info.actions, dtype=np.int8)
        if seat == position.to_move:
            mask[position.legal_actions()] = 1
        numbers = self.game.encoder()(position.observation(seat), position.seats)
        return {"observation": np.array(numbers, dtype=np.float32), "action_mask": mask}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's observations."""
        return self._spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of all actions of the game; the mask shows the legal ones."""
        return self._actions[agent]

    def render(self) -> str | None:
        """Return a drawing of what a spectator sees, for a terminal or as SVG."""
        if self.render_mode == "svg":
            return self.position.svg()
        return str(self.position) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Do nothing: there is nothing to release."""

    def _space(self, agent: str) -> spaces.Dict:
        seen = self.observe(agent)
        numbers, mask = seen["observation"], seen["action_mask"]
        return spaces.Dict(
            {
                "observation": spaces.Box(-1, 1, numbers.shape, np.float32),
                "action_mask": spaces.Box(0, 1, mask.shape, np.int8),
            }
        )

    def _play_chance(self) -> None:
        while self.position.to_move == CHANCE:
            self.position.apply_chance(self.position.sample_chance(self._rng))

    def _select(self) -> None:
        seat = self.position.to_move
        self.agent_selection = self.agents[0 if seat is None else seat]

    def _finish(self, outcome: Outcome) -> None:
        self.rewards = dict(zip(self.agents, rewards(outcome.ranks), strict=True))
        self.terminations = dict.fromkeys(self.agents, True)


def rewards(ranks: tuple[int, ...]) -> list[float]:
    """Return for each seat the share of others that rank behind, minus the share ahead.

    >>> rewards((0, 1, 1))
    [1.0, -0.5, -0.5]
    """
    others = len(ranks) - 1
    return [
        (sum(rank < other for other in ranks) - sum(other < rank for other in ranks)) / others
        for rank in ranks
    ]
