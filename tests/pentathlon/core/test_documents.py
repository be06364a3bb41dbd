"""Our documents become HTML, and nothing else does."""

import pytest
from django.test import Client

from pentathlon.core.documents import render_markdown, rules_text, strength_rows, title_and_body
from pentathlon_engines import GAMES
from tests.pentathlon.web.pages import Page, page_of


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("## Two words", '<h2 id="two-words">Two words</h2>'),
        ("one\ntwo", "<p>one\ntwo</p>"),
        ("one\n\ntwo", "<p>one</p>\n<p>two</p>"),
        ("- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>"),
        ("- a\n  - b", "<ul>\n<li>a\n<ul>\n<li>b</li>\n</ul>\n</li>\n</ul>"),
        ("1. a\n   more\n2. b", "<ol>\n<li>a\nmore</li>\n<li>b</li>\n</ol>"),
        ("text\n- a", "<p>text</p>\n<ul>\n<li>a</li>\n</ul>"),
        ("`<a>` **b** *c*", "<p><code>&lt;a&gt;</code> <strong>b</strong> <em>c</em></p>"),
        ("**`a` b**", "<p><strong><code>a</code> b</strong></p>"),
        ("`**no**`", "<p><code>**no**</code></p>"),
        ("3 * 4 * 5", "<p>3 * 4 * 5</p>"),
        ("[x](https://a.example/b)", '<p><a href="https://a.example/b">x</a></p>'),
        ("[x](javascript:y)", "<p>[x](javascript:y)</p>"),
        ("[x](../data.json)", "<p>x</p>"),
        ("<script>x</script>", "<p>&lt;script&gt;x&lt;/script&gt;</p>"),
        ("```json\n{\n}\n```", '<pre tabindex="0">{\n}</pre>'),
        ("```\nnever closed", '<pre tabindex="0">never closed</pre>'),
    ],
)
def test_markdown_becomes_html(text: str, html: str) -> None:
    assert render_markdown(text) == html


def test_table_becomes_a_table() -> None:
    html = render_markdown("| a | b |\n| --- | --- |\n| `x\\|y` | 2 |\n\nafter")

    page = Page(html)
    assert len(page.all("th")) == 2
    assert html.endswith("<p>after</p>")


def test_title_is_the_first_heading() -> None:
    assert title_and_body("# Rules\n\ntext") == ("Rules", "\ntext")


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_rules_that_can_be_read(game: str) -> None:
    title, body = title_and_body(rules_text(game) or "")

    page = Page(f'<html lang="en"><h1>{title}</h1>{render_markdown(body)}</html>')
    assert page.mistakes == []
    assert len(page.all("h2")) > 3


@pytest.mark.django_db
def test_strength_of_the_reference_bots_is_told_with_its_interval() -> None:
    page = page_of(Client().get("/docs/reference-bots/"))

    assert "/docs/reference-bots/" in page_of(Client().get("/docs/")).links()
    assert page.mistakes == []
    assert len(page.all("tr")) == 1 + len(strength_rows())
    assert "manage.py bench strength" in page.text
