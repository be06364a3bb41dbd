"""Tash-Kalar: every word of the deck files has its place in the tables of the engine."""

from pentathlon_engines.tash_kalar.cards import compiler, program
from pentathlon_engines.tash_kalar.cards.catalogue import PROGRAMS
from pentathlon_engines.tash_kalar.interpreter import AUTOMATICS, CONDITIONS, PERFORM
from pentathlon_engines.tash_kalar.offers import OFFERS
from pentathlon_engines.tash_kalar.selection import PLACES


def test_every_operation_that_asks_is_offered_and_performed() -> None:
    assert OFFERS.keys() == compiler.DECISIONS.keys()
    assert PERFORM.keys() == compiler.DECISIONS.keys() - {"choose_one"}


def test_every_operation_that_asks_nobody_is_run() -> None:
    assert AUTOMATICS.keys() == compiler.AUTOMATICS.keys()


def test_every_place_and_condition_of_the_cards_can_be_looked_up() -> None:
    steps = [step for effect in PROGRAMS for step in effect.steps]
    places = {place.kind for step in steps for place in step.selector.places}
    conditions = {condition.kind for step in steps for condition in step.conditions}

    assert places | program.PLAIN_PLACES <= PLACES.keys()
    assert conditions | program.PLAIN_CONDITIONS <= CONDITIONS.keys()
