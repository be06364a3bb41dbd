"""Texts that would be markup if anything took them for it, and checks that nothing does."""

from __future__ import annotations

import csv
import io
import json
import struct
from collections.abc import Callable
from typing import Any, Final
from xml.etree import ElementTree as ET

from tests.pentathlon.web.pages import Page, page_of, part_of

Check = Callable[[Any], None]  # Any: an answer of the test client
MARKUP: Final = "</title></text></pre><pwned onpwned=1><script>pwned()</script><!--"
TEXTS: Final = (
    MARKUP,
    "]]>--><![CDATA[<pwned/>]]>&pwned;&#0;<?pwned?>{{ pwned }}{% pwned %}",
    '"\'`><pwned "onpwned=\'1\'\\" style="x:y" javascript:pwned()',
    "\u202egnp.\u2066dnwp\u2069\u200b\u200d\ufeff\u2028\u2029<pwned>",
    "\x01\x08\x0b\x1b[31m\x7f\x85\ufffe\uffff<pwned>",
    "=HYPERLINK(\"http://pwned\"),<pwned>\t@SUM(1+1)*cmd|' /C calc'!A0",
    "<pwned>" + "x" * 10_000,
)
NAMES: Final = [text[:64] for text in TEXTS]


def is_clean(page: Page) -> None:
    """Check that no text has become an element, an attribute, a script or a script's address."""
    names = [(tag, *attributes) for tag, attributes in page.elements]
    assert [each for each in names if any("pwned" in word for word in each)] == []
    loads = [each.get("src", "") for each in page.all("script")]
    assert all(source.startswith("/static/") for source in loads)
    leads = [value for _, each in page.elements for value in each.values()]
    assert not [value for value in leads if value.strip().lower().startswith("javascript:")]


def html(answer: Any) -> None:
    """Check a page."""
    assert answer.status_code == 200
    is_clean(page_of(answer))


def part(answer: Any) -> None:
    """Check a part of a page."""
    assert answer.status_code == 200
    is_clean(part_of(answer))


def xml(answer: Any) -> None:
    """Check a feed or a drawing, which must be well-formed."""
    assert answer.status_code == 200
    tree = ET.fromstring(answer.content)  # refuses what is not well-formed
    assert [each.tag for each in tree.iter() if "pwned" in str(each.tag)] == []
    assert [each for each in tree.iter() if any("pwned" in name for name in each.attrib)] == []


def png(answer: Any) -> None:
    """Check a picture for shared links."""
    assert answer.status_code == 200
    assert answer.content.startswith(b"\x89PNG\r\n")
    assert struct.unpack(">II", answer.content[16:24]) == (1200, 630)


def table(answer: Any) -> None:
    """Check a file for spreadsheets: no cell is a formula."""
    assert answer.status_code == 200
    assert answer["Content-Disposition"].startswith("attachment")
    text = answer.getvalue().decode()
    heads, *rows = csv.reader(io.StringIO(text, newline=""))
    assert rows
    assert {len(row) for row in rows} == {len(heads)}
    assert [cell for row in rows for cell in row if _is_formula(cell)] == []


def _is_formula(cell: str) -> bool:
    """Return whether a spreadsheet would compute a cell; plain numbers may have a sign."""
    return cell.startswith(("=", "+", "-", "@", "\t", "\r")) and not _is_number(cell)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def data(answer: Any) -> None:
    """Check JSON that no browser takes for a page."""
    assert answer.status_code == 200
    assert answer["Content-Type"].startswith("application/json")
    assert answer["X-Content-Type-Options"] == "nosniff"
    json.loads(answer.getvalue())


def plain(answer: Any) -> None:
    """Check a text that no browser takes for a page."""
    assert answer.status_code == 200
    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    assert answer["X-Content-Type-Options"] == "nosniff"
