"""Passwords and addresses are changed on pages, and nobody learns there who has an account."""

import pytest
from django.core import mail
from django.core.mail import send_mail
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from pentathlon.accounts.letters import NO_MAIL
from pentathlon.accounts.models import ApiToken, EmailChange, Letter, User
from tests.factories import PASSWORD, make_token, make_user, next_number
from tests.pentathlon.accounts.mailing import delivered_address
from tests.pentathlon.web.pages import page_of
from tests.pentathlon.web.test_forms import as_person, assert_points_at

pytestmark = pytest.mark.django_db
NEW = "another horse, another battery"


def test_password_is_changed_and_only_this_browser_stays() -> None:
    user = make_user()
    here, elsewhere = as_person(user), as_person(user)

    response = here.post(reverse("password_change"), {"old": PASSWORD, "new": NEW}, follow=True)

    assert "Your password is changed. Other browsers are signed out." in page_of(response).text
    assert here.get(reverse("account")).status_code == 200
    assert elsewhere.get(reverse("account")).status_code == 302
    assert Client().login(username=user.username, password=NEW)


@pytest.mark.parametrize(
    ("form", "field", "sentence"),
    [
        ({"old": "no", "new": NEW}, "old", "This is not your password."),
        ({"old": PASSWORD, "new": "short"}, "new", "at least 10 characters"),
        ({"old": PASSWORD, "new": " " * 12}, "new", "different characters besides spaces"),
        ({"old": PASSWORD, "new": PASSWORD}, "new", "Choose another one."),
    ],
)
def test_refused_change_names_the_field_and_shows_no_password(
    form: dict[str, str], field: str, sentence: str
) -> None:
    response = as_person(make_user()).post(reverse("password_change"), form)

    page = page_of(response)
    assert_points_at(page, field, sentence)
    assert "value" not in page.field("old")
    assert "value" not in page.field("new")


def test_refused_sign_up_shows_no_password() -> None:
    form = {"username": "a", "email": "a@example.org", "password": NEW}

    assert NEW not in Client().post(reverse("sign_up"), form).content.decode()


def test_tokens_are_asked_about_where_there_are_any() -> None:
    user = make_user()
    client = as_person(user)
    assert "API tokens" not in page_of(client.get(reverse("password_change"))).text
    make_token(user)
    assert "one API token, which works on" in page_of(client.get(reverse("password_change"))).text

    client.post(reverse("password_change"), {"old": PASSWORD, "new": NEW, "revokes_tokens": "on"})

    assert not ApiToken.objects.exists()


def test_forgotten_password_is_set_by_the_link_of_a_letter() -> None:
    user = make_user()
    client = Client()
    sent = client.post(reverse("password_reset"), {"email": user.email.upper()}, follow=True)
    assert "Look in your mailbox." in page_of(sent).text
    address = delivered_address()
    assert user.username in page_of(client.get(address)).text

    link = page_of(client.get(address)).field("link")["value"]
    response = client.post(reverse("password_reset_new"), {"link": link, "new": NEW}, follow=True)

    assert "Your new password is set. Sign in with it." in page_of(response).text
    assert Client().login(username=user.username, password=NEW)
    again = client.post(reverse("password_reset_new"), {"link": link, "new": f"{NEW}!"})
    assert again.status_code == 400
    assert "Ask for a new one" in page_of(again).text


def test_link_sets_no_weak_password_and_goes_on_working() -> None:
    user = make_user()
    client = Client()
    client.post(reverse("password_reset"), {"email": user.email})
    address = delivered_address()
    link = page_of(client.get(address)).field("link")["value"]

    page = page_of(client.post(reverse("password_reset_new"), {"link": link, "new": "short"}))

    assert_points_at(page, "new", "at least 10 characters")
    assert client.get(address).status_code == 200


def test_answers_do_not_tell_whether_somebody_has_an_address() -> None:
    user = make_user()
    told = []

    for email in (user.email, "nobody@example.org"):
        response = Client().post(reverse("password_reset"), {"email": email}, follow=True)
        told.append((response.redirect_chain, page_of(response).text))

    assert told[0] == told[1]


