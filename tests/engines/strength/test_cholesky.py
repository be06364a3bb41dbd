import pytest
from hypothesis import given
from hypothesis import strategies as st

from pentathlon_engines.strength.cholesky import cholesky, inverse, solve

NUMBERS = st.floats(-3, 3)
SQUARES = st.integers(1, 6).flatmap(
    lambda size: st.lists(
        st.lists(NUMBERS, min_size=size, max_size=size), min_size=size, max_size=size
    )
)


def _definite(square: list[list[float]]) -> list[list[float]]:
    """Return a matrix times its transpose, with one added on the diagonal."""
    return [
        [
            sum(one * other for one, other in zip(first, second, strict=True)) + (place == row)
            for place, second in enumerate(square)
        ]
        for row, first in enumerate(square)
    ]


@given(square=SQUARES)
def test_factor_times_its_transpose_is_the_matrix(square: list[list[float]]) -> None:
    matrix = _definite(square)

    factor = cholesky(matrix)

    for row, line in enumerate(matrix):
        for column in range(row + 1):
            parts = zip(factor[row], factor[column], strict=False)
            assert sum(one * other for one, other in parts) == pytest.approx(line[column])


@given(square=SQUARES)
def test_inverse_and_solution_undo_the_matrix(square: list[list[float]]) -> None:
    matrix = _definite(square)
    factor = cholesky(matrix)

    for column, line in enumerate(inverse(factor)):
        unit = [float(place == column) for place in range(len(matrix))]
        assert line == pytest.approx(solve(factor, unit), abs=1e-9)
        back = [sum(one * other for one, other in zip(row, line, strict=True)) for row in matrix]
        assert back == pytest.approx(unit, abs=1e-6)


def test_matrix_without_a_factor_is_refused() -> None:
    with pytest.raises(ArithmeticError):
        cholesky([[1.0], [2.0, 1.0]])
