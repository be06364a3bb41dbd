"""What a step of an effect offers: the pieces and squares that it may be about (13)."""

from __future__ import annotations

from pentathlon_engines.tash_kalar.actions import (
    CONVERTS,
    DESTROYS,
    DIRS,
    DOWNGRADES,
    LEAPS_TO,
    MOVES_TO,
    OPTS,
    PICKS,
    PLACES,
    PLACES_OF,
    TAKES,
    UPGRADES,
)
from pentathlon_engines.tash_kalar.cards.catalogue import PATTERNS, PROGRAMS
from pentathlon_engines.tash_kalar.cards.operations import (
    CHOOSE,
    DESTROY,
    DESTROY_ALL,
    DOWNGRADE,
    FIRST_AUTOMATIC,
    FREEZE,
    GROUP,
    LEAPS,
    MIRROR,
    MOVES,
    PER_SQUARE,
    PICK,
    PICK_SQUARE,
    PLACE,
    RECOVER,
    SHOOT,
    THROW_FLARE,
    UPGRADE,
)
from pentathlon_engines.tash_kalar.cards.patterns import COMMON, HEROIC, LEGENDARY, RANKS
from pentathlon_engines.tash_kalar.cards.program import (
    ANY,
    BUDGET_AND,
    BUDGET_OR,
    BY_PIECE,
    CLOSER_BUT_BESIDE,
    COMBAT,
    DESTINATION_MARKED,
    DESTINATION_RING,
    DESTINATION_SQUARE,
    ENEMY,
    ONTO_EMPTY,
    ONTO_LEGENDARY,
    OWN,
    SELF,
    UNLIMITED,
    Step,
)
from pentathlon_engines.tash_kalar.effect import Effect
from pentathlon_engines.tash_kalar.geometry import (
    ADJACENT,
    ALL,
    BIT,
    COLOURED,
    EIGHT,
    GRID,
    RAYS,
    STEPS,
    WITHIN,
    add_bits,
    bits,
    bits_of,
    distance,
    spread,
)
from pentathlon_engines.tash_kalar.table import RANKS_EACH
from pentathlon_engines.tash_kalar.weaving import Weaving

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_SECOND: Final = 2


