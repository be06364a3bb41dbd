"""One's own account by API: password, address and deletion ask for what the pages ask for."""

import json
from typing import Any

import pytest
from django.urls import reverse
from pytest_django import Settings
from rest_framework.test import APIClient

from pentathlon.accounts.models import AccountDeletion, ApiToken, BrowserSession, User
from tests.api.client import V1, assert_problem, client_of
from tests.api.test_sessions import with_csrf
from tests.api.test_tokens import in_browser, with_password
from tests.factories import PASSWORD, make_user
from tests.pentathlon.accounts.authenticator import Authenticator
from tests.pentathlon.accounts.authenticator_app import code_of, forget_used_codes, set_up
from tests.pentathlon.accounts.mailing import delivered
from tests.pentathlon.web.pages import page_of
from tests.pentathlon.web.test_forms import as_person
from tests.pentathlon.web.test_second_factors import add_passkey, confirmed

pytestmark = pytest.mark.django_db
NEW = "another horse, another battery"


def _change(client: APIClient, **changes: Any) -> Any:
    body = {"password": PASSWORD, "new_password": NEW, **changes}
    return client.post(f"{V1}/me/password/", body, format="json")


class TestPassword:
    def test_changes_and_ends_all_other_sessions(self) -> None:
        person = make_user()
        client_of(person)
        here, elsewhere = with_csrf(in_browser(person.username)), in_browser(person.username)

        answer = _change(here)

        assert answer.status_code == 204
        assert here.get("/account/").status_code == 200
        assert elsewhere.get("/account/").status_code == 302
        assert BrowserSession.objects.filter(person=person).count() == 1
        assert ApiToken.objects.filter(user=person).exists()
        assert User.objects.get(pk=person.pk).check_password(NEW)
        assert delivered() == [(person.email, "Pentathlon: your password was changed")]

    def test_with_name_and_password_ends_every_session_and_tokens_if_asked(self) -> None:
        person = make_user()
        client_of(person)
        browser = in_browser(person.username)

        answer = _change(with_password(person.username), revokes_tokens=True)

        assert answer.status_code == 204
        assert browser.get("/account/").status_code == 302
        assert not ApiToken.objects.filter(user=person).exists()

    @pytest.mark.parametrize(
        ("changes", "code", "field"),
        [
            ({"password": "no"}, "wrong_password", "password"),
            ({"new_password": "short"}, "weak_password", "new_password"),
            ({"new_password": PASSWORD}, "same_password", "new_password"),
        ],
    )
    def test_refusals_name_the_field(self, changes: dict[str, str], code: str, field: str) -> None:
        person = make_user()

        refused = _change(with_csrf(in_browser(person.username)), **changes)

        assert_problem(refused, status=400, code=code, attr=field)
        assert User.objects.get(pk=person.pk).check_password(PASSWORD)

    def test_token_changes_no_password(self) -> None:
        assert _change(client_of(make_user())).status_code == 401

    def test_tries_are_counted_like_sign_ins(self, settings: Settings) -> None:
        settings.RATES = {**settings.RATES, "sign_ins_of_browser": "3/min"}
        client = with_csrf(in_browser(make_user().username))

        answers = [_change(client, password="no").status_code for _ in range(5)]

        assert answers[0] == 400
        assert answers[-1] == 429


class TestVerification:
    def test_letter_is_sent_again_and_counted(self, settings: Settings) -> None:
        settings.RATES = {**settings.RATES, "letters": "1/hour"}
        person = make_user()
        User.objects.filter(pk=person.pk).update(verified_email="")
        client = with_csrf(in_browser(person.username))

        sent, again = (client.post(f"{V1}/me/verify-email/") for _ in range(2))

        assert (sent.status_code, sent.json()) == (202, {"email": person.email})
        assert again.status_code == 429
        assert delivered() == [(person.email, "Pentathlon: confirm your address")]

    def test_verified_address_is_refused(self) -> None:
        refused = with_csrf(in_browser(make_user().username)).post(f"{V1}/me/verify-email/")

        assert_problem(refused, status=409, code="email_verified")


