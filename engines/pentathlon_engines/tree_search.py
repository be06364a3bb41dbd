"""Monte Carlo tree search, in any game: UCT with determinization.

One `step` is one simulation: it draws the hidden parts again, walks down the tree to a position
that is new, estimates it, and adds the estimate to all nodes on the way. `best` is the action that
was tried most.

>>> from random import Random
>>> from pentathlon_engines import GAMES
>>> search = TreeSearch(GAMES["tuned"].start(), seat=0, rng=Random(7))
>>> for _ in range(50):
...     search.step()
>>> search.root.text(search.best()).split()[0]
'add'

Sources, and what is taken from them:

- Kocsis and Szepesvari 2006, "Bandit based Monte-Carlo planning": a tree whose nodes choose by
  upper confidence bounds (UCT).
- Rosin 2011, "Multi-armed bandits with episode context": bounds with priors (PUCT). The game's
  evaluation gives them, so that of a hundred actions the bad ones are hardly tried.
- Cowling, Powley and Whitehouse 2012, "Information set Monte Carlo tree search": one tree over
  what the seat knows, another determinization for each simulation, and bounds that count only
  actions that are legal in it (SO-ISMCTS).
- Luckhardt and Irani 1986, "An algorithmic solution of n-person games": every seat maximizes its
  own share, at tables of any size (max^n).
- Lorentz 2008, "Amazons discover Monte-Carlo": an evaluation ends playouts early. Here it ends
  them at once; only a game without one is played out to its end.
"""

from __future__ import annotations

from math import exp, sqrt, tanh

from pentathlon_engines.contract.game import CHANCE, Outcome, State
from pentathlon_engines.errors import NotToMove
from pentathlon_engines.lookahead import after

TYPE_CHECKING = False
if TYPE_CHECKING:
    from random import Random
    from typing import Final

    from pentathlon_engines.contract.game import Evaluation, Prospects

_EXPLORATION: Final = 1.0
"""How much more an action is tried for its prior, in games where priors differ."""
_BLIND_EXPLORATION: Final = 3.0
"""The same in games where all priors are alike."""
_FIRST_PLAY: Final = 0.1
"""How far below the mean of the tried actions an untried one counts."""
_SPREAD: Final = 2.0
"""How many standard deviations of the actions' worths make a clear lead."""
_COMMON: Final = 0.02
"""The part of the priors that is shared equally by all actions."""
_CONFIDENCE: Final = 300
"""The number of tries that a game's prospects of an action count for."""
_FARTHEST: Final = 30.0
"""The distance from the best action, in scales, beyond which a prior is next to nothing."""
_HALF: Final = 0.5


class Node:
    """What the search knows of an action, or of what chance decided after it."""

    __slots__ = ("children", "is_known", "prior", "tries", "won")

    def __init__(self, prior: float) -> None:
        self.prior = prior
        self.tries = 0
        self.won = 0.0
        """The sum of the shares won by the seat that chose this action."""
        self.is_known = False
        """Whether a simulation has reached this node."""
        self.children: dict[int | str, Node] = {}
        """The nodes below, by action; after chance, by the text of what it decided."""


class TreeSearch:
    """A search for the best action of a seat that is to move."""

    def __init__(self, root: State, *, seat: int, rng: Random) -> None:
        self.root = root
        self.tries = 0
        self._seat = seat
        self._rng = rng
        self._hides = root.game.info.hidden
        self._tree = Node(1.0)
        self._judge = _judge_of(self._draw_world())
        blind = self._judge is None
        self._exploration = _BLIND_EXPLORATION if blind else _EXPLORATION

    def step(self) -> None:
        """Play one simulation."""
        world = self._draw_world()
        path = self._descend(world)
        shares = self._estimate(world)
        self.tries += 1
        for seat, node in path:
            node.tries += 1
            node.won += shares[seat]

    def best(self) -> int:
        """Return the action that was tried most."""
        return self._ranked()[0]

    def lead(self) -> int:
        """Return how many tries the best action is ahead of the next."""
        children, ranked = self._tree.children, self._ranked()
        if len(ranked) == 1 or not children:
            return self.tries
        return children[ranked[0]].tries - children[ranked[1]].tries

    def expected(self) -> float:
        """Return the share of the points that the best action has brought on average."""
        node = self._tree.children.get(self.best())
        return node.won / node.tries if node is not None and node.tries else _HALF

    def _ranked(self) -> list[int]:
        children = self._tree.children
        actions = self.root.legal_actions()
        if not children:
            return actions
        return sorted(actions, key=lambda action: (-children[action].tries, -children[action].won))

    def _draw_world(self) -> State:
        """Return a position that the seat may be in."""
        if self._hides:
            return self.root.determinize(self._seat, self._rng)
        return self.root.copy()

    def _descend(self, world: State) -> list[tuple[int, Node]]:
        """Walk `world` down to a new node; return each seat that chose, with the node it chose."""
        node = self._tree
        path: list[tuple[int, Node]] = []
        while (seat := world.to_move) is not None:
            if seat == CHANCE:
                text = world.sample_chance(self._rng)
                world.apply_chance(text)
                node = _child(node, text)
                continue
            actions = world.legal_actions()
            if len(actions) > 1:
                self._expand(node, world, actions)
                action = self._select(node, actions)
            else:
                action = actions[0]
            world.apply_unchecked(action)
            node = _child(node, action)
            path.append((seat, node))
            if not node.is_known:
                node.is_known = True
                break
        return path

    def _expand(self, node: Node, world: State, actions: list[int]) -> None:
        """Give a node a child for each action that has none."""
        children = node.children
        new = [action for action in actions if action not in children]
        if not new:
            return
        if self._judge is None or len(new) == 1:
            for action in new:
                children[action] = Node(1 / len(actions))
            return
        for action, child in zip(new, self._judge.judge(world, new), strict=True):
            children[action] = child

    def _select(self, node: Node, actions: list[int]) -> int:
        """Return the action with the highest upper confidence bound."""
        children = [node.children[action] for action in actions]
        tries = sum([child.tries for child in children])
        won = sum([child.won for child in children])
        untried = won / tries - _FIRST_PLAY if tries else _HALF
        reach = self._exploration * sqrt(tries + 1)
        best, most = actions[0], -1.0
        for action, child in zip(actions, children, strict=True):
            tried = child.tries
            mean = child.won / tried if tried else untried
            bound = mean + reach * child.prior / (1 + tried)
            if bound > most:
                best, most = action, bound
        return best

    def _estimate(self, world: State) -> list[float]:
        """Return the share of the points that each seat may expect."""
        if world.outcome is not None:
            return shares_of(world.outcome)
        if self._judge is None:
            return shares_of(world.playout(self._rng))
        return self._judge.shares(world)