def test_letters_to_one_address_are_few_whoever_asks(settings: Settings) -> None:
    settings.RATES = {**settings.RATES, "letters": "2/hour"}
    known, unknown = make_user().email, f"nobody-{next_number()}@example.org"

    for email in (known, unknown):
        codes = [
            Client(REMOTE_ADDR=f"10.4.0.{number}")
            .post(reverse("password_reset"), {"email": email})
            .status_code
            for number in range(3)
        ]
        assert codes == [302, 302, 429]
    assert Letter.objects.count() == 4


def test_page_says_where_letters_go_without_a_mail_server(settings: Settings) -> None:
    address = f"{reverse('password_reset')}?sent"
    assert "changepassword" in page_of(Client().get(address)).text
    assert "no mail server" not in page_of(Client().get(address)).text

    settings.EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"

    assert "no mail server" in page_of(Client().get(address)).text


def test_production_without_a_mail_server_promises_no_letter(settings: Settings) -> None:
    settings.EMAIL_BACKEND = NO_MAIL
    user = make_user()
    form = {"email": "new@example.org", "password": PASSWORD}

    forgotten = page_of(Client().post(reverse("password_reset"), {"email": user.email}))
    changed = page_of(as_person(user).post(reverse("email_change"), form))

    assert "no mail server" in forgotten.text
    assert "no mail server" in changed.text
    assert not Letter.objects.exists()
    with pytest.raises(ConnectionError, match="PENTATHLON_MAIL"):
        send_mail("about", "text", None, ["a@example.org"])


def test_address_changes_by_the_link_of_a_letter_without_signing_in() -> None:
    user = make_user()
    client = as_person(user)
    form = {"email": "new@example.org", "password": PASSWORD}
    page = page_of(client.post(reverse("email_change"), form, follow=True))
    assert "We have written to new@example.org." in page.text
    address = delivered_address()
    phone = Client()
    assert "Use this address" in page_of(phone.get(address)).text
    assert User.objects.get(pk=user.pk).email == user.email  # programs that look at links

    link = page_of(phone.get(address)).field("link")["value"]
    response = phone.post(reverse("email_confirm"), {"link": link}, follow=True)

    assert f"new@example.org is the address of {user.username} now." in page_of(response).text
    assert User.objects.get(pk=user.pk).email == "new@example.org"
    assert phone.get(address).status_code == 400


def test_address_needs_the_password_and_can_be_called_off() -> None:
    user = make_user()
    client = as_person(user)
    refused = client.post(reverse("email_change"), {"email": "a@example.org", "password": "no"})
    assert_points_at(page_of(refused), "password", "This is not your password.")
    client.post(reverse("email_change"), {"email": "a@example.org", "password": PASSWORD})

    client.post(reverse("email_cancel"))

    assert not EmailChange.objects.exists()
    assert "We have written" not in page_of(client.get(reverse("email_change"))).text


@pytest.mark.parametrize(
    "name", ["password_change", "email_change", "sessions", "second_factors", "confirm", "totp"]
)
def test_pages_of_an_account_ask_visitors_to_sign_in(name: str) -> None:
    response = Client().get(reverse(name))

    assert response.status_code == 302
    assert response["Location"].startswith(reverse("sign_in"))


@pytest.mark.parametrize("name", ["password_change", "email_change", "confirm"])
def test_passwords_that_are_typed_again_count_as_sign_ins(name: str, settings: Settings) -> None:
    settings.RATES = {**settings.RATES, "sign_ins_of_browser": "2/hour"}
    client = as_person(make_user())

    codes = [client.post(reverse(name), {"password": "no"}).status_code for _ in range(3)]

    assert codes == [200, 200, 429]


def test_nothing_is_sent_by_a_web_process_itself() -> None:
    Client().post(reverse("password_reset"), {"email": make_user().email})

    assert mail.outbox == []
