"""Texts of people in Markdown: what they look like, and what they cannot do."""

import re

import pytest
from django.urls import reverse

from pentathlon.web.docs.guides import render_text, summary_of
from tests.factories import make_user
from tests.pentathlon.tournaments.arranging import arranged_cup
from tests.pentathlon.web.test_forms import as_person

_HOSTILE = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "[x](vbscript:x)",
    "[x](//evil.example)",
    "[x](/account/delete/)",
    '[x](https://a.example "\\" onmouseover=alert(1) \\"")',
    "![x](https://a.example/pixel.png)",
    "[![x](https://a.example/pixel.png)](https://a.example)",
    "<javascript:alert(1)>",
    "| a |\n|:-:|\n| <b onclick=x> |",
    "```html onload=x\n<script>\n```",
    '<a href="https://a.example" style="position:fixed">x</a>',
    "[x]: javascript:alert(1)\n\n[x]",
    "# main {#main}",
    "&lt;script&gt; &#60;script&#62;",
)


@pytest.mark.parametrize("text", _HOSTILE)
def test_nothing_runs_loads_or_dresses_up(text: str) -> None:
    html = render_text(text)

    tags = re.findall(r"<(\w+)([^>]*)>", html)
    allowed = {"p", "a", "h3", "pre", "code", "div", "table", "thead", "tbody", "tr", "th", "td"}
    assert {name for name, _ in tags} <= allowed
    for name, attributes in tags:
        assert not re.search(r"\b(style|id|class)=", attributes) or name == "div"
        assert not re.search(r"\bon\w+=\S", re.sub(r'"[^"]*"', "", attributes))
        if name == "a":
            assert 'href="https://' in attributes
            assert 'rel="nofollow ugc noopener"' in attributes


def test_text_is_rendered_below_the_headings_of_the_page() -> None:
    html = render_text(
        "# Rules\n\nBring **one** bot, see [here](https://a.example/x).\n\n- a\n- b"
    )

    assert html == (
        "<h3>Rules</h3>\n<p>Bring <strong>one</strong> bot, see "
        '<a href="https://a.example/x" rel="nofollow ugc noopener">here</a>.</p>\n'
        "<ul>\n<li>a</li>\n<li>b</li>\n</ul>"
    )


def test_image_is_its_description() -> None:
    assert render_text("![a <b>](https://a.example/x.png)") == "<p>a &lt;b&gt;</p>"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            "# Rules\n\nBring *one* `bot`,\nsee [here](https://a.example).",
            "Rules Bring one bot, see here.",
        ),
        ("", ""),
        ("x " * 300, f"{'x ' * 99}x…"),
    ],
)
def test_summary_is_one_plain_line(text: str, line: str) -> None:
    assert summary_of(text) == line


@pytest.mark.django_db
def test_page_shows_the_text_and_previews_say_it_plainly() -> None:
    host = make_user(organiser=True)
    cup = arranged_cup(host, description='Bring **"one"** bot.')

    page = as_person(host).get(reverse("tournament", args=[cup.pk])).content.decode()

    assert "<p>Bring <strong>&quot;one&quot;</strong> bot.</p>" in page
    assert page.count('Bring &quot;one&quot; bot.">') == 2
