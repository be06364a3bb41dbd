import re
from collections.abc import Iterator
from html import escape
from typing import Any

import pytest
import yaml
from drf_spectacular.drainage import GENERATOR_STATS
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiYamlRenderer
from drf_spectacular.validation import validate_schema
from rest_framework.test import APIClient

from api.documentation import reference
from api.documentation.reference import groups
from api.documentation.schema import is_never_blank
from api.protocol.requests import RequestSerializer
from pentathlon.env import CHECKOUT

COMMITTED = CHECKOUT / "api" / "schema.yaml"
Schema = dict[str, Any]


def _read(text: str | bytes) -> Schema:
    read: Schema = yaml.load(text, Loader=yaml.CSafeLoader)
    return read


@pytest.fixture(scope="module")
def committed() -> Schema:
    return _read(COMMITTED.read_bytes())


@pytest.fixture(scope="module")
def generated() -> tuple[Schema, bool]:
    """Make the schema of the code, and tell whether that gave a warning."""
    GENERATOR_STATS.reset()
    with GENERATOR_STATS.silence():
        schema = SchemaGenerator().get_schema(public=True)  # type: ignore[no-untyped-call]
    return schema, bool(GENERATOR_STATS)


def test_committed_schema_is_what_the_code_says(
    committed: Schema, generated: tuple[Schema, bool]
) -> None:
    made = OpenApiYamlRenderer().render(generated[0])  # type: ignore[no-untyped-call]

    assert _read(made) == committed, (
        "Write it anew: python3 manage.py spectacular --file api/schema.yaml"
    )


def test_what_is_no_json_is_described_as_text_or_bytes(committed: Schema) -> None:
    """Clients made from the document would try to build an object from anything else."""
    kinds: set[str] = set()
    for item in committed["paths"].values():
        for operation in item.values():
            for answer in operation["responses"].values():
                for kind, content in answer.get("content", {}).items():
                    if kind not in ("application/json", "application/problem+json"):
                        kinds.add(kind)
                        assert content["schema"]["type"] == "string", (operation, kind)

    assert {"text/event-stream", "application/x-ndjson", "application/zip"} <= kinds


def test_committed_schema_is_served_and_kept(anonymous: APIClient) -> None:
    answer = anonymous.get("/api/schema/?version=%0d%0aX")
    again = anonymous.get("/api/schema/", headers={"If-None-Match": answer["ETag"]})

    assert answer.content == COMMITTED.read_bytes()
    assert (again.status_code, again.content) == (304, b"")


def _request_serializers(of: type[RequestSerializer]) -> Iterator[type[RequestSerializer]]:
    for each in of.__subclasses__():
        yield each
        yield from _request_serializers(each)


def test_texts_of_requests_that_may_not_be_blank_say_so(committed: Schema) -> None:
    shapes, silent = committed["components"]["schemas"], []
    for each in _request_serializers(RequestSerializer):
        told = shapes.get(each.__name__.removesuffix("Serializer"), {}).get("properties", {})
        for name, field in each().fields.items():
            if is_never_blank(field) and not told.get(name, {"minLength": 1}).get("minLength"):
                silent.append(f"{each.__name__}.{name}")

    assert silent == []
    assert shapes["FriendlyAction"]["properties"]["action"]["minLength"] == 1


def test_schema_is_generated_without_warnings(generated: tuple[Schema, bool]) -> None:
    schema, has_warnings = generated

    assert not has_warnings
    assert schema["openapi"].startswith("3.1")


@pytest.mark.deep
def test_schema_is_valid(committed: Schema) -> None:
    """It takes seconds; `test_fuzz.py` reads the same document with a package in every run."""
    validate_schema(committed)  # type: ignore[no-untyped-call]


def test_every_refusal_is_described_as_a_problem(committed: Schema) -> None:
    for path, methods in committed["paths"].items():
        for method, operation in methods.items():
            refusals = [code for code in operation["responses"] if code >= "400"]
            assert {"400", "401", "403", "404", "413", "429"} <= set(refusals), (path, method)
            for code in refusals:
                assert list(operation["responses"][code]["content"]) == [
                    "application/problem+json"
                ]


@pytest.mark.parametrize(
    "name", ["dry-run", "progress", "standings", "crosstable", "seats", "proof"]
)
def test_reading_that_may_be_refused_for_now_says_so(committed: Schema, name: str) -> None:
    responses = committed["paths"][f"/api/v1/tournaments/{{id}}/{name}/"]["get"]["responses"]

    assert "409" in responses


@pytest.mark.django_db
def test_every_operation_is_on_a_page_with_all_shapes_that_it_uses(
    anonymous: APIClient, committed: Schema
) -> None:
    told = {key: anonymous.get(f"/api/docs/{key}/").content.decode() for key in groups()}

    for path, methods in committed["paths"].items():
        for operation in methods.values():
            page = told[operation["tags"][0]]
            assert f'<h2 id="{operation["operationId"]}">' in page
            assert escape(path) in page
    for page in told.values():
        ids = set(re.findall(r' id="([^"]+)"', page))
        assert {link for link in re.findall(r' href="#([^"]+)"', page) if link != ""} <= ids


@pytest.mark.django_db
def test_contents_of_the_docs_link_every_group(anonymous: APIClient) -> None:
    page = anonymous.get("/api/docs/").content.decode()

    assert all(f'href="/api/docs/{key}/"' in page for key in groups())
    assert anonymous.get("/api/docs/nothing/").status_code == 404


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "array", "items": {"type": "string", "format": "uuid"}}, "list of string, uuid"),
        ({"enum": ["a", "b"]}, "“a” | “b”"),
        ({"allOf": [{"$ref": "#/components/schemas/Seat"}], "nullable": True}, "Seat or null"),
        ({"oneOf": [{"type": "integer"}, {"type": "string"}]}, "integer or string"),
        ({}, "any JSON"),
    ],
    ids=str,
)
def test_types_are_told_in_words(schema: Schema, words: str) -> None:
    assert "".join(piece.text for piece in reference._type(schema)) == words


@pytest.mark.django_db
def test_page_for_trying_works_under_its_own_strict_policy(anonymous: APIClient) -> None:
    page = anonymous.get("/api/docs/try/")
    script = anonymous.get("/api/docs/try/?script")

    policy = page.headers["Content-Security-Policy"]
    html = page.content.decode()
    assert page.status_code == 200
    assert "script-src" not in policy
    assert "default-src 'self'" in policy
    assert "https://" not in html
    assert html.count("<script") == html.count("<script src=")
    assert script.headers["Content-Type"].startswith("application/javascript")
    assert "/api/schema/" in script.content.decode()
