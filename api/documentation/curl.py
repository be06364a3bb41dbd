"""Calls of the API as shell commands, made from the examples of the OpenAPI document."""

import json
import shlex
from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import quote, urlencode

_Told = Mapping[str, Any]  # Any: JSON
_WHO: Final = {
    "token": '-H "Authorization: Bearer $TOKEN"',
    "worker": '-H "Authorization: Bearer $WORKER_TOKEN"',
    "password": "-u ada",
    "cookieAuth": '-b cookies.txt -H "X-CSRFToken: $CSRF_TOKEN"',
}
"""The arguments of curl for the first way of signing in that an operation takes."""
_BODY: Final = "body.json"
_LONGEST_BODY: Final = 300
_CUT: Final = "…"
_MOST_LINES: Final = 60


def curl_command(method: str, path: str, told: _Told) -> str:
    """Return the command that makes the example of an operation.

    The site and the token are shell variables, `SITE` and `TOKEN`.
    """
    parameters = [each for each in told.get("parameters", ()) if "example" in each]
    places = {each["name"]: each["example"] for each in parameters if each["in"] == "path"}
    query = {each["name"]: each["example"] for each in parameters if each["in"] == "query"}
    for name, value in places.items():
        path = path.replace(f"{{{name}}}", quote(str(value)))
    address = f"$SITE{path}" + (f"?{urlencode(query)}" if query else "")
    body = [*_body(told.get("requestBody", {}))]
    words = [f'curl "{address}"', *_signed(told.get("security", [{}])), *body]
    if method != ("POST" if body else "GET"):
        words[0] = f'curl -X {method} "{address}"'
    if "application/zip" in _content_of(told["responses"].get("200", {})):
        words.append("-O")
    text = " \\\n  ".join(words)
    long = _long_body(told.get("requestBody", {}))
    return f"{text}\n\n# {_BODY}\n{long}" if long else text


def example_of(content: _Told) -> str:
    """Return the example of an answer as text, cut if it is long; empty if there is none."""
    for kind, told in _content_of(content).items():
        if "example" in told:
            found = told["example"]
            text = found if isinstance(found, str) and "json" not in kind else _pretty(found)
            lines = text.splitlines()
            return "\n".join([*lines[:_MOST_LINES], *([_CUT] if lines[_MOST_LINES:] else [])])
    return ""


def _signed(ways: list[dict[str, Any]]) -> Iterator[str]:  # Any: JSON
    if not ways or {} in ways:
        return
    yield from (_WHO[name] for name in ways[0] if name in _WHO)


def _body(told: _Told) -> Iterator[str]:
    for kind, content in _content_of(told).items():
        if "example" not in content:
            continue
        body = content["example"]
        if "json" in kind:
            yield f"--json @{_BODY}" if _long_body(told) else f"--json {_quoted(body)}"
            continue
        for name, value in body.items():
            for each in value if isinstance(value, list) else [value]:
                yield f"-F {shlex.quote(f'{name}={each}')}"


def _long_body(told: _Told) -> str:
    """Return the example of a body that is too long for a command; empty if it is short."""
    for kind, content in _content_of(told).items():
        body = content.get("example")
        if "json" in kind and body is not None:
            text = _quoted(body)
            return _pretty(body) if _CUT in text or len(text) > _LONGEST_BODY else ""
    return ""


def _quoted(body: object) -> str:
    return shlex.quote(json.dumps(body, ensure_ascii=False))


def _pretty(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def _content_of(told: _Told) -> _Told:
    found: _Told = told.get("content", {})
    return found
