"""People see the browsers in which they are signed in, and end sessions."""

import pytest
from django.test import Client
from django.urls import reverse

from pentathlon.accounts.models import BrowserSession
from pentathlon.web.views.sign_in import device_name
from tests.factories import make_user
from tests.pentathlon.accounts.test_sessions import FIREFOX, signed_in
from tests.pentathlon.web.pages import page_of

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("user_agent", "name"),
    [
        (FIREFOX, "Firefox on Linux"),
        (
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
                "Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0"
            ),
            "Edge on Windows",
        ),
        (
            (
                "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) "
                "Chrome/140.0.0.0 Mobile Safari/537.36"
            ),
            "Chrome on Android",
        ),
        (
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 "
                "(KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1"
            ),
            "Safari on iPhone",
        ),
        (
            (
                "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 "
                "(KHTML, like Gecko) Version/18.6 Safari/605.1.15"
            ),
            "Safari on macOS",
        ),
        ("curl/8.14", "curl"),
        ("", "An unknown browser"),
        ("<script>", "An unknown browser"),
    ],
)
def test_browsers_are_named_as_people_do(user_agent: str, name: str) -> None:
    assert device_name(user_agent) == name


def test_list_marks_this_session_and_names_the_others() -> None:
    person = make_user()
    signed_in(person, address="10.5.5.5")
    here = signed_in(person)
    signed_in(make_user(), address="10.6.6.6")

    page = page_of(here.get(reverse("sessions")))

    assert page.text.count("Firefox on Linux") == 2
    assert page.text.count("this one") == 1
    assert "10.5.5.5" in page.text
    assert "10.6.6.6" not in page.text


def test_keys_of_sessions_are_on_no_page() -> None:
    here = signed_in(make_user())

    key = str(here.session.session_key)
    assert key not in here.get(reverse("sessions")).content.decode()


def test_one_session_ends_and_all_others_end() -> None:
    person = make_user()
    here, lost, phone = signed_in(person), signed_in(person), signed_in(person)
    row = BrowserSession.objects.get(pk=lost.session.session_key)

    here.post(reverse("session_end", args=[row.public_id]))
    assert lost.get(reverse("account")).status_code == 302
    assert phone.get(reverse("account")).status_code == 200
    response = here.post(reverse("sessions_end_others"), follow=True)

    assert "1 other session is ended." in page_of(response).text
    assert phone.get(reverse("account")).status_code == 302


def test_ending_this_session_signs_out() -> None:
    here = signed_in(make_user())
    row = BrowserSession.objects.get()

    response = here.post(reverse("session_end", args=[row.public_id]))

    assert response["Location"] == reverse("sign_in")
    assert here.get(reverse("account")).status_code == 302


def test_session_of_somebody_else_is_not_there() -> None:
    here = signed_in(make_user())
    other = signed_in(make_user())
    row = BrowserSession.objects.get(pk=other.session.session_key)

    assert here.post(reverse("session_end", args=[row.public_id])).status_code == 404
    assert other.get(reverse("account")).status_code == 200


def test_ending_needs_a_token_against_forgery() -> None:
    person = make_user()
    here = Client(enforce_csrf_checks=True)
    here.force_login(person)

    assert here.post(reverse("sessions_end_others")).status_code == 403
