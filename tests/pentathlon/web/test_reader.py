"""The reader of pages sees the mistakes that it is there for."""

import pytest

from tests.pentathlon.web.pages import Page

_AROUND = '<html lang="en"><body><h1>A</h1>{}</body></html>'


@pytest.mark.parametrize(
    ("markup", "mistake"),
    [
        ('<p style="color: red">x</p>', "<p> carries a style"),
        ("<script>alert(1)</script>", "a script stands in the page"),
        ('<p onclick="x()">x</p>', "<p> carries a script"),
        ("<h3>x</h3>", "h3 follows h1"),
        ("<h1>x</h1>", "2 h1"),
        ("<p>x", "</body> closes <p>"),
        ('<input name="a">', "<input name=a> has no label"),
        ('<p id="a">x</p><p id="a">y</p>', "id a occurs 2 times"),
        ('<p aria-describedby="b">x</p>', "<p> refers to b, which is not there"),
        ("<section>x</section>", "a section has no name"),
        ("<nav>x</nav>", "a nav has no name"),
        ("<table><tr><th>x</th></tr></table>", "a th has no scope"),
    ],
)
def test_mistake_is_named(markup: str, mistake: str) -> None:
    assert mistake in Page(_AROUND.format(markup)).mistakes


def test_sound_page_has_no_mistakes() -> None:
    markup = '<label>Name <input name="a"></label><h2 id="b">B</h2>'

    assert Page(_AROUND.format(markup)).mistakes == []
