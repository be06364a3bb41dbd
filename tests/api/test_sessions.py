from uuid import uuid4

import pytest
from rest_framework.test import APIClient

from pentathlon.accounts.models import BrowserSession, User
from tests.api.client import V1, assert_problem, client_of
from tests.api.test_tokens import in_browser, with_password
from tests.factories import make_user
from tests.pentathlon.accounts.authenticator_app import set_up

pytestmark = pytest.mark.django_db
SESSIONS = f"{V1}/sessions/"


def with_csrf(client: APIClient) -> APIClient:
    """Let a browser send what its pages would."""
    client.get("/account/")
    client.credentials(HTTP_X_CSRFTOKEN=client.cookies["csrftoken"].value)
    return client


def test_list_has_own_sessions_and_marks_this_one() -> None:
    person = make_user()
    here = in_browser(person.username)
    in_browser(person.username)
    in_browser(make_user().username)

    rows = here.get(SESSIONS).json()["results"]

    assert len(rows) == 2
    (this,) = [row for row in rows if row["is_this"]]
    row = BrowserSession.objects.get(pk=here.session.session_key)
    assert this["id"] == str(row.public_id)
    assert row.pk not in str(rows)


def test_session_ends_and_all_others_end() -> None:
    person = make_user()
    here = with_csrf(in_browser(person.username))
    lost, phone = in_browser(person.username), in_browser(person.username)
    row = BrowserSession.objects.get(pk=lost.session.session_key)

    assert here.delete(f"{SESSIONS}{row.public_id}/").status_code == 204
    assert_problem(lost.get(SESSIONS), status=403, code="not_authenticated")
    assert here.post(f"{SESSIONS}end-others/").json() == {"ended": 1}

    assert phone.get(SESSIONS).status_code == 403
    assert here.get(SESSIONS).status_code == 200


def test_sessions_of_others_are_not_found() -> None:
    other = in_browser(make_user().username)
    row = BrowserSession.objects.get(pk=other.session.session_key)
    here = with_csrf(in_browser(make_user().username))

    for public_id in (row.public_id, uuid4()):
        answer = here.delete(f"{SESSIONS}{public_id}/")
        assert_problem(answer, status=404, code="not_found")


def test_tokens_and_passwords_neither_see_nor_end_sessions() -> None:
    person = make_user()
    in_browser(person.username)
    row = BrowserSession.objects.get()

    for client in (client_of(person), with_password(person.username)):
        assert client.get(SESSIONS).status_code == 403
        assert client.delete(f"{SESSIONS}{row.public_id}/").status_code == 403
        assert client.post(f"{SESSIONS}end-others/").status_code == 403

    assert BrowserSession.objects.exists()


def test_password_of_an_account_with_a_second_factor_opens_nothing() -> None:
    person = make_user()
    set_up(person)

    refused = with_password(person.username).post(f"{V1}/tokens/", {"name": "laptop"})

    assert_problem(refused, status=403, code="second_factor_required")
    assert "pentathlon login" in refused.json()["detail"]
    wrong = with_password(person.username, "no").get(f"{V1}/tokens/")
    assert_problem(wrong, status=401, code="authentication_failed")


@pytest.mark.parametrize(
    "address",
    [
        "/account/password/",
        "/account/email/",
        "/account/confirm/",
        "/account/second-factors/totp/",
        "/account/second-factors/codes/",
        "/account/second-factors/passkeys/",
        "/account/sessions/end-others/",
    ],
)
def test_token_changes_no_credentials(address: str) -> None:
    person = make_user()
    before = User.objects.values().get(pk=person.pk)

    answer = client_of(person).post(address, {}, format="multipart")

    assert answer.status_code in {302, 405}
    if answer.status_code == 302:
        assert answer["Location"].startswith("/sign-in/")
    assert User.objects.values().get(pk=person.pk) == before
