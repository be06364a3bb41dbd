"""Answers state how much is left of the rates that they counted against."""

import re

import pytest
from django.test import Client
from pytest_django import Settings
from rest_framework.test import APIClient

from api.documentation.reference import groups
from api.protocol.errors import HELP, HELP_BY_STATUS
from pentathlon.matches.uploads.services import submit_version
from pentathlon.webhooks import services
from tests.api.client import V1, assert_problem, client_of
from tests.factories import make_token, make_upload, make_user
from tests.pentathlon.web.pages import page_of
from tests.pentathlon.webhooks.receiving import make_endpoint

pytestmark = pytest.mark.django_db


def test_visitor_is_told_what_is_left(anonymous: APIClient, settings: Settings) -> None:
    settings.RATES = {**settings.RATES, "visitors": "3/min"}

    answers = [anonymous.get(f"{V1}/games/") for _ in range(4)]

    assert {answer.headers["RateLimit-Policy"] for answer in answers} == {'"visitors";q=3;w=60'}
    told = [
        re.fullmatch(r'"visitors";r=(\d);t=(\d+)', each.headers["RateLimit"]) for each in answers
    ]
    assert [each and each[1] for each in told] == ["2", "1", "0", "0"]
    assert all(each and 0 < int(each[2]) <= 60 for each in told)
    assert answers[3].headers["Retry-After"] == (told[3] and told[3][2])


def test_address_with_a_rate_of_its_own_tells_both(settings: Settings) -> None:
    settings.RATES = {**settings.RATES, "people": "1200/min", "searches": "9/hour"}

    answer = client_of(make_user()).get(f"{V1}/search/?q=ada")

    assert answer.headers["RateLimit-Policy"] == '"people";q=1200;w=60, "searches";q=9;w=3600'
    assert answer.headers["RateLimit"].endswith('"searches";r=8;t=3600')


@pytest.mark.parametrize(
    "address", ["/kit/", "/log/", "/games/tuned/", "/datasets/history/tuned.ndjson"]
)
def test_every_kind_of_answer_tells(address: str, anonymous: APIClient) -> None:
    assert "RateLimit" in anonymous.get(f"{V1}{address}").headers


def test_refusal_tells_too(anonymous: APIClient) -> None:
    assert "RateLimit" in anonymous.get(f"{V1}/bots/{10**17}/").headers


class TestQuotas:
    def test_all_are_listed_with_what_is_used(self) -> None:
        person = make_user()
        make_token(person)
        make_endpoint(owner=person)
        submit_version(actor=person, archive=make_upload())

        answer = client_of(person).get(f"{V1}/quotas/").json()["results"]

        found = {each["key"]: each for each in answer}
        assert {key for key, each in found.items() if each["used"]} == {
            *("validations", "archive_bytes", "tokens", "webhooks")
        }
        assert all(each["left"] == each["limit"] - each["used"] for each in answer)
        assert found["archive_bytes"]["unit"] == "bytes"
        assert found["webhooks"]["limit"] == services.MOST_ENDPOINTS

    def test_rates_of_one_kind_of_request_are_among_them(self, settings: Settings) -> None:
        settings.RATES = {**settings.RATES, "uploads": "60/hour"}
        person = make_user()
        client = client_of(person)
        client.post(f"{V1}/bots/", {}, format="multipart")
        client.get(f"{V1}/search/?q=ada")

        found = {each["key"]: each for each in client.get(f"{V1}/quotas/").json()["results"]}

        uploads = found["rate_uploads"]
        assert (uploads["used"], uploads["limit"]) == (1, 60)
        assert (uploads["about"], uploads["code"]) == ("Uploads of bots in an hour", "throttled")
        assert uploads["renews_at"] is not None
        assert found["rate_searches"]["used"] == 1
        assert (found["rate_exports"]["used"], found["rate_exports"]["renews_at"]) == (0, None)

    def test_those_of_others_are_not_counted(self) -> None:
        make_endpoint(owner=make_user())

        answer = client_of(make_user()).get(f"{V1}/quotas/").json()["results"]

        # The client itself uses a token.
        assert {each["key"]: each["used"] for each in answer if each["used"]} == {"tokens": 1}

    def test_account_page_shows_them(self) -> None:
        person = make_user()
        browser = Client()
        browser.force_login(person)

        rows = page_of(browser.get("/account/")).text

        assert re.search(r"Archives, builds and models of bots ?0 bytes ?1\.1 GB", rows)
        assert re.search(r"Matches of challenges today ?0 ?400", rows)


class TestHelp:
    @pytest.mark.parametrize("address", sorted({*HELP.values(), *HELP_BY_STATUS.values()}))
    def test_page_and_its_part_are_there(self, address: str) -> None:
        page, _, part = address.partition("#")

        shown = page_of(Client().get(page))

        assert not part or part in shown.ids()

    def test_refusal_leads_to_the_reference_of_what_was_asked(self) -> None:
        answer = client_of(make_user()).post(f"{V1}/challenges/", {})

        assert answer.status_code == 400
        assert answer.json()["help"] == "http://testserver/api/docs/challenges/"

    def test_every_group_of_addresses_has_a_reference(self) -> None:
        segments = {
            each.path.split("/")[3] for group in groups().values() for each in group.operations
        }

        assert segments == set(groups())

    def test_unknown_address_leads_to_the_contents(self, anonymous: APIClient) -> None:
        answer = anonymous.get(f"{V1}/robots/")

        assert_problem(answer, status=404, code="not_found")
        assert answer.json()["help"] == "http://testserver/api/docs/"
