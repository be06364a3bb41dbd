"""Every cell of the table of rights, asked of the services and of the API.

The API is asked for some two thousand cells, which takes seconds: no cell is left out, because
each may be the one that a change opens.
"""

from collections import Counter
from collections.abc import Callable, Iterable

import pytest
from django.db import transaction

from pentathlon.accounts.models import User
from pentathlon.common.errors import DomainError
from tests.api.rights.cells import RULES, SEES_DRAFTS, Cell, all_cells, is_allowed
from tests.api.rights.world import World, ask_api, ask_service, make_world
from tests.databases import made_once

pytestmark = pytest.mark.django_db
world = made_once(make_world)
CELLS = tuple(all_cells())


def _asks_service(world: World, cell: Cell) -> bool:
    try:
        ask_service(world, cell)
    except DomainError:
        return False
    return True


def _wrong(
    world: World, cells: Iterable[Cell], ask: Callable[[World, Cell], bool]
) -> list[tuple[Cell, bool]]:
    """Return the cells with another answer than by the rules, each with the answer."""
    return [
        (cell, answer) for cell in cells if (answer := _tried(world, cell, ask)) != _by(cell, ask)
    ]


def _tried(world: World, cell: Cell, ask: Callable[[World, Cell], bool]) -> bool:
    """Return the answer for one cell, and undo what it did."""
    before = transaction.savepoint()
    try:
        if not cell.is_willing:
            author = User.objects.filter(pk=world.people["author"].pk)
            author.update(takes_organiser_entries=False)
        return ask(world, cell)
    finally:
        transaction.savepoint_rollback(before)


def _by(cell: Cell, ask: Callable[[World, Cell], bool]) -> bool:
    """Return the answer by the rules; the API shows drafts to few."""
    hides = ask is ask_api and cell.cup == "draft" and cell.actor not in SEES_DRAFTS
    return is_allowed(cell) and not hides


def test_every_rule_allows_something() -> None:
    allowed = [rule for rule in RULES if any(rule.covers(cell) for cell in CELLS)]

    assert allowed == list(RULES)


def test_no_cell_comes_twice() -> None:
    assert Counter(CELLS).most_common(1)[0][1] == 1


def test_services_keep_to_the_rules(world: World) -> None:
    cells = [cell for cell in CELLS if cell.actor != "anonymous"]

    assert _wrong(world, cells, _asks_service) == []


def test_api_keeps_to_the_rules(world: World) -> None:
    assert _wrong(world, CELLS, ask_api) == []
