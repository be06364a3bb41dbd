"""The tables of `bench engines`: rates, parts, and their ratios."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from tools.benchmark.speed.field import COMPILED, PURE, Figures, SpeedEntry

Rows = Sequence[tuple[SpeedEntry, Figures]]

_RATES = (("moves", "moves/s"), ("listed", "listed/s"), ("playouts", "playouts/s"))
_PARTS = (("copy_ns", "copy ns"), ("legal_ns", "legal ns"), ("apply_ns", "apply ns"))
_MOVES, _LISTED, _PLAYOUTS = 3, 5, 10
"""Targets for the engines' speed: relative to python-chess per move and per listed action, and of
compiled over pure engines in playouts."""


def rates_table(rows: Rows) -> Table:
    """Return one line for each game and build."""
    table = Table(title="Per CPU second, medians: moves driven from Python, playouts inside")
    for heading in ("game", "build"):
        table.add_column(heading)
    for _, heading in (*_RATES, *_PARTS):
        table.add_column(heading, justify="right")
    for entry, figures in rows:
        cells = [_cell(figures.get(name)) for name, _ in (*_RATES, *_PARTS)]
        table.add_row(entry.game, entry.build, *cells)
    return table


def ratios_table(rows: Rows) -> Table:
    """Return how each of our games compares with the other packages in this run."""
    table = Table(title="Ratios within this run, targets in brackets")
    table.add_column("game")
    headings = (
        f"pure moves / python-chess (≥ {_MOVES})",
        f"pure listed / python-chess (≥ {_LISTED})",
        "compiled listed / connect_four (≥ 1)",
        f"playouts compiled / pure (≥ {_PLAYOUTS})",
        "moves compiled / pure",
    )
    for heading in headings:
        table.add_column(heading, justify="right")
    for game, values in ratios(rows).items():
        table.add_row(game, *(f"{value:.2f}" for value in values.values()))
    return table


def ratios(rows: Rows) -> dict[str, Figures]:
    """Return the ratios of each of our games, by name."""
    by_name = {(entry.build, entry.game): figures for entry, figures in rows}
    chess, connect = by_name["chess", "chess"], by_name["open_spiel", "connect_four"]
    found = {}
    for game in [game for build, game in by_name if build == PURE]:
        pure, compiled = by_name[PURE, game], by_name[COMPILED, game]
        found[game] = {
            "pure_moves_to_chess": pure["moves"] / chess["moves"],
            "pure_listed_to_chess": pure["listed"] / chess["listed"],
            "compiled_listed_to_connect_four": compiled["listed"] / connect["listed"],
            "inside_compiled_to_pure": compiled["playouts"] / pure["playouts"],
            "driven_compiled_to_pure": compiled["moves"] / pure["moves"],
        }
    return found


def report(rows: Rows) -> dict[str, object]:
    """Return everything as JSON."""
    figures = [{"game": entry.game, "build": entry.build, **found} for entry, found in rows]
    return {"figures": figures, "ratios": ratios(rows)}


def _cell(value: float | None) -> str:
    return "" if value is None else f"{value:,.0f}"
