"""Every game as a PettingZoo environment in which agents act in turn (AEC).

>>> env = PentathlonEnv("tuned")
>>> env.reset(seed=7)
>>> env.agent_selection, int(env.observe("seat_0")["action_mask"].sum())
('seat_0', 27)
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv

from pentathlon_engines.contract.game import Game, State
from pentathlon_engines.errors import BadAction, BadOption
from pentathlon_engines.rl.vector import VectorEnv

RENDER_MODES = ("ansi", "svg")
Observation = dict[str, NDArray[Any]]  # Any: numbers of two types


class PentathlonEnv(AECEnv):
    """A match of one game; agents are `seat_0`, `seat_1`, ..., and chance acts by itself.

    An observation has `observation`, a vector of fixed size made from what the seat may see, and
    `action_mask`, which is all zeros for a seat that is not to move. Rewards come at the end: the
    share of the other seats that rank behind, minus the share that rank ahead. Two seats get 1
    and -1, or 0 each. It is a view of a `VectorEnv` with one match.
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
        if render_mode not in (None, *RENDER_MODES):
            modes = " or ".join(repr(mode) for mode in RENDER_MODES)
            raise BadOption(f"render_mode must be {modes}, or None, not {render_mode!r}")
        self._table = VectorEnv(game, 1, seats=seats, options=options, restarts=False)
        self.game = self._table.game
        info = self.game.info
        self.metadata = {
            "name": f"{info.key}_v{info.version}",
            "render_modes": list(RENDER_MODES),
            "is_parallelizable": False,
        }
        self.render_mode = render_mode
        self._seats = {f"seat_{seat}": seat for seat in range(self._table.seats)}
        self.possible_agents = list(self._seats)
        (size,), actions = self._table.features[0].shape, info.actions
        space = spaces.Dict(
            {
                "observation": spaces.Box(-1, 1, (size,), np.float32),
                "action_mask": spaces.Box(0, 1, (actions,), np.int8),
            }
        )
        self._spaces = dict.fromkeys(self.possible_agents, space)
        self._actions = {agent: spaces.Discrete(actions) for agent in self.possible_agents}
        self._begin()

    @property
    def position(self) -> State:
        """The position of the match."""
        return self._table.states[0]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a new match; without a seed, the generator continues."""
        self._table.reset(seed)
        self._begin()

    def _begin(self) -> None:
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
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
        shares, ended = self._table.step([int(action)])
        if ended[0]:
            self.rewards = dict(zip(self.agents, shares[0].tolist(), strict=True))
            self.terminations = dict.fromkeys(self.agents, True)
            self._accumulate_rewards()
        self._select()

    def observe(self, agent: str) -> Observation:
        """Return what a seat sees, as numbers, and the mask of its legal actions."""
        numbers, mask = self._table.observe(0, self._seats[agent])
        return {"observation": numbers, "action_mask": mask.view(np.int8)}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's observations."""
        return self._spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of all actions of the game; the mask shows the legal ones."""
        return self._actions[agent]

    def render(self) -> str | None:
        """Return a drawing of what a spectator sees, for a terminal (`ansi`) or as SVG (`svg`).

        Without a mode there is none.
        """
        if self.render_mode == "svg":
            return self.position.svg()
        return str(self.position) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Do nothing: there is nothing to release."""

    def _select(self) -> None:
        seat = self.position.to_move
        self.agent_selection = self.agents[0 if seat is None else seat]
