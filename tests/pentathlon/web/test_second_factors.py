"""Who has a second factor signs in with it: each flow from the first page to the last."""

import json
import re
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from pentathlon.accounts.audit.models import AuditEvent
from pentathlon.accounts.models import BrowserSession, Passkey, RecoveryCode, TotpKey, User
from pentathlon.web.views import second_factors, sign_in
from tests.factories import PASSWORD, make_staff, make_user
from tests.pentathlon.accounts.authenticator import Authenticator
from tests.pentathlon.accounts.authenticator_app import code_of, forget_used_codes, set_up
from tests.pentathlon.web.pages import page_of
from tests.pentathlon.web.test_forms import as_person

pytestmark = pytest.mark.django_db
_SECRET = re.compile(r"(?:[A-Z2-7]{4} ){7}[A-Z2-7]{4}")


def confirmed(user: User) -> Client:
    """Return somebody who has signed in and typed the password again."""
    client = as_person(user)
    form = {"password": PASSWORD, "next": reverse("second_factors")}
    assert client.post(reverse("confirm"), form)["Location"] == reverse("second_factors")
    return client


def after_password(user: User, *, next_page: str = "") -> Client:
    """Return somebody whose password was right, and who is asked for more."""
    client = Client()
    form = {"username": user.username, "password": PASSWORD, "next": next_page}
    assert client.post(reverse("sign_in"), form)["Location"] == reverse("second_factor")
    return client


def is_signed_in(client: Client) -> bool:
    return client.get(reverse("account")).status_code == 200


def with_app() -> tuple[User, str, list[str]]:
    user = make_user()
    salt, codes = set_up(user)
    forget_used_codes(user)
    return user, salt, codes


def add_passkey(client: Client, device: Authenticator, *, name: str = "phone") -> Any:
    options = client.post(reverse("passkey_add_options")).json()
    form = {"name": name, "answer": device.make(options)}
    return client.post(reverse("passkey_add"), form)


def with_passkey() -> tuple[User, Authenticator]:
    user, device = make_user(), Authenticator()
    add_passkey(confirmed(user), device)
    return user, device


def test_app_is_set_up_from_the_page_and_asked_for_then() -> None:
    user = make_user()
    client = confirmed(user)
    page = page_of(client.get(reverse("totp")))
    assert len(_SECRET.findall(page.text)) == 1
    assert len([path for path in page.all("path") if path.get("fill") == "#000000"]) == 1
    salt = client.session["totp_salt"]

    done = page_of(client.post(reverse("totp"), {"code": code_of(salt)}))

    codes = re.findall(r"\b[B-Z2-9]{5}-[B-Z2-9]{5}", done.text)
    assert len(codes) == 10
    assert "never shown again" in done.text
    forget_used_codes(user)
    again = after_password(user, next_page="/bots/")
    response = again.post(reverse("second_factor"), {"code": code_of(salt)})
    assert response["Location"] == "/bots/"
    assert is_signed_in(again)
    assert codes[0] not in client.get(reverse("second_factors")).content.decode()


def test_wrong_first_code_sets_nothing_up_and_keeps_the_key() -> None:
    user = make_user()
    client = confirmed(user)
    before = _SECRET.findall(page_of(client.get(reverse("totp"))).text)

    page = page_of(client.post(reverse("totp"), {"code": "000000"}))

    assert "This code is wrong" in page.text
    assert before == _SECRET.findall(page.text)
    assert not TotpKey.objects.exists()


def test_password_alone_does_not_sign_in() -> None:
    user, _, _ = with_app()
    client = after_password(user)

    assert not is_signed_in(client)
    assert list(BrowserSession.objects.values_list("person", flat=True)) == [None]
    assert user.username in page_of(client.get(reverse("second_factor"))).text


def test_wrong_and_used_codes_are_refused_and_a_recovery_code_works_once() -> None:
    user, salt, codes = with_app()
    client = after_password(user)
    page = page_of(client.post(reverse("second_factor"), {"code": "000000"}))
    assert "This code is wrong, too old, or used before." in page.text
    assert client.post(reverse("second_factor"), {"code": codes[0]}).status_code == 302
    assert is_signed_in(client)

    other = after_password(user)
    for code in (codes[0], ""):
        assert other.post(reverse("second_factor"), {"code": code}).status_code == 200
    assert not is_signed_in(other)
    code = code_of(salt)
    assert other.post(reverse("second_factor"), {"code": code}).status_code == 302
    third = after_password(user)
    assert third.post(reverse("second_factor"), {"code": code}).status_code == 200


