"""The realm of Azure as its rules page prints it: part of the oracle.

Cells are their names, lines are walked anew each time, and the boards are read from the page
itself. The numbers in comments are those of the rules page.
"""

import re
from pathlib import Path

PAGE = Path(__file__).parents[3] / "engines" / "rules" / "azure.md"
CELLS = [column + row for row in "123456" for column in "abcdef"]
STRAIGHT = [(0, 1), (0, -1), (1, 0), (-1, 0)]
DIAGONAL = [(1, 1), (1, -1), (-1, 1), (-1, -1)]


def faces() -> dict[str, list[list[str]]]:
    """3: the faces as printed, two side by side."""
    page = PAGE.read_text(encoding="utf-8")
    block = page[page.index("A1 (azure, front)") :].partition("```")[0]
    found: dict[str, list[list[str]]] = {}
    names: list[str] = []
    for line in block.splitlines():
        if "(" in line:
            names = re.findall(r"[AWVB][12]", line)
            found |= {name: [] for name in names}
        elif line.strip():
            codes = line.split()
            found[names[0]].append(codes[:3])
            found[names[1]].append(codes[3:])
    return found


FACES = faces()


def step(cell: str, dx: int, dy: int) -> str | None:
    """Return the next cell in a direction, if there is one."""
    column, row = chr(ord(cell[0]) + dx), chr(ord(cell[1]) + dy)
    return column + row if column + row in CELLS else None


def in_order(cards: list[str]) -> str:
    """1: the fixed order of the colours."""
    return "".join(sorted(cards, key="AWVB".index))


class Realm:
    """Four boards as laid."""

    def __init__(self, layout: list[str]) -> None:
        self.layout = layout
        self.code: dict[str, str] = {}
        self.domain: dict[str, str] = {}
        self.lay()

    def lay(self) -> None:
        """5.2: column x, row y goes to column 4 - y, row x with each quarter turn."""
        for board, (left, top) in zip(self.layout, [(0, 0), (3, 0), (0, 3), (3, 3)], strict=True):
            face, turns = board.split(".")
            for row in (1, 2, 3):
                for column in (1, 2, 3):
                    x, y = column, row
                    for _ in range(int(turns)):
                        x, y = 4 - y, x
                    cell = "abcdef"[left + x - 1] + "123456"[top + y - 1]
                    self.code[cell] = FACES[face][row - 1][column - 1]
                    self.domain[cell] = face[0]

    def is_mountain(self, cell: str) -> bool:
        return self.code[cell] == "M"

    def qi(self, cell: str) -> tuple[int, str]:
        match = re.match(r"(\d)([AWVB])", self.code[cell])
        return (int(match[1]), match[2]) if match else (0, "")

    def stars(self, cell: str) -> int:
        match = re.search(r"(\d)\*", self.code[cell])
        return int(match[1]) if match else 0

    def reached(self, cell: str, directions: list[tuple[int, int]]) -> list[str]:
        """5.3: along each direction up to and with the first mountain."""
        found = []
        for dx, dy in directions:
            other = step(cell, dx, dy)
            while other is not None:
                found.append(other)
                other = None if self.is_mountain(other) else step(other, dx, dy)
        return found

    def mountain(self, colour: str) -> str:
        return next(c for c in CELLS if self.is_mountain(c) and self.domain[c] == colour)

    def rows(self) -> list[list[str]]:
        return [CELLS[i : i + 6] for i in range(0, 36, 6)]
