"""Pairs everybody up so that the weights of all pairs add up to as little as possible.

This is Edmonds' algorithm: dual values of bots, and of odd sets of bots ("blossoms"), prove that
no better matching exists. One alternating tree at a time grows from a bot without a mate, along
edges whose weight the dual values use up. Integers only, so the optimum is exact.

Most pairs of a large field are far too heavy to matter. So we begin with the lightest edges of
every bot, and add whatever the dual values of that solution do not rule out.
"""

from collections.abc import Iterator, Sequence
from heapq import heappop, heappush, nsmallest
from typing import Final

Edge = tuple[int, int]
Weights = Sequence[Sequence[int]]
"""The weight of each pair, by both of its bots; symmetric."""

_LIGHTEST: Final = 10
"""The number of edges that each bot begins with: its lightest ones."""
_NOBODY: Final = (-1, -1)
"""Stands for a matched edge where there is none."""
_FREE, _OUTER, _INNER = 0, 1, -1
"""Labels of nodes: outside the tree, at an even distance from the root, at an odd one."""


def match_all(weights: Weights) -> list[int]:
    """Return everybody's mate in a perfect matching of least weight.

    There must be an even number of bots. If the optimum is unique, it is the answer.

    >>> match_all([[0, 1, 9, 9], [1, 0, 9, 9], [9, 9, 0, 5], [9, 9, 5, 0]])
    [1, 0, 3, 2]
    """
    count = len(weights)
    edges = {
        (min(one, other), max(one, other))
        for one in range(count)
        for other in nsmallest(_LIGHTEST + 1, range(count), key=weights[one].__getitem__)
        if one != other
    }
    edges.update(
        (one, one + 1) for one in range(0, count, 2)
    )  # a perfect matching to fall back on
    while True:
        solver = _Solver(weights, sorted(edges))
        solver.run()
        missing = set(solver.violated_pairs())
        if not missing:
            return solver.mates()
        edges |= missing


