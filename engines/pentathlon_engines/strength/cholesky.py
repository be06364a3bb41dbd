"""Dense symmetric matrices, as lists of floats.

Every sum is rounded once (`math.fsum`), so no bit depends on the order of summation or on the
release of Python.
"""

import math
from collections.abc import Sequence
from operator import mul

Matrix = Sequence[Sequence[float]]
Triangle = list[list[float]]
"""The lower half of a matrix: row `i` has `i + 1` numbers."""


def cholesky(matrix: Matrix) -> Triangle:
    """Return the lower triangle whose product with its transpose is the matrix.

    Only the lower half of the matrix is read.

    Raises:
        ArithmeticError: the matrix is not positive definite.

    >>> cholesky([[4.0], [2.0, 5.0]])
    [[2.0], [1.0, 2.0]]
    """
    rows: Triangle = []
    for index, line in enumerate(matrix):
        row: list[float] = []
        for column, other in enumerate(rows):
            # `map` ends with `row`, which has as many numbers as are needed.
            row.append((line[column] - math.fsum(map(mul, row, other))) / other[column])
        pivot = line[index] - math.fsum(map(mul, row, row))
        if not pivot > 0:
            raise ArithmeticError("the matrix is not positive definite")
        row.append(math.sqrt(pivot))
        rows.append(row)
    return rows


def solve(factor: Triangle, right: Sequence[float]) -> list[float]:
    """Return `x` with matrix times `x` = `right`, for the matrix with this Cholesky factor."""
    forward: list[float] = []
    for row, value in zip(factor, right, strict=True):
        forward.append((value - math.fsum(map(mul, row, forward))) / row[-1])
    solved: list[float] = []  # from the last one on
    for index in reversed(range(len(factor))):
        below = (factor[row][index] for row in range(len(factor) - 1, index, -1))
        rest = forward[index] - math.fsum(map(mul, below, solved))
        solved.append(rest / factor[index][index])
    return solved[::-1]


def inverse(factor: Triangle) -> list[list[float]]:
    """Return the inverse of the matrix with this Cholesky factor, both halves."""
    size = len(factor)
    columns = [_inverse_column(factor, index) for index in range(size)]
    full = [[0.0] * size for _ in range(size)]
    for first, column in enumerate(columns):
        for second in range(first, size):
            value = math.fsum(map(mul, column[second - first :], columns[second]))
            full[first][second] = full[second][first] = value
    return full


def _inverse_column(factor: Triangle, index: int) -> list[float]:
    """Return a column of the inverse of the factor, from its diagonal downwards."""
    column = [1.0 / factor[index][index]]
    for row in factor[index + 1 :]:
        column.append(-math.fsum(map(mul, row[index:-1], column)) / row[-1])
    return column
