"""Documents that come with the engines, rules and the protocol, as parts of pages."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final

from django.utils.safestring import SafeString
from django.utils.text import slugify
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

import pentathlon_engines
from pentathlon_engines import GAMES

_ENGINES: Final = Path(pentathlon_engines.__file__).parent
_OUTSIDE: Final = ("https://", "http://")
_DOCUMENTS: Final = 32
"""How many documents are kept as HTML, which is all of them: rendering takes a quarter of a
second."""


def rules_text(game: str) -> str | None:
    """Return the rules page of a game as Markdown, None if it has none."""
    try:
        return _read(f"rules/{game}.md")
    except FileNotFoundError:
        return None


@cache
def rules_summary(game: str) -> SafeString:
    """Return the first paragraph of a game's rules as HTML: what the game is about."""
    text = rules_text(game)
    return render_line(title_and_body(text)[1].strip().partition("\n\n")[0] if text else "")


def protocol_text() -> str:
    """Return the page of the bot protocol as Markdown."""
    return _read("PROTOCOL.md")


@cache
def strength_rows() -> list[dict[str, Any]]:  # Any: JSON
    """Return the scores of the reference bots against each other, pairing by pairing."""
    rows: list[dict[str, Any]] = json.loads(_read("bots/strength.json"))["rows"]
    return [{**row, "title": GAMES[row["game"]].info.title} for row in rows]


def power_rows() -> list[dict[str, Any]]:  # Any: JSON
    """Return the power of each game that calibrates its win chances."""
    games: dict[str, Any] = json.loads(_read("analysis/calibration.json"))["games"]
    return [{**row, "title": GAMES[game].info.title} for game, row in games.items()]


def title_and_body(text: str) -> tuple[str, str]:
    """Split a document into its title and the rest."""
    first, _, rest = text.partition("\n")
    return first.removeprefix("# ").strip(), rest


@lru_cache(maxsize=_DOCUMENTS)
def render_markdown(text: str) -> SafeString:
    """Return Markdown as HTML of our pages; tags in the text are shown, not followed."""
    html: str = _parser().render(text).strip()
    # The parser escapes all text, and refuses addresses that run scripts.
    return SafeString(html)


def render_line(text: str) -> SafeString:
    """Return a line of Markdown as HTML without a paragraph around it."""
    html: str = _parser().renderInline(text)
    return SafeString(html)


class PageRenderer(RendererHTML):
    """Adds anchors, scopes, and parts that the keyboard can scroll, as our pages need them."""

    def heading_open(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
    ) -> str:
        """Give a heading an anchor; level 1 is the title of the page."""
        return f'<{_level(tokens[idx])} id="{slugify(tokens[idx + 1].content)}">'

    def heading_close(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
    ) -> str:
        """Close a heading."""
        return f"</{_level(tokens[idx])}>\n"

    def fence(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """Return code that can be scrolled by keys."""
        return self.code_block(tokens, idx, options, env)

    def code_block(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
    ) -> str:
        """Return code that can be scrolled by keys."""
        code = self.text([tokens[idx]], 0, options, env)
        return f'<pre tabindex="0">{code.rstrip()}</pre>\n'

    def table_open(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
    ) -> str:
        """Return a table that can be scrolled by keys."""
        return '<div class="scroll" tabindex="0"><table>'

    def table_close(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
    ) -> str:
        """Close a table."""
        return "</table></div>\n"

    def th_open(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
    ) -> str:
        """Mark a heading cell as that of its column."""
        return '<th scope="col">'

    def td_open(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
    ) -> str:
        """Return a cell without alignment: our pages carry no styles."""
        return "<td>"

    def link_open(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
    ) -> str:
        """Return a link to another site; files beside a document have no address here."""
        return self.renderToken(tokens, idx, options, env) if leads_out(tokens[idx]) else ""

    def link_close(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
    ) -> str:
        """Close a link that was opened."""
        opened = max(n for n in range(idx) if tokens[n].type == "link_open")
        return "</a>" if leads_out(tokens[opened]) else ""


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}, renderer_cls=PageRenderer).enable("table")


def _level(heading: Token) -> str:
    return "h2" if heading.tag == "h1" else heading.tag


def leads_out(link: Token) -> bool:
    """Return whether a link leads to another site."""
    address: Any = link.attrs.get("href", "")  # Any: the parser allows numbers, too
    return str(address).startswith(_OUTSIDE)


def _read(name: str) -> str:
    # In a checkout, documents lie beside the package; in an installation, inside it.
    inside = _ENGINES / name
    path = inside if inside.exists() else _ENGINES.parent / name
    return path.read_text(encoding="utf-8")
