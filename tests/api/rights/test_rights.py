"""Every cell of the table of rights, asked of the services and of the API.

The usual run asks the services for one cell of each action, actor, version, cup and answer, and
the API for one of each action, actor and answer; the deep one asks both for all 2,000 cells.
"""

from collections import Counter
from collections.abc import Callable, Iterable

import pytest
from django.db import transaction

from pentathlon.accounts.models import User
from pentathlon.core.errors import DomainError
from tests.api.rights.cells import RULES, SEES_DRAFTS, Cell, all_cells, is_allowed
from tests.api.rights.world import World, ask_api, ask_service, make_world
from tests.databases import made_once

pytestmark = pytest.mark.django_db
world = made_once(make_world)
CELLS = tuple(all_cells())
SERVED = tuple(cell for cell in CELLS if cell.actor != "anonymous")

Ask = Callable[[World, Cell], bool]


def _asks_service(world: World, cell: Cell) -> bool:
    try:
        ask_service(world, cell)
    except DomainError:
        return False
    return True


def _tried(world: World, cell: Cell, ask: Ask) -> bool:
    """Return the answer for one cell, and undo what it did."""
    before = transaction.savepoint()
    try:
        if not cell.is_willing:
            author = User.objects.filter(pk=world.people["author"].pk)
            author.update(takes_organiser_entries=False)
        return ask(world, cell)
    finally:
        transaction.savepoint_rollback(before)


def _answer_by_rules(cell: Cell, ask: Ask) -> bool:
    """Return the answer by the rules; the API shows drafts to few."""
    hides = ask is ask_api and cell.cup == "draft" and cell.actor not in SEES_DRAFTS
    return is_allowed(cell) and not hides


def _wrong(world: World, cells: Iterable[Cell], ask: Ask) -> list[Cell]:
    """Return the cells with another answer than by the rules."""
    return [cell for cell in cells if _tried(world, cell, ask) != _answer_by_rules(cell, ask)]


def test_every_rule_allows_something() -> None:
    allowing = [rule for rule in RULES if any(rule.covers(cell) for cell in CELLS)]

    assert allowing == list(RULES)


def test_no_cell_comes_twice() -> None:
    assert Counter(CELLS).most_common(1)[0][1] == 1


def test_services_keep_to_the_rules(world: World) -> None:
    kinds = {(*cell[:5], is_allowed(cell)): cell for cell in SERVED}

    assert _wrong(world, kinds.values(), _asks_service) == []


def test_api_keeps_to_the_rules(world: World) -> None:
    kinds = {(cell.action, cell.actor, _answer_by_rules(cell, ask_api)): cell for cell in CELLS}

    assert _wrong(world, kinds.values(), ask_api) == []


@pytest.mark.deep
def test_everything_keeps_to_the_rules_in_every_cell(world: World) -> None:
    assert _wrong(world, SERVED, _asks_service) == []
    assert _wrong(world, CELLS, ask_api) == []
