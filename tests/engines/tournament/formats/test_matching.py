"""The matching against exhaustive search, and against the proof by its own dual values."""

from collections.abc import Sequence
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pentathlon_engines.seeds import draw_many
from pentathlon_engines.tournament.formats import matching
from pentathlon_engines.tournament.formats.matching import match_all


def least_weight(weights: Sequence[Sequence[int]]) -> int:
    """Return the weight of the best perfect matching, by trying all of them."""

    @cache
    def least(matched: int) -> int:
        free = [bot for bot in range(len(weights)) if not matched >> bot & 1]
        if not free:
            return 0
        one, *others = free
        return min(
            weights[one][other] + least(matched | 1 << one | 1 << other) for other in others
        )

    return least(0)


def weight_of(weights: Sequence[Sequence[int]], mates: Sequence[int]) -> int:
    return sum(weights[one][other] for one, other in enumerate(mates) if one < other)


def _symmetric(count: int, values: Sequence[int]) -> list[list[int]]:
    drawn = iter(values)
    weights = [[0] * count for _ in range(count)]
    for one in range(count):
        for other in range(one):
            weights[one][other] = weights[other][one] = next(drawn)
    return weights


@st.composite
def _weights(draw: st.DrawFn) -> list[list[int]]:
    count = 2 * draw(st.integers(1, 6))
    most = draw(st.sampled_from([1, 3, 10, 2**90]))
    size = count * (count - 1) // 2
    return _symmetric(
        count, draw(st.lists(st.integers(-most, most), min_size=size, max_size=size))
    )


@given(weights=_weights())
def test_no_matching_is_lighter(weights: list[list[int]]) -> None:
    mates = match_all(weights)

    assert all(mates[mate] == one != mate for one, mate in enumerate(mates))
    assert weight_of(weights, mates) == least_weight(weights)


def test_a_thousand_fields_of_ten_with_clusters_are_optimal() -> None:
    """Odd clusters make blossoms inside blossoms."""
    words = draw_many(bytes(32), "test_matching")
    for _ in range(1_000):
        count = 2 * (2 + next(words) % 4)
        homes = [next(words) % 3 for _ in range(count)]
        weights = _symmetric(count, [next(words) % 8 for _ in range(count * count)])
        for one in range(count):
            for other in range(count):
                weights[one][other] += 20 * (homes[one] != homes[other])
        mates = match_all(weights)
        assert weight_of(weights, mates) == least_weight(weights)


def test_a_large_field_cannot_be_improved_by_any_exchange() -> None:
    words = draw_many(bytes(32), "large")
    weights = _symmetric(120, [next(words) % 10**9 for _ in range(120 * 119)])

    mates = match_all(weights)

    pairs = [(one, mate) for one, mate in enumerate(mates) if one < mate]
    assert len(pairs) == 60
    for a, b in pairs:
        for c, d in pairs:
            if a < c:
                now = weights[a][b] + weights[c][d]
                assert now <= min(weights[a][c] + weights[b][d], weights[a][d] + weights[b][c])


@pytest.mark.parametrize("number", [457, 501, 740, 941, 1069, 1206, 1468, 1653, 1946, 2553])
def test_field_whose_blossoms_must_open_again_is_optimal(number: int) -> None:
    """Of 250 random fields of ten, one needs that an inner blossom is expanded."""
    words = draw_many(bytes(32), "expand", number)
    weights = _symmetric(10, [next(words) % 40 for _ in range(45)])

    assert weight_of(weights, match_all(weights)) == least_weight(weights)


def test_edges_left_out_at_first_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """In two score groups of 13, one pair must cross, and no bot begins with such an edge."""
    words = draw_many(bytes(32), "groups")
    weights = _symmetric(26, [next(words) % 1_000 for _ in range(26 * 25)])
    for one in range(26):
        for other in range(26):
            weights[one][other] += 10_000 * ((one < 13) != (other < 13))

    found = weight_of(weights, match_all(weights))

    monkeypatch.setattr(matching, "_LIGHTEST", 26)  # all edges from the beginning
    assert found == weight_of(weights, match_all(weights))
