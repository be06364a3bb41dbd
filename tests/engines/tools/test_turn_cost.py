"""The measurement of a turn measures something."""

from pentathlon_engines.match.plain_launcher import PlainLauncher
from pentathlon_engines.tools.turn_cost import measure_turn_cost


def test_turn_costs_more_than_a_bare_round_trip() -> None:
    cost = measure_turn_cost(PlainLauncher(), turns=20, request={"type": "act", "ply": 0})

    assert 0 < cost.raw_us < cost.turn_us
    assert cost.ratio == cost.turn_us / cost.raw_us
