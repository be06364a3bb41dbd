"""What every picture of a board promises."""

import re
from xml.etree import ElementTree as ET

from pentathlon_engines import State
from pentathlon_engines.drawing import svg
from pentathlon_engines.light_json import read_data
from tests.engines.contract.checks import positions
from tests.engines.contract.setups import Setup

_SVG = "{http://www.w3.org/2000/svg}"
_PALETTE = read_data(svg.__file__, "palette.json")
_GROUPS = {"data-cell", "data-seat", "data-card"}
_TAGS = {"svg", "title", "desc", "g", "rect", "circle", "path", "text", "tspan"}
_SMALLEST_TEXT = 16  # 9.5 px on a phone of 390 px
_USUAL_TEXT = 20
_LONG = 900
_ALL_OF_A_MATCH = 4
_THEN_EVERY = 29


def check_picture(setup: Setup, seed: int) -> None:
    """Look at pictures of a match from its start to its end, as a spectator and as each seat."""
    for index, state in enumerate(positions(setup, seed)):
        if state.to_move is not None and index > _ALL_OF_A_MATCH and index % _THEN_EVERY:
            continue
        for picture in {state.svg(seat) for seat in (None, *range(state.seats))}:
            _check_svg(state, picture)
        assert state._repr_svg_() == state.svg()
        lines = str(state).splitlines()
        assert len(lines) > 2
        assert all(line == line.rstrip() and len(line) <= 100 for line in lines)


def _check_svg(state: State, text: str) -> None:
    assert "<use" not in text
    assert not re.search(r"\d\.\d\d+[ \"LHVM]", re.sub(r'(d|transform)="[^"]*"', "", text))
    root = ET.fromstring(text)
    _check_root(state, root)
    cells = [cell for cell in root.iter() if "data-cell" in cell.attrib]
    names = [cell.attrib["data-cell"] for cell in cells]
    assert names
    assert len(set(names)) == len(names)
    for group in (part for part in root.iter() if _GROUPS & set(part.attrib)):
        assert group[0].tag == f"{_SVG}title"
        assert group[0].text
    for shape in root.iter():
        _check_shape(shape)


def _check_root(state: State, root: ET.Element) -> None:
    assert root.tag == f"{_SVG}svg"
    assert root.attrib["role"] == "img"
    assert "width" not in root.attrib
    left, top, width, height = (float(value) for value in root.attrib["viewBox"].split())
    assert (left, top, width) == (0, 0, 600)
    long = " long" if height > _LONG else ""
    assert root.attrib["class"] == ("board tall" if height > width else "board wide") + long
    x, y, w, h = (float(value) for value in root.attrib["data-field"].split())
    assert min(x, y) >= 0
    assert x + w <= width
    assert y + h <= height
    assert [child.tag for child in root[:2]] == [f"{_SVG}title", f"{_SVG}desc"]
    assert re.fullmatch(rf"{state.game.info.title}, (ply|turn) \d+", root[0].text or "")
    assert root[1].text


def _check_shape(shape: ET.Element) -> None:
    assert not {"id", "style"} & set(shape.attrib)
    assert shape.tag.removeprefix(_SVG) in _TAGS
    if shape.tag.removeprefix(_SVG) in ("rect", "circle", "path", "text"):
        classes = shape.attrib["class"].split()
        assert classes
        for name in classes:
            for attribute, light in _PALETTE[name].items():
                assert shape.attrib[attribute] == light
    if shape.tag == f"{_SVG}text":
        assert float(shape.get("font-size", _USUAL_TEXT)) >= _SMALLEST_TEXT