class Choices(Weaving):
    """What the step at hand offers; `effect` is not None in any of this."""

    __slots__ = ()

    def offers(self, effect: Effect, step: Step) -> list[int]:
        """Return the actions of one repetition of a step, without `pass`, in no order."""
        op = step.op
        if op == MOVES:
            return self._moves(effect, step)
        if op == PLACE:
            return self._placements(effect, step)
        if op == LEAPS:
            return self._leaps(effect, step)
        if op == SHOOT:
            return self._shots(effect, step)
        if op >= PICK_SQUARE:
            chosen = op == CHOOSE
            return self._options(effect, step) if chosen else self.weaving_offers(effect, step)
        return self._targets(effect, step)

    def _targets(self, effect: Effect, step: Step) -> list[int]:
        """Return what can be done to one piece where it stands, or with a card."""
        op = step.op
        if op == DESTROY:
            return [DESTROYS[at] for at in bits(self._victims(effect, step))]
        if op == PER_SQUARE:
            return self._squares(effect, step)
        if op == GROUP:
            return self._group(effect, step)
        if op == RECOVER:
            return [TAKES[card] for card in bits_of(self.discards[self.active])]
        squares = self.selected(effect, step.selector)
        if op == UPGRADE:
            return [UPGRADES[at] for at in bits(squares & self.can_upgrade())]
        return self._rare_targets(effect, step, squares)

    def _rare_targets(self, effect: Effect, step: Step, squares: int) -> list[int]:
        op = step.op
        if op == FREEZE:
            return self.keeps(step)
        if op == MIRROR:
            return self.reflections(effect, step)
        if op == THROW_FLARE:
            return [OPTS[step.label]] if self.hand_of(self.active, 2) else []
        if op == DOWNGRADE:
            return [DOWNGRADES[at] for at in bits(squares & self.can_downgrade())]
        if op == PICK:
            return [PICKS[at] for at in bits(squares)]
        return [CONVERTS[at] for at in bits(squares)] if self.two_sided(self.active) > 0 else []

    def most(self, step: Step, effect: Effect) -> int:
        """Return how often a step may be done in all."""
        if step.most_of >= 0:
            return effect.counts[step.most_of]
        if effect.lock >= 0:
            return step.rank_lock[effect.lock]
        if step.by_rank:
            piece = effect.pieces[step.selector.places[0].number]
            return step.by_rank[self.rank_at(piece)] if piece >= 0 else 0
        return step.most

    def _moves(self, effect: Effect, step: Step) -> list[int]:
        found: list[int] = []
        direction = effect.direction
        if step.same_as >= 0:
            direction = (effect.directions[step.same_as] + step.turned) % EIGHT
        limits = self._limits(effect, step)
        for square in bits(self._movers(effect, step)):
            reach = ADJACENT[square]
            if step.aims:
                reach = self.aimed(effect, step, square)
            elif direction >= 0:
                to = STEPS[square][direction]
                reach = BIT[to] if to >= 0 else 0
            reach &= limits[self._reach_of(effect, step, square)]
            if reach and step.near_own:
                reach = self._touching(square, reach)
            elif reach and step.closer:
                reach = self._closer(step, square, reach)
            if reach:
                base = square * GRID
                found.extend([MOVES_TO[base + to] for to in bits(reach)])
        return found

    def _limits(self, effect: Effect, step: Step) -> list[int]:
        """Return the squares that moves may end on, by the highest rank captured, plus one."""
        within = self._within(effect, step) if step.destination else ALL
        if step.kind == ONTO_LEGENDARY:
            legendary = self.owned(ANY, 1 << LEGENDARY) & within
            return [legendary] * (RANKS_EACH + 1)
        if not step.capture_ranks & 1 << COMMON:
            within &= ~(self.pieces[COMMON] | self.pieces[RANKS_EACH + COMMON])
        return [self.up_to(rank - 1) & within for rank in range(RANKS_EACH + 1)]

    def _within(self, effect: Effect, step: Step) -> int:
        """Return the squares to which moves are restricted."""
        kind = step.destination
        if kind == DESTINATION_MARKED:
            return self.marks(effect)
        if kind == DESTINATION_SQUARE:
            return BIT[effect.squares[step.square_of]]
        if kind == DESTINATION_RING:
            return _ring(step.distance, effect.me) if effect.me >= 0 else 0
        return COLOURED

    def _reach_of(self, effect: Effect, step: Step, square: int) -> int:
        """Return the highest rank that this piece may capture now, plus one (6.2)."""
        kind = step.kind
        if kind == ONTO_EMPTY:
            return 0
        rank = self.rank_at(square)
        if kind == BY_PIECE:
            return rank if square == effect.me else rank + 1
        if kind == COMBAT:
            return rank + 1
        if kind == BUDGET_AND and effect.captures < step.combat:
            return rank + 1
        if kind == BUDGET_OR and effect.times == 0:
            return rank + 1
        return rank

    def _movers(self, effect: Effect, step: Step) -> int:
        """Return the pieces that may make the next move."""
        if step.one_piece and effect.times:
            return BIT[effect.runner] if effect.runner >= 0 else 0
        found = self.selected(effect, step.selector)
        if step.each_once:
            found = effect.pool
        if effect.lock >= 0:
            found &= self.owned(ANY, 1 << effect.lock)
        if step.kind == BY_PIECE:
            myself = BIT[effect.me] if effect.me >= 0 else 0
            found &= self.owned(ANY, step.ranks) | myself
        if step.third_needs_self and effect.times == _SECOND and not effect.moved_self:
            found &= BIT[effect.me] if effect.me >= 0 else 0
        if step.most_of_owner < UNLIMITED:
            found &= self._not_spent(effect, step)
        return found

    def _not_spent(self, effect: Effect, step: Step) -> int:
        """Return the pieces of those seats of which not enough have moved yet."""
        found = 0
        if effect.own_moves < step.most_of_owner:
            found = self.own(self.active)
        if effect.times - effect.own_moves < step.most_of_owner:
            found |= self.own(1 - self.active)
        return found

    def _touching(self, square: int, reach: int) -> int:
        """Return those squares that are adjacent to another own piece than the mover."""
        others = self.own(self.active) & ~BIT[square]
        return sum(BIT[to] for to in bits(reach) if ADJACENT[to] & others)

    def _closer(self, step: Step, square: int, reach: int) -> int:
        """Return those squares that are closer to the Gateway, or beside it at last (18.2)."""
        gate = self.gateway
        if gate < 0:
            return 0
        if step.closer == CLOSER_BUT_BESIDE:
            reach &= ~BIT[gate]
        far = distance(square, gate)
        return sum(BIT[to] for to in bits(reach) if distance(to, gate) < far)

    def _leaps(self, effect: Effect, step: Step) -> list[int]:
        if effect.picked >= 0:
            squares = self._landings(effect, step, effect.picked)
            return [LEAPS_TO[to] for to in bits(squares)]
        movers = self.selected(effect, step.selector)
        if step.selector.places[0].kind != SELF:
            return [PICKS[at] for at in bits(movers) if self._landings(effect, step, at)]
        if not movers:
            return []
        return [LEAPS_TO[to] for to in bits(self._landings(effect, step, effect.me))]

    def _landings(self, effect: Effect, step: Step, square: int) -> int:
        rank = self.rank_at(square)
        squares = self.up_to(rank if step.kind == COMBAT else rank - 1) & ~BIT[square]
        if step.distance:
            squares &= _ring(step.distance, square)
        if step.square_of >= 0:
            squares &= BIT[effect.squares[step.square_of]]
        return squares

    def _victims(self, effect: Effect, step: Step) -> int:
        found = self.selected(effect, step.selector)
        if step.stop_rank >= 0 and effect.times:
            found &= self.owned(ANY, step.next_ranks)
        return found

    def _placements(self, effect: Effect, step: Step) -> list[int]:
        condition = step.selector.owner_condition
        if condition and not self.holds(condition):
            return []
        seat = self.active if step.selector.owner == OWN else 1 - self.active
        ranks = [step.rank] if step.rank >= 0 else list(range(len(RANKS)))
        squares = self.empty() & self.at_places(effect, step.selector.places)
        found: list[int] = []
        for rank in ranks:
            if self.in_supply(seat, rank):
                actions = PLACES if step.rank >= 0 else PLACES_OF[rank]
                add_bits(squares, actions, found)
        return found

    def _shots(self, effect: Effect, step: Step) -> list[int]:
        me = effect.me
        if me < 0:
            return []
        directions = self._directions(effect, step)
        if step.least:
            return [DIRS[direction] for direction in directions]
        return [DIRS[direction] for direction in directions if self.shot_at(step, me, direction)]

    def _directions(self, effect: Effect, step: Step) -> tuple[int, ...]:
        if step.same_as >= 0:
            return (effect.directions[step.same_as],)
        if step.diagonals:
            return tuple(range(1, EIGHT, 2))
        return PATTERNS[self.card].shapes[effect.shape].directions

    def shot_at(self, step: Step, square: int, direction: int) -> int:
        """Return the pieces that a shot in this direction hits."""
        if not step.fan:
            return self._hit_on(step, RAYS[square][direction])
        found = 0
        for turn in (-1, 0, 1):
            found |= self._hit_on(step, RAYS[square][(direction + turn) % EIGHT])
        return found

    def _hit_on(self, step: Step, ray: tuple[int, ...]) -> int:
        found = hits = 0
        for square in ray[: step.reach]:
            code = self.board[square]
            if not code:
                continue
            rank = (code - 1) % RANKS_EACH
            if step.blockers >> rank & 1:
                break
            if step.ranks >> rank & 1:
                found |= BIT[square]
                hits += 1
                if hits == step.hit:
                    break
        return found

    def _squares(self, effect: Effect, step: Step) -> list[int]:
        """Return what can be done on each square: destroy, upgrade or place."""
        squares = self.at_places(effect, step.selector.places) & ~effect.chosen
        enemies = self.owned(ENEMY, 1 << COMMON | 1 << HEROIC)
        found = [DESTROYS[at] for at in bits(squares & enemies)]
        found.extend([UPGRADES[at] for at in bits(squares & self.owned(OWN, 1 << COMMON))])
        if self.two_sided(self.active) > 0:
            found.extend([PLACES[at] for at in bits(squares & self.empty())])
        return found

    def _group(self, effect: Effect, step: Step) -> list[int]:
        squares = self.owned(ANY, step.ranks)
        if effect.chosen:
            squares &= spread(effect.chosen) & ~effect.chosen
        if step.kind == DOWNGRADE:
            return [DOWNGRADES[at] for at in bits(squares & self.can_downgrade())]
        return [DESTROYS[at] for at in bits(squares)]

    def _options(self, effect: Effect, step: Step) -> list[int]:
        """Return the first actions of all options with content, or of all if none has any."""
        steps = PROGRAMS[effect.program].steps
        found: list[int] = []
        labels: list[int] = []
        for start in step.options:
            option = steps[start]
            if option.op < FIRST_AUTOMATIC:
                found.extend(self.offers(effect, option))
                continue
            labels.append(OPTS[option.label])
            if option.op != DESTROY_ALL or self.selected(effect, option.selector):
                found.append(OPTS[option.label])
        return found or labels


def _ring(distance: int, square: int) -> int:
    """Return the squares at exactly this distance."""
    return WITHIN[distance][square] & ~WITHIN[distance - 1][square]