class _Solver:
    """The search in a graph of some edges. A node is a bot or, from `count` on, a blossom."""

    def __init__(self, weights: Weights, edges: Sequence[Edge]) -> None:
        self.count = len(weights)
        self.weights = weights
        self.neighbours: list[list[int]] = [[] for _ in range(self.count)]
        for one, other in edges:
            self.neighbours[one].append(other)
            self.neighbours[other].append(one)
        # By bot. Weights count twice, so that all dual values are integers.
        self.dual = [
            min(weights[one][other] for other in self.neighbours[one]) for one in self.bots
        ]
        """The dual value of the bot and of all blossoms around it, when its top node got its
        label."""
        self.top = list(self.bots)
        """The outermost node around each bot."""
        # These lists are by node; the values of blossoms follow those of bots.
        self.parent: list[int | None] = [None] * self.count
        self.members = [[one] for one in self.bots]
        self.children: list[list[int]] = [[] for _ in self.bots]
        """The children of each blossom, around its cycle; empty for a bot."""
        self.cycle: list[list[Edge]] = [[] for _ in self.bots]
        """For each blossom, the edge from each child to the next; empty for a bot."""
        self.excess = [0] * self.count
        """The dual value of each blossom."""
        self.match: list[Edge] = [_NOBODY] * self.count
        """For each top node: the matched edge, from inside to outside."""
        self.label = [_FREE] * self.count
        self.since = [0] * self.count
        """The time at which each node got its label."""
        self.entry: list[Edge] = [_NOBODY] * self.count
        """For each inner node: the edge by which the tree reached it, from outside to inside."""
        self.clock = 0
        self.events: list[tuple[int, int, int]] = []
        """(time, bot, bot) for an edge that may become tight; (time, -1, node) for the end of a
        blossom."""

    @property
    def bots(self) -> range:
        return range(self.count)

    def run(self) -> None:
        """Match all bots; a top node's match says which of its children are matched how."""
        self._match_greedily()
        for root in self.bots:
            if self.match[self.top[root]] == _NOBODY:
                self._grow_tree(self.top[root])

    def mates(self) -> list[int]:
        """Return everybody's mate; this opens all blossoms, so their dual values are lost."""
        mates = [-1] * self.count
        for node in set(self.top):
            for inside, outside in self._unfold(node):
                mates[inside] = outside
        return mates

    def violated_pairs(self) -> Iterator[Edge]:
        """Yield the pairs that are lighter than the dual values allow for an optimum."""
        for one in self.bots:
            row, dual = self.weights[one], self.dual[one]
            for other in range(one + 1, self.count):
                spare = 2 * row[other] - dual - self.dual[other]
                if spare < 0 and spare + self._shared(one, other) < 0:
                    yield one, other

    def _shared(self, one: int, other: int) -> int:
        """Return what blossoms around both bots have added to both dual values."""
        if self.top[one] != self.top[other]:
            return 0
        around: set[int] = set()
        node = self.parent[one]
        while node is not None:
            around.add(node)
            node = self.parent[node]
        shared, node = 0, self.parent[other]
        while node is not None:
            shared += 2 * self.excess[node] if node in around else 0
            node = self.parent[node]
        return shared

    def _match_greedily(self) -> None:
        """Raise the dual value of each bot until an edge is tight; match along free ones."""
        for one in self.bots:
            if self.match[one] != _NOBODY:
                continue
            slacks = [(self._slack(one, other), other) for other in self.neighbours[one]]
            least = min(slacks)[0]
            self.dual[one] += least
            for slack, other in slacks:
                if slack == least and self.match[other] == _NOBODY:
                    self.match[one], self.match[other] = (one, other), (other, one)
                    break

    def _slack(self, one: int, other: int) -> int:
        """Return how much weight of an edge between two top nodes is not used up."""
        return 2 * self.weights[one][other] - self._dual_of(one) - self._dual_of(other)

    def _dual_of(self, bot: int) -> int:
        top = self.top[bot]
        return self.dual[bot] + self.label[top] * (self.clock - self.since[top])

    # A stage: one tree, from a node without a mate to another one.

    def _grow_tree(self, root: int) -> None:
        self.clock = 0
        self.events = []
        self._make_outer(root)
        while True:
            time, one, other = heappop(self.events)
            self.clock = time
            if one == -1:
                if self._is_used_up(other):
                    self._expand(other)
                continue
            node, reached = self.top[one], self.top[other]
            if node == reached or self.label[node] != _OUTER or self._slack(one, other):
                continue  # what it was meant for has changed; there is another event for it
            if self.label[reached] == _OUTER:
                self._shrink(one, other)
            elif self.label[reached] == _FREE:
                mate = self.match[reached]
                if mate == _NOBODY:
                    self._augment(one, other)
                    break
                self._make_inner(reached, (one, other))
                self._make_outer(self.top[mate[1]])
        for node in set(self.top):
            self._set_label(node, _FREE)

    def _is_used_up(self, node: int) -> bool:
        """Whether an inner blossom has a dual value of 0 by now."""
        is_inner = self.parent[node] is None and self.label[node] == _INNER
        return is_inner and self.excess[node] == self.clock - self.since[node]

    def _set_label(self, node: int, label: int) -> None:
        """Settle the dual values that changed under the old label."""
        change = self.label[node] * (self.clock - self.since[node])
        if change:
            for bot in self.members[node]:
                self.dual[bot] += change
            self.excess[node] += change
        self.label[node] = label
        self.since[node] = self.clock

    def _make_outer(self, node: int) -> None:
        self._set_label(node, _OUTER)
        self._watch_edges(self.members[node])

    def _watch_edges(self, bots: Sequence[int]) -> None:
        """Note when edges from new outer bots become tight."""
        for bot in bots:
            top = self.top[bot]
            for other in self.neighbours[bot]:
                reached = self.top[other]
                label = self.label[reached]
                if reached == top or label == _INNER:
                    continue
                slack = self._slack(bot, other)
                time = self.clock + (slack // 2 if label == _OUTER else slack)
                heappush(self.events, (time, bot, other))

    def _make_inner(self, node: int, entry: Edge) -> None:
        self._set_label(node, _INNER)
        self.entry[node] = entry
        if node >= self.count:
            heappush(self.events, (self.clock + self.excess[node], -1, node))

    def _path_to_root(self, node: int) -> list[Edge]:
        """Return the edges from an outer node up to the root, each from below to above."""
        path: list[Edge] = []
        while (matched := self.match[node]) != _NOBODY:
            above, below = self.entry[self.top[matched[1]]]
            path += [matched, (below, above)]
            node = self.top[above]
        return path

    def _augment(self, one: int, other: int) -> None:
        """Swap matched and other edges from a free node without a mate to the root."""
        path = self._path_to_root(self.top[one])
        self._marry(one, other)
        for below, above in path[1::2]:
            self._marry(below, above)

    def _marry(self, one: int, other: int) -> None:
        self.match[self.top[one]] = (one, other)
        self.match[self.top[other]] = (other, one)

    # Blossoms.

    def _shrink(self, one: int, other: int) -> None:
        """Make a blossom of the cycle that an edge between two outer nodes closes."""
        left, right = self._path_to_root(self.top[one]), self._path_to_root(self.top[other])
        while left and right and left[-1] == right[-1]:
            left.pop()
            right.pop()
        down = [(above, below) for below, above in reversed(left)]
        edges = [*down, (one, other), *right]
        children = [self.top[start] for start, _ in edges]
        blossom = len(self.parent)
        fresh: list[int] = []
        for child in children:
            if self.label[child] == _INNER:
                fresh += self.members[child]
            self._set_label(child, _FREE)
            self.parent[child] = blossom
        self.parent.append(None)
        self.members.append([bot for child in children for bot in self.members[child]])
        self.children.append(children)
        self.cycle.append(edges)
        self.excess.append(0)
        self.match.append(self.match[children[0]])
        self.label.append(_OUTER)
        self.since.append(self.clock)
        self.entry.append(_NOBODY)
        for bot in self.members[blossom]:
            self.top[bot] = blossom
        self._watch_edges(fresh)

    def _open(self, blossom: int) -> None:
        """Make the children top nodes again, and match them around the matched edge outwards."""
        children, cycle = self.children[blossom], self.cycle[blossom]
        matched = self.match[blossom]
        for child in children:
            self.parent[child] = None
            for bot in self.members[child]:
                self.top[bot] = child
        base = children.index(self.top[matched[0]])
        self.match[children[base]] = matched
        for step in range(1, len(children), 2):
            self._marry(*cycle[(base + step) % len(children)])

    def _expand(self, blossom: int) -> None:
        """Replace an inner blossom by the part of its cycle that keeps the tree together."""
        entry, matched = self.entry[blossom], self.match[blossom]
        self._set_label(blossom, _FREE)
        self._open(blossom)
        children, cycle = self.children[blossom], self.cycle[blossom]
        base = self.top[matched[0]]
        outer: list[int] = []
        node = self.top[entry[1]]
        while True:
            self._make_inner(node, entry)
            if node == base:
                break
            mate = self.match[node]
            following = self.top[mate[1]]
            outer.append(following)
            # Go on around the cycle in the same direction.
            place = children.index(following)
            is_forward = children[place - 1] == node
            entry = cycle[place] if is_forward else cycle[place - 1][::-1]
            node = self.top[entry[1]]
        for child in outer:
            self._make_outer(child)
        self._watch_free(blossom)

    def _watch_free(self, blossom: int) -> None:
        """Note when outer nodes reach those children that have left the tree."""
        for bot in self.members[blossom]:
            if self.label[self.top[bot]] != _FREE:
                continue
            for other in self.neighbours[bot]:
                if self.label[self.top[other]] == _OUTER:
                    time = self.clock + self._slack(bot, other)
                    heappush(self.events, (time, other, bot))

    def _unfold(self, node: int) -> Iterator[Edge]:
        """Yield the matched edges of all bots in a node, from both ends."""
        if node < self.count:
            matched = self.match[node]
            yield matched
            return
        self._open(node)
        for child in self.children[node]:
            yield from self._unfold(child)