class TestDeletion:
    """Of an account with a second factor."""

    def _with_app(self) -> tuple[User, str, list[str], APIClient]:
        person = make_user()
        salt, codes = set_up(person)
        forget_used_codes(person)
        client = APIClient()
        client.force_login(person)
        return person, salt, codes, with_csrf(client)

    def _with_passkey(self) -> tuple[User, Authenticator, APIClient]:
        person, device = make_user(), Authenticator()
        assert add_passkey(confirmed(person), device).status_code == 201
        client = APIClient()
        client.force_login(person)
        return person, device, with_csrf(client)

    def _answer(self, client: APIClient, device: Authenticator) -> dict[str, Any]:
        options = client.post(f"{V1}/me/passkey/")
        assert options.status_code == 200
        answer: dict[str, Any] = json.loads(device.show(options.json()))
        return answer

    def _delete(self, client: APIClient, person: User, **more: Any) -> Any:
        body = {"username": person.username, "password": PASSWORD, **more}
        return client.post(f"{V1}/me/delete/", body, format="json")

    def test_asks_for_a_code_by_api(self) -> None:
        person, salt, _, client = self._with_app()

        without = self._delete(client, person)
        wrong = self._delete(client, person, code="000000")
        done = self._delete(client, person, code=code_of(salt))

        assert_problem(without, status=400, code="second_factor_required", attr="code")
        assert_problem(wrong, status=400, code="wrong_code", attr="code")
        assert done.status_code == 200
        assert AccountDeletion.objects.get().person_id == person.pk

    def test_takes_a_recovery_code(self) -> None:
        person, _, codes, client = self._with_app()

        assert self._delete(client, person, code=codes[0]).status_code == 200

    def test_takes_a_passkey_by_api(self) -> None:
        person, device, client = self._with_passkey()

        without = self._delete(client, person)
        done = self._delete(client, person, passkey=self._answer(client, device))

        assert_problem(without, status=400, code="second_factor_required", attr="code")
        assert done.status_code == 200
        assert AccountDeletion.objects.get().person_id == person.pk

    def test_takes_no_passkey_of_somebody_else(self) -> None:
        person, _, client = self._with_passkey()
        _, strange, _ = self._with_passkey()

        refused = self._delete(client, person, passkey=self._answer(client, strange))

        assert_problem(refused, status=400, code="unknown_passkey")
        assert not AccountDeletion.objects.exists()

    def test_answer_of_a_passkey_is_good_once_and_in_its_session(self) -> None:
        person, device, client = self._with_passkey()
        answer = self._answer(client, device)
        elsewhere = APIClient()
        elsewhere.force_login(person)

        stolen = self._delete(with_csrf(elsewhere), person, passkey=answer)
        mistyped = self._delete(client, person, passkey=answer, password="no")
        again = self._delete(client, person, passkey=answer)

        assert_problem(stolen, status=400, code="no_challenge")
        assert_problem(mistyped, status=400, code="wrong_password", attr="password")
        assert_problem(again, status=400, code="no_challenge")
        assert not AccountDeletion.objects.exists()

    @pytest.mark.parametrize(
        ("answer", "code", "field"),
        [
            ({}, "bad_passkey", None),
            ({"rawId": 1, "response": []}, "bad_passkey", None),
            ("yes", "not_an_object", "passkey"),
            ({"rawId": "A" * 40_000}, "max_length", "passkey"),
        ],
        ids=["empty", "nonsense", "text", "long"],
    )
    def test_nonsense_for_a_passkey_is_refused(
        self, answer: Any, code: str, field: str | None
    ) -> None:
        person, device, client = self._with_passkey()
        self._answer(client, device)

        refused = self._delete(client, person, passkey=answer)

        assert_problem(refused, status=400, code=code, attr=field)
        assert not AccountDeletion.objects.exists()

    def test_account_without_a_passkey_of_this_site_is_asked_for_none(self) -> None:
        person, _, _, client = self._with_app()

        refused = client.post(f"{V1}/me/passkey/")

        assert_problem(refused, status=409, code="no_passkey")
        assert not person.passkeys.exists()

    def test_code_is_not_used_up_by_a_refusal(self) -> None:
        person, _, codes, client = self._with_app()
        User.objects.filter(pk=person.pk).update(is_superuser=True)

        refused = self._delete(client, person, code=codes[0])

        assert_problem(refused, status=409, code="last_superuser")
        assert person.recovery_codes.count() == len(codes)

    def test_codes_are_counted(self, settings: Settings) -> None:
        settings.RATES = {**settings.RATES, "second_factors": "2/min"}
        person, salt, _, client = self._with_app()

        answers = [self._delete(client, person, code="000000").status_code for _ in range(3)]

        assert answers == [400, 400, 429]
        assert self._delete(client, person, code=code_of(salt)).status_code == 429

    def test_page_asks_for_a_code(self) -> None:
        person, salt, _, _ = self._with_app()
        browser = as_person(person)
        address = reverse("account_delete")
        form = {"username": person.username, "password": PASSWORD}

        refused = page_of(browser.post(address, form)).text
        done = browser.post(address, {**form, "code": code_of(salt)})

        assert "This account has a second factor." in refused
        assert done["Location"] == reverse("home")
        assert AccountDeletion.objects.filter(person=person).exists()

    def test_page_takes_a_passkey(self) -> None:
        person, device = make_user(), Authenticator()
        browser = confirmed(person)
        assert add_passkey(browser, device).status_code == 201
        address = reverse("account_delete")
        form = {"username": person.username, "password": PASSWORD}
        stranger = Authenticator()
        add_passkey(confirmed(make_user()), stranger)

        options = browser.post(reverse("account_delete_options")).json()
        wrong = browser.post(address, {**form, "answer": stranger.show(options)})
        options = browser.post(reverse("account_delete_options")).json()
        done = browser.post(address, {**form, "answer": device.show(options)})

        assert wrong.status_code == 200
        assert done["Location"] == reverse("home")
        assert AccountDeletion.objects.filter(person=person).exists()

    def test_page_of_an_account_without_one_asks_for_no_code(self) -> None:
        page = as_person(make_user()).get(reverse("account_delete")).content.decode()

        assert 'name="code"' not in page