def test_session_has_a_new_key_after_the_second_factor() -> None:
    user, salt, _ = with_app()
    client = after_password(user)
    before = client.session.session_key

    client.post(reverse("second_factor"), {"code": code_of(salt)})

    assert client.session.session_key != before
    row = BrowserSession.objects.get()
    assert row.person == user
    assert (row.expire_date - timezone.now()).days >= 13


def test_second_step_without_the_first_leads_to_the_first() -> None:
    response = Client().get(reverse("second_factor"))

    assert response["Location"] == reverse("sign_in")
    assert Client().post(reverse("second_factor_options")).status_code == 403


def test_right_password_waits_ten_minutes(monkeypatch: pytest.MonkeyPatch) -> None:
    user, salt, _ = with_app()
    monkeypatch.setattr(sign_in, "_WAITING_S", -1)
    client = Client()
    client.post(reverse("sign_in"), {"username": user.username, "password": PASSWORD})
    monkeypatch.undo()

    response = client.post(reverse("second_factor"), {"code": code_of(salt)})

    assert response["Location"] == reverse("sign_in")
    assert not is_signed_in(client)


def test_password_that_was_changed_meanwhile_is_no_first_factor() -> None:
    user, salt, _ = with_app()
    client = after_password(user)
    user.set_password("another horse, another battery")
    user.save()

    response = client.post(reverse("second_factor"), {"code": code_of(salt)})

    assert response["Location"] == reverse("sign_in")


def test_codes_are_tried_a_few_times_from_wherever(settings: Settings) -> None:
    settings.RATES = {**settings.RATES, "second_factors": "2/hour"}
    user, salt, _ = with_app()
    codes = []

    for number, code in enumerate(["000000", "000000", code_of(salt)]):
        client = after_password(user)
        client.defaults["REMOTE_ADDR"] = f"10.3.0.{number}"
        codes.append(client.post(reverse("second_factor"), {"code": code}).status_code)

    assert codes == [200, 200, 429]
    other, salt, _ = with_app()
    response = after_password(other).post(reverse("second_factor"), {"code": code_of(salt)})
    assert response.status_code == 302


def test_changing_a_factor_asks_for_the_password_first() -> None:
    user, _, _ = with_app()
    client = as_person(user)
    page = page_of(client.get(reverse("second_factors")))
    assert "Change something…" in page.text
    assert "Remove the app" not in page.text

    for name in ("totp_remove", "recovery_codes", "passkey_add", "passkey_add_options"):
        response = client.post(reverse(name))
        assert response["Location"].startswith(reverse("confirm")), name
    assert client.get(reverse("totp"))["Location"].startswith(reverse("confirm"))
    assert TotpKey.objects.exists()
    wrong = client.post(reverse("confirm"), {"password": "no"})
    assert "This is not your password." in page_of(wrong).text
    assert "Change something…" in page_of(client.get(reverse("second_factors"))).text


def test_password_that_was_typed_again_counts_for_ten_minutes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    user, _, _ = with_app()
    client = confirmed(user)
    assert "Remove the app" in page_of(client.get(reverse("second_factors"))).text
    monkeypatch.setattr(second_factors, "CONFIRMED_S", 0)

    client.post(reverse("totp_remove"))

    assert TotpKey.objects.exists()


def test_nobody_is_led_elsewhere_after_the_password() -> None:
    form = {"password": PASSWORD, "next": "https://example.org/"}

    assert as_person(make_user()).post(reverse("confirm"), form)["Location"] == "/"


def test_app_is_removed_and_the_password_is_enough_again() -> None:
    user, _, _ = with_app()

    response = confirmed(user).post(reverse("totp_remove"), follow=True)

    assert "The authenticator app is removed." in page_of(response).text
    client = Client()
    client.post(reverse("sign_in"), {"username": user.username, "password": PASSWORD})
    assert is_signed_in(client)


def test_recovery_codes_are_made_anew() -> None:
    user, _, codes = with_app()

    page = page_of(confirmed(user).post(reverse("recovery_codes")))

    assert codes[0] not in page.text
    assert "Your old recovery codes no longer work." in page.text
    assert RecoveryCode.objects.filter(person=user).count() == 10


def test_passkey_is_added_named_used_and_removed() -> None:
    user, device = make_user(), Authenticator()
    client = confirmed(user)
    assert "Your recovery codes" in page_of(add_passkey(client, device)).text
    add_passkey(client, Authenticator(), name="blue key")
    page = page_of(client.get(reverse("second_factors")))
    assert "phone" in page.text
    assert "blue key" in page.text

    again = after_password(user)
    options = again.post(reverse("second_factor_options")).json()
    assert len(options["publicKey"]["allowCredentials"]) == 2
    response = again.post(reverse("second_factor"), {"answer": device.show(options)})
    assert response.status_code == 302
    assert is_signed_in(again)

    removed = Passkey.objects.get(name="phone")
    client.post(reverse("passkey_remove", args=[removed.pk]))
    third = after_password(user)
    options = third.post(reverse("second_factor_options")).json()
    page = page_of(third.post(reverse("second_factor"), {"answer": device.show(options)}))
    assert "This site does not know this passkey" in page.text


