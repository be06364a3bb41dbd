"""Passkeys in a real browser, with the authenticator that Chromium simulates."""

import pytest
from playwright.sync_api import Page, expect

from pentathlon.accounts.models import Passkey, User
from tests.browser.access import find_flaws
from tests.factories import PASSWORD, make_user
from tests.pentathlon.accounts.authenticator_app import set_up

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def person(transactional_db: None) -> User:
    return make_user("mirela")


def plug_in(page: Page) -> str:
    """Give the browser an authenticator that verifies its owner and keeps passkeys."""
    session = page.context.new_cdp_session(page)
    session.send("WebAuthn.enable")
    made = session.send(
        "WebAuthn.addVirtualAuthenticator",
        {
            "options": {
                "protocol": "ctap2",
                "transport": "internal",
                "hasResidentKey": True,
                "hasUserVerification": True,
                "isUserVerified": True,
                "automaticPresenceSimulation": True,
            }
        },
    )
    return str(made["authenticatorId"])


def by_password(page: Page, person: User) -> None:
    page.goto("/sign-in/")
    page.fill("#id_username", person.username)
    page.fill("#id_password", PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()


def confirm(page: Page) -> None:
    page.goto("/account/second-factors/")
    page.get_by_role("link", name="Change something…").click()
    page.fill("#id_password", PASSWORD)
    page.get_by_role("button", name="Go on").click()
    expect(page).to_have_url("/account/second-factors/")


def sign_out(page: Page) -> None:
    page.goto("/account/")
    page.get_by_role("main").get_by_role("button", name="Sign out").click()
    expect(page).to_have_url("/")


@pytest.mark.ci
def test_passkey_is_made_and_signs_in_after_a_password_and_alone(page: Page, person: User) -> None:
    plug_in(page)
    by_password(page, person)
    expect(page).to_have_url("/")
    confirm(page)

    page.fill("#id_name", "laptop")
    page.get_by_role("button", name="Add a passkey").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Your recovery codes")
    assert Passkey.objects.get().name == "laptop"

    sign_out(page)
    by_password(page, person)
    expect(page.get_by_role("heading", level=1)).to_have_text("Second factor")
    page.get_by_role("button", name="Use a passkey").click()
    expect(page).to_have_url("/")
    sign_out(page)
    page.goto("/sign-in/?next=/bots/")
    page.get_by_role("button", name="Sign in with a passkey").click()
    expect(page).to_have_url("/bots/")
    expect(page.get_by_role("banner").get_by_text("mirela", exact=True)).to_be_visible()


def test_device_that_has_a_passkey_makes_no_second_one(page: Page, person: User) -> None:
    plug_in(page)
    by_password(page, person)
    confirm(page)
    for _ in range(2):
        page.goto("/account/second-factors/")
        page.fill("#id_name", "laptop")
        page.get_by_role("button", name="Add a passkey").click()
        if not Passkey.objects.exists():
            expect(page.get_by_role("heading", level=1)).to_have_text("Your recovery codes")

    expect(page.get_by_role("main")).to_contain_text("This device already has a passkey")
    assert Passkey.objects.count() == 1


def test_pages_that_the_tour_cannot_reach_are_accessible(page: Page, person: User) -> None:
    plug_in(page)
    by_password(page, person)
    confirm(page)
    found = find_flaws(page)
    page.get_by_role("link", name="Set up an app").click()
    expect(page.get_by_role("img", name="QR code of the key below")).to_be_visible()
    found += find_flaws(page)
    set_up(person)
    page.goto("/account/second-factors/")
    found += find_flaws(page)
    page.fill("#id_name", "laptop")
    page.get_by_role("button", name="Add a passkey").click()
    expect(page.get_by_role("rowheader", name="laptop")).to_be_visible()
    page.get_by_role("button", name="Make new codes").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Your recovery codes")
    found += find_flaws(page)
    sign_out(page)
    by_password(page, person)
    expect(page.get_by_role("heading", level=1)).to_have_text("Second factor")
    found += find_flaws(page)

    assert found == []


@pytest.mark.parametrize("width", [320, 1280])
def test_second_factor_works_by_keyboard(page: Page, person: User, width: int) -> None:
    _, codes = set_up(person)
    page.set_viewport_size({"width": width, "height": 900})
    by_password(page, person)
    expect(page.get_by_role("heading", level=1)).to_have_text("Second factor")

    page.get_by_role("textbox", name="Code").focus()
    page.keyboard.type(codes[0])
    page.keyboard.press("Enter")

    expect(page).to_have_url("/")


def test_account_is_deleted_by_a_passkey_and_a_typed_code_is_still_sent(
    page: Page, person: User
) -> None:
    plug_in(page)
    by_password(page, person)
    confirm(page)
    page.fill("#id_name", "laptop")
    page.get_by_role("button", name="Add a passkey").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Your recovery codes")
    page.goto("/account/data/delete/")
    page.fill("#id_username", person.username)
    page.fill("#id_password", PASSWORD)
    page.fill("#id_code", "000000")

    assert find_flaws(page) == []
    page.get_by_role("button", name="Delete for good", exact=True).click()
    expect(page.get_by_role("main")).to_contain_text("This code is wrong")
    page.fill("#id_password", PASSWORD)
    page.get_by_role("button", name="Show a passkey, and delete for good").click()

    expect(page).to_have_url("/")
    assert not User.objects.get(pk=person.pk).is_active
