"""Read pages as a strict reader would, and list what is wrong with them."""

from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from itertools import pairwise
from typing import Any

_VOID = {"br", "circle", "hr", "img", "input", "line", "link", "meta", "path", "rect", "use"}
_LABELLED = {"input", "select", "textarea"}
_REFERENCES = ("aria-labelledby", "aria-describedby", "for")

Attributes = dict[str, str]


class Page(HTMLParser):
    """One parsed page: its elements in order, and the mistakes of its markup."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, Attributes]] = []
        self.mistakes: list[str] = []
        self.text = ""
        self._open: list[str] = []
        self._labels = 0
        self._inside_label: set[int] = set()
        self._words: list[tuple[str, int]] = []
        self.feed(html)
        self.close()
        self.text = " ".join(self.text.split())  # as browsers show it
        self.mistakes += [f"<{tag}> is not closed" for tag in self._open]
        self.mistakes += self._check()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        if len(attributes) < len(attrs):
            counts = Counter(name for name, _ in attrs)
            repeated = (name for name, count in counts.items() if count > 1)
            self.mistakes += [f"<{tag}> has two {name}" for name in repeated]
        if "label" in self._open:
            self._inside_label.add(len(self.elements))
        self.elements.append((tag, attributes))
        if tag not in _VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        if tag in _VOID:
            return
        if not self._open or self._open[-1] != tag:
            self.mistakes.append(f"</{tag}> closes <{self._open[-1] if self._open else ''}>")
            return
        self._open.pop()

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] not in {"script", "title", "desc"}:
            self.text += data
        if data.strip() and self._open and self._open[-1] == "script":
            self.mistakes.append("a script stands in the page")

    def all(self, *tags: str) -> list[Attributes]:
        """Return the attributes of all elements with one of these tags."""
        return [attributes for tag, attributes in self.elements if tag in tags]

    def links(self) -> list[str]:
        """Return where the page leads, in order."""
        return [attributes["href"] for attributes in self.all("a") if "href" in attributes]

    def ids(self) -> list[str]:
        """Return all ids of the page."""
        return [attributes["id"] for _, attributes in self.elements if "id" in attributes]

    def field(self, name: str) -> Attributes:
        """Return the one field with this name."""
        (found,) = [a for a in self.all(*_LABELLED) if a.get("name") == name]
        return found

    def _check(self) -> Iterator[str]:
        yield from self._check_policy()
        yield from self._check_headings()
        yield from self._check_references()
        yield from self._check_fields()
        yield from self._check_names()

    def _check_policy(self) -> Iterator[str]:
        for tag, attributes in self.elements:
            if tag == "style" or "style" in attributes:
                yield f"<{tag}> carries a style"
            if any(name.startswith("on") for name in attributes):
                yield f"<{tag}> carries a script"

    def _check_headings(self) -> Iterator[str]:
        levels = [int(tag[1]) for tag, _ in self.elements if tag in {"h1", "h2", "h3", "h4"}]
        if levels.count(1) != 1:
            yield f"{levels.count(1)} h1"
        for above, below in pairwise(levels):
            if below > above + 1:
                yield f"h{below} follows h{above}"

    def _check_references(self) -> Iterator[str]:
        ids = Counter(self.ids())
        yield from (f"id {name} occurs {count} times" for name, count in ids.items() if count > 1)
        for tag, attributes in self.elements:
            for reference in _REFERENCES:
                for name in attributes.get(reference, "").split():
                    if name not in ids:
                        yield f"<{tag}> refers to {name}, which is not there"

    def _check_fields(self) -> Iterator[str]:
        labelled = {attributes.get("for") for attributes in self.all("label")}
        for index, (tag, attributes) in enumerate(self.elements):
            if tag not in _LABELLED or attributes.get("type") == "hidden":
                continue
            named = "aria-label" in attributes or attributes.get("id") in labelled
            if not named and index not in self._inside_label:
                yield f"<{tag} name={attributes.get('name')}> has no label"

    def _check_names(self) -> Iterator[str]:
        for attributes in self.all("nav"):
            if "aria-label" not in attributes:
                yield "a nav has no name"
        for attributes in self.all("section"):
            if not {"aria-label", "aria-labelledby"} & set(attributes):
                yield "a section has no name"
        for attributes in self.all("th"):
            if "scope" not in attributes:
                yield "a th has no scope"
        if not any("lang" in attributes for attributes in self.all("html")):
            yield "the page has no language"


def page_of(response: Any) -> Page:
    """Parse an answer, and insist that it is a valid page."""
    assert response.status_code in {200, 201, 400, 403, 404, 429}, response.status_code
    page = Page(response.content.decode())
    assert page.mistakes == [], (page.mistakes, response.wsgi_request.path)
    return page


def part_of(response: Any) -> Page:
    """Parse a part of a page, for which only some rules hold."""
    assert response.status_code == 200
    return Page(response.content.decode())