def test_passkey_signs_in_without_a_password() -> None:
    _, device = with_passkey()
    client = Client()
    options = client.post(reverse("passkey_options")).json()
    assert not options["publicKey"].get("allowCredentials")

    form = {"answer": device.show(options), "next": "/bots/"}
    response = client.post(reverse("passkey_sign_in"), form)

    assert response["Location"] == "/bots/"
    assert is_signed_in(client)
    assert client.session.get_expiry_age() > 13 * 86400
    answer = Client().post(reverse("passkey_sign_in"), form)
    assert "This took too long, or was sent twice." in page_of(answer).text


def test_challenge_after_a_password_is_no_good_without_one() -> None:
    """The one after a password does not demand that the device verifies its owner."""
    user, device = with_passkey()
    device.verifies = False
    client = after_password(user)
    options = client.post(reverse("second_factor_options")).json()

    page = page_of(client.post(reverse("passkey_sign_in"), {"answer": device.show(options)}))

    assert "Try again." in page.text
    assert not is_signed_in(client)


def test_passkey_of_somebody_else_is_no_second_factor() -> None:
    user, _ = with_passkey()
    _, foreign = with_passkey()
    client = after_password(user)
    options = client.post(reverse("second_factor_options")).json()

    response = client.post(reverse("second_factor"), {"answer": foreign.show(options)})

    assert "belongs to another account" in page_of(response).text
    assert not is_signed_in(client)


def test_passkeys_of_others_are_not_removed() -> None:
    with_passkey()

    response = confirmed(make_user()).post(
        reverse("passkey_remove", args=[Passkey.objects.get().pk])
    )

    assert response.status_code == 404
    assert Passkey.objects.exists()


def test_passkey_sign_ins_count_with_those_by_password(settings: Settings) -> None:
    settings.RATES = {**settings.RATES, "sign_ins": "2/min"}
    client = Client(REMOTE_ADDR="10.3.9.1")

    codes = [client.post(reverse("passkey_sign_in")).status_code for _ in range(3)]

    assert codes == [200, 200, 429]


def test_bare_address_says_that_passkeys_need_a_name(settings: Settings) -> None:
    settings.ALLOWED_HOSTS = ["127.0.0.1"]
    client = Client(HTTP_HOST="127.0.0.1")
    client.force_login(make_user())

    assert "Passkeys need a name." in page_of(client.get(reverse("second_factors"))).text


def test_administration_has_no_door_of_its_own() -> None:
    staff = make_staff(superuser=True)
    set_up(staff)
    response = Client().get("/admin/login/?next=/admin/accounts/")
    assert response["Location"] == f"{reverse('sign_in')}?next=%2Fadmin%2Faccounts%2F"
    assert Client().post("/admin/login/", {"username": "x"}).status_code == 405
    assert as_person(make_user()).get("/admin/", follow=True).status_code == 403
    assert as_person(staff).get("/admin/password_change/")["Location"] == reverse(
        "password_change"
    )


def test_staff_see_second_factors_and_take_them_off() -> None:
    user, _, _ = with_app()
    staff = as_person(make_staff(superuser=True))
    page = staff.get("/admin/accounts/user/").content.decode()
    assert "Second factor" in page

    staff.post(
        "/admin/accounts/user/",
        {"action": "reset_factors", "_selected_action": [user.pk]},
    )

    assert not TotpKey.objects.exists()
    assert not RecoveryCode.objects.exists()
    assert AuditEvent.objects.get().person == user


def test_staff_do_not_take_factors_off_each_other() -> None:
    other = make_staff()
    set_up(other)
    staff = make_staff()
    staff.user_permissions.set(
        Permission.objects.filter(codename__in=["view_user", "change_user"])
    )

    as_person(staff).post(
        "/admin/accounts/user/", {"action": "reset_factors", "_selected_action": [other.pk]}
    )

    assert TotpKey.objects.filter(person=other).exists()


def test_options_are_what_browsers_read() -> None:
    options = confirmed(make_user("ada")).post(reverse("passkey_add_options")).json()["publicKey"]

    assert options["rp"] == {"id": "testserver", "name": "Pentathlon"}
    assert options["user"]["name"] == "ada"
    assert options["authenticatorSelection"]["residentKey"] == "preferred"
    assert {each["alg"] for each in options["pubKeyCredParams"]} >= {-7, -257}
    assert json.dumps(options)
