"""Tags that draw and explain, for values at their edges."""

import re

import pytest

from pentathlon.web.templatetags.components import sparkline
from pentathlon.web.templatetags.formats import explain_cards


@pytest.mark.parametrize("values", [[], [25.0]], ids=str)
def test_line_with_fewer_than_two_ends_is_not_drawn(values: list[float]) -> None:
    assert sparkline(values) == ""


def test_line_goes_from_edge_to_edge() -> None:
    (points,) = re.findall(r'points="([^"]+)"', sparkline([1.0, 3.0, 2.0]))

    places = [tuple(map(float, point.split(","))) for point in points.split()]
    across, down = [x for x, _ in places], [y for _, y in places]
    assert across == sorted(across)
    assert down.index(min(down)) == 1, "the highest value stands at the top"


def test_line_of_equal_values_is_level() -> None:
    (points,) = re.findall(r'points="([^"]+)"', sparkline([7.0, 7.0]))

    assert len({point.partition(",")[2] for point in points.split()}) == 1


def test_sentence_of_a_game_without_cards_stays_as_it_is_but_safe() -> None:
    assert explain_cards("Amber wins & <b>", "tuned") == "Amber wins &amp; &lt;b&gt;"
