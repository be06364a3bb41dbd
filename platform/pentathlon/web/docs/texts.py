"""Texts that people write in Markdown, as parts of pages.

No tag of theirs is followed and no address of theirs is loaded: the parser escapes HTML, an image
is shown as its description, and a link tells search engines that it is not ours. Headings stand
below those of the page and have no anchors, which could stand for parts of the page.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import Final

from django.utils.safestring import SafeString
from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from pentathlon.core.documents import PageRenderer, leads_out

_KEPT: Final = 256
"""How many texts are kept as HTML."""
_LONGEST_SUMMARY: Final = 200
_HIGHEST: Final = 3
_BREAKS: Final = ("softbreak", "hardbreak")


@lru_cache(maxsize=_KEPT)
def render_text(text: str) -> SafeString:
    """Return a text of somebody as HTML."""
    html: str = _parser().render(text).strip()
    return SafeString(html)


def summary_of(text: str) -> str:
    """Return the beginning of a text in one line, without its marks."""
    line = " ".join("".join(_words(_parser().parse(text))).split())
    return line if len(line) <= _LONGEST_SUMMARY else f"{line[: _LONGEST_SUMMARY - 1].rstrip()}…"


class _TextRenderer(PageRenderer):
    """Renders as on our pages, but trusts nothing."""

    def heading_open(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
    ) -> str:
        """Open a heading below those of the page."""
        return f"<{_level(tokens[idx])}>"

    def heading_close(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
    ) -> str:
        """Close a heading."""
        return f"</{_level(tokens[idx])}>\n"

    def image(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """Return the description of an image instead of the image."""
        return escapeHtml(tokens[idx].content)

    def link_open(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
    ) -> str:
        """Return a link to another site that we do not vouch for."""
        if leads_out(tokens[idx]):
            tokens[idx].attrSet("rel", "nofollow ugc noopener")
        return super().link_open(tokens, idx, options, env)


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}, renderer_cls=_TextRenderer).enable("table")


def _level(heading: Token) -> str:
    return f"h{max(_HIGHEST, int(heading.tag.removeprefix('h')))}"


def _words(tokens: Sequence[Token]) -> Iterator[str]:
    for token in tokens:
        if token.children is None:
            yield " "
        for child in token.children or ():
            yield " " if child.type in _BREAKS else child.content
