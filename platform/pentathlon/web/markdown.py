"""The part of Markdown that our own documents use, as HTML; everything else stays text."""

import re
from collections.abc import Iterator

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import slugify

_HEADING = re.compile(r"(#{1,4}) (.+)")
_ITEM = re.compile(r"( *)(?:[-*]|\d+[.)]) (.+)")
_RULE = re.compile(r"\|?[ :|-]+\|[ :|-]*")
_CODE = re.compile(r"`[^`]+`")
_GAP = "\N{OBJECT REPLACEMENT CHARACTER}"
_INLINE = (
    (re.compile(r"\*\*(.+?)\*\*"), r"<strong>\1</strong>"),
    (re.compile(r"(?<![\w*])\*([^*\s][^*]*)\*(?![\w*])"), r"<em>\1</em>"),
    (re.compile(r"\[([^\]]+)\]\((https?://[^)\s]+)\)"), r'<a href="\2">\1</a>'),
    # Files that lie beside a document have no address here: their names are enough.
    (re.compile(r"\[([^\]]+)\]\([^()\s]+\)"), r"\1"),
)
_CELL = re.compile(r"(?<!\\)\|")


def render_markdown(text: str) -> SafeString:
    """Return headings (from level 2), paragraphs, lists, tables and code as HTML."""
    # Everything that is not a tag of ours was escaped on the way.
    return mark_safe("\n".join(_blocks(text.splitlines())))  # noqa: S308


def title_and_body(text: str) -> tuple[str, str]:
    """Split a document into its title and the rest."""
    first, _, rest = text.partition("\n")
    return first.removeprefix("# ").strip(), rest


def _blocks(lines: list[str]) -> Iterator[str]:
    index = 0
    while index < len(lines):
        line = lines[index]
        if not line.strip():
            index += 1
            continue
        size, html = _block(lines[index:])
        index += size
        yield html


def _block(lines: list[str]) -> tuple[int, str]:
    """Return how many lines the block at the beginning has, and its HTML."""
    first = lines[0]
    if first.startswith("```"):
        return _fence(lines)
    if match := _HEADING.fullmatch(first):
        return 1, _heading(len(match[1]), match[2])
    if first.startswith("|") and len(lines) > 1 and _RULE.fullmatch(lines[1]):
        return _table(lines)
    if _ITEM.match(first):
        return _list(lines)
    return _paragraph(lines)


def _fence(lines: list[str]) -> tuple[int, str]:
    inside: list[str] = []
    for line in lines[1:]:
        if line.startswith("```"):
            break
        inside.append(line)
    return len(inside) + 2, f'<pre tabindex="0">{escape(chr(10).join(inside))}</pre>'


def _heading(marks: int, text: str) -> str:
    level = max(2, marks)
    return f'<h{level} id="{slugify(text)}">{_inline(text)}</h{level}>'


def _table(lines: list[str]) -> tuple[int, str]:
    size = next((n for n, line in enumerate(lines) if not line.startswith("|")), len(lines))
    head = "".join(f'<th scope="col">{cell}</th>' for cell in _cells(lines[0]))
    rows = "".join(
        f"<tr>{''.join(f'<td>{cell}</td>' for cell in _cells(line))}</tr>"
        for line in lines[2:size]
    )
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    return size, f'<div class="scroll" tabindex="0">{table}</div>'


def _cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|").removesuffix("|")
    return [_inline(cell.strip().replace("\\|", "|")) for cell in _CELL.split(inner)]


def _list(lines: list[str]) -> tuple[int, str]:
    """Return a list; nested items are shown one level deep by their own indentation."""
    tag = "ol" if lines[0].lstrip()[0].isdigit() else "ul"
    items: list[str] = []
    size = 0
    for line in lines:
        match = _ITEM.match(line)
        if match:
            items.append(match[2])
        elif line.startswith("  ") and line.strip():
            items[-1] += " " + line.strip()
        else:
            break
        size += 1
    return size, f"<{tag}>{''.join(f'<li>{_inline(item)}</li>' for item in items)}</{tag}>"


def _paragraph(lines: list[str]) -> tuple[int, str]:
    size = 1
    while size < len(lines) and lines[size].strip() and not _starts_block(lines[size]):
        size += 1
    return size, f"<p>{_inline(' '.join(line.strip() for line in lines[:size]))}</p>"


def _starts_block(line: str) -> bool:
    return line.startswith(("```", "|")) or bool(_HEADING.fullmatch(line) or _ITEM.match(line))


def _inline(text: str) -> str:
    """Return a line with its marks as HTML; what stands in backquotes is taken as it is."""
    codes = _CODE.findall(text)
    marked: str = escape(_CODE.sub(_GAP, text))
    for pattern, replacement in _INLINE:
        marked = pattern.sub(replacement, marked)
    for code in codes:
        marked = marked.replace(_GAP, f"<code>{escape(code[1:-1])}</code>", 1)
    return marked
