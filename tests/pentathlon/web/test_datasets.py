"""The pages of datasets: lists, one dataset with its links, the card, the schema, the guide."""

from typing import Any

import pytest
from django.test import Client

from pentathlon.insight.datasets.models import Dataset
from pentathlon_engines import GAMES
from pentathlon_engines.dataset.rows import schema
from tests.pentathlon.insight.datasets.making import closed_cup, make_all
from tests.pentathlon.web.pages import Page

pytestmark = pytest.mark.django_db


@pytest.fixture
def dataset() -> Dataset:
    closed_cup(bots=2)
    make_all()
    return Dataset.objects.get()


def page(address: str) -> str:
    answer = Client().get(address)
    assert answer.status_code == 200
    text: str = answer.content.decode()
    return text


def test_datasets_are_listed_with_their_sizes(dataset: Dataset) -> None:
    text = page("/datasets/")

    assert f'href="/datasets/{dataset.pk}/"' in text
    assert f'<td class="n">{dataset.decisions}</td>' in text
    assert f'href="/datasets/{dataset.pk}/"' in page("/datasets/?game=tuned")
    assert "No dataset yet" in page("/datasets/?game=azure")


def test_a_dataset_links_all_of_its_parts(dataset: Dataset) -> None:
    links = set(Page(page(f"/datasets/{dataset.pk}/")).links())

    downloads = {link for link in links if link.startswith("/api/v1/datasets/")}
    assert downloads == {
        f"/api/v1/datasets/{dataset.pk}/{rest}"
        for rest in (
            *("SHA256SUMS", "decisions/1.ndjson", "matches/1.ndjson"),
            *("decisions/1.parquet", "matches/1.parquet"),
        )
    }
    assert all(Client().get(link).status_code == 200 for link in downloads)
    assert dataset.sha256 in page(f"/datasets/{dataset.pk}/")


def test_a_dataset_without_parquet_links_lines_only(dataset: Dataset) -> None:
    Dataset.objects.update(parquet_bytes=None)

    assert ".parquet" not in page(f"/datasets/{dataset.pk}/")


def test_the_card_tells_of_splits_and_hidden_information() -> None:
    text = page("/datasets/card/")

    assert "Known biases" in text
    assert "What a seat knew" in text


def test_the_schema_is_that_of_the_engines() -> None:
    assert Client().get("/datasets/schema.json").json() == schema()


def test_the_guide_knows_the_spaces_of_all_games() -> None:
    text = page("/docs/learning/")

    for game in GAMES.values():
        assert f"{game.info.title}, " in text
        assert f'<td class="n">{game.info.actions:,}</td>' in text


def test_unknown_datasets_are_not_found() -> None:
    assert Client().get("/datasets/99/").status_code == 404


def test_queries_do_not_grow_with_datasets(
    dataset: Dataset, django_assert_num_queries: Any
) -> None:
    closed_cup(bots=2)
    make_all()
    client = Client()
    client.get("/datasets/")

    with django_assert_num_queries(1):
        client.get("/datasets/")
    with django_assert_num_queries(1):
        client.get(f"/datasets/{dataset.pk}/")