def shares_of(outcome: Outcome) -> list[float]:
    """Return for each seat the share of the others that it has beaten; a tie counts half.

    >>> shares_of(Outcome((0, 1, 1), "example"))
    [1.0, 0.25, 0.25]
    """
    others = len(outcome.ranks) - 1
    return [
        (sum([1.0 if rank > own else _HALF for rank in outcome.ranks if rank >= own]) - _HALF)
        / others
        for own in outcome.ranks
    ]


class _EvaluationJudge:
    """Judges by an evaluation, in comparison with the root.

    What counts as a clear lead depends on game and phase; the actions of the root show it.
    """

    def __init__(self, root: State, evaluate: Evaluation) -> None:
        self._evaluate = evaluate
        self._base = self._leads(root)
        self._scale = _scale_of(self._worths(root, root.legal_actions(), ends=False))

    def shares(self, state: State) -> list[float]:
        """Return the share of the points that each seat may expect."""
        leads = zip(self._leads(state), self._base, strict=True)
        return [_HALF + _HALF * tanh((lead - base) / self._scale) for lead, base in leads]

    def judge(self, state: State, actions: list[int]) -> list[Node]:
        """Return a new node for each action."""
        worths = self._worths(state, actions)
        return [Node(prior) for prior in _priors(worths, self._scale)]

    def _worths(self, state: State, actions: list[int], *, ends: bool = True) -> list[float]:
        """Return the worth of the position after each action; without `ends`, skip final ones."""
        seat, evaluate = _mover(state), self._evaluate
        afters = [after(state, action) for action in actions]
        return [evaluate(each, seat) for each in afters if ends or each.outcome is None]

    def _leads(self, state: State) -> list[float]:
        worths = [self._evaluate(state, seat) for seat in range(state.seats)]
        mean = sum(worths) / len(worths)
        return [worth - mean for worth in worths]


class _ProspectsJudge:
    """Judges by the game's prospects; those after an action count as some tries of it."""

    def __init__(self, prospects: Prospects) -> None:
        self.shares = prospects

    def judge(self, state: State, actions: list[int]) -> list[Node]:
        """Return a new node for each action."""
        seat = _mover(state)
        shares = [self.shares(after(state, action))[seat] for action in actions]
        nodes = [Node(prior) for prior in _priors(shares, _scale_of(shares))]
        for node, share in zip(nodes, shares, strict=True):
            node.tries = _CONFIDENCE
            node.won = _CONFIDENCE * share
        return nodes


def _judge_of(root: State) -> _EvaluationJudge | _ProspectsJudge | None:
    """Return the best judge for the game of a position; None if it has none."""
    prospects = root.game.prospects(root.seats)
    if prospects is not None:
        return _ProspectsJudge(prospects)
    evaluate = root.game.evaluation()
    return None if evaluate is None else _EvaluationJudge(root, evaluate)


def _child(node: Node, key: int | str) -> Node:
    child = node.children.get(key)
    if child is None:
        child = node.children[key] = Node(1.0)
    return child


def _mover(state: State) -> int:
    """Return the seat that is to move."""
    if state.to_move is None:
        raise NotToMove("nobody is to move: the match is over")
    return state.to_move


def _scale_of(worths: list[float]) -> float:
    """Return how far apart two of these worths must be to differ clearly."""
    mean = sum(worths) / max(1, len(worths))
    variance = sum([(worth - mean) ** 2 for worth in worths]) / max(1, len(worths))
    return _SPREAD * sqrt(variance) or 1.0


def _priors(worths: list[float], scale: float) -> list[float]:
    """Return how likely each action is the best, by what the positions after it are worth."""
    top = max(worths)
    weights = [exp(max(-_FARTHEST, (worth - top) / scale)) for worth in worths]
    total, common = sum(weights), _COMMON / len(worths)
    return [common + (1 - _COMMON) * weight / total for weight in weights]
