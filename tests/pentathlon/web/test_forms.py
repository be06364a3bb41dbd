"""Forms take what is right, and keep what was typed beside what is wrong."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from pentathlon.accounts.models import User
from pentathlon.bots.models import Bot, BotVersion, VersionState
from pentathlon.core.server.limits import MOST_IN_BATCH
from pentathlon.tournaments.models import Tournament
from tests.factories import PASSWORD, make_upload, make_user, make_version
from tests.pentathlon.web.pages import Page, page_of

pytestmark = pytest.mark.django_db

_NEW = {"username": "mirela", "email": "m@example.org", "password": PASSWORD}
_NEW_CUP = "/tournaments/new/?game=tuned"
_CUP = {
    "name": "Cup",
    "cycles": "1",
    "table_seats": "2",
    "action_cpu_s": "1",
    "match_cpu_s": "20",
    "entries_per_author": "3",
    "rated": "on",
}


def as_person(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def zip_file(data: bytes) -> SimpleUploadedFile:
    return SimpleUploadedFile("bot.zip", data, content_type="application/zip")


def assert_points_at(page: Page, name: str, sentence: str) -> None:
    """Check that the summary leads to the field, and that the field says what is wrong."""
    field = page.field(name)
    assert f"#{field['id']}" in page.links()
    assert field["aria-invalid"] == "true"
    assert sentence in page.text


def test_tournament_tells_all_that_is_wrong_in_one_note() -> None:
    client = as_person(make_user(organiser=True))
    wrong = {**_CUP, "name": "", "cycles": "0", "match_cpu_s": "x", "most_versions": "-1"}

    page = page_of(client.post(_NEW_CUP, wrong))

    assert "4 things need a change" in page.text
    assert page.text.count("need a change") == 1
    for name in ("name", "cycles", "match_cpu_s", "most_versions"):
        assert f"#{page.field(name)['id']}" in page.links()


@pytest.mark.parametrize("button", [{}, {"dry_run": "1"}, {"draft": "1"}])
def test_error_of_the_service_stands_at_its_field(button: dict[str, str]) -> None:
    versions = [make_version().pk, make_version().pk]
    client = as_person(make_user(organiser=True))

    wrong = {**_CUP, "versions": versions, "hides_results": "on", **button}
    page = page_of(client.post(_NEW_CUP, wrong))

    assert_points_at(page, "hides_results", "Make the tournament unrated, or hide nothing.")
    assert [each for each in page.all("details") if "open" in each]


@pytest.mark.parametrize("name", ["sign_in", "sign_up", "tournament_new", "webhook_new", "upload"])
def test_forms_that_tell_all_at_once_are_not_stopped_by_the_browser(name: str) -> None:
    client = as_person(make_user(organiser=True))

    page = page_of((Client() if name.startswith("sign") else client).get(reverse(name)))

    own = [each for each in page.all("form") if each.get("class") == "fields"]
    assert own
    assert all("novalidate" in each for each in own if "data-passkey" not in each)


def test_sign_up_signs_in_and_says_welcome() -> None:
    client = Client()

    response = client.post(reverse("sign_up"), {**_NEW, "next": "/bots/"}, follow=True)

    assert response.redirect_chain[-1] == ("/bots/", 302)
    assert "Welcome, mirela." in page_of(response).text
    assert client.get(reverse("account")).status_code == 200


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("username", "", "This field is required."),
        ("username", "a b", "A username has 3 to 30 letters"),
        ("email", "nowhere", "Enter a valid email address."),
        ("password", "short", "at least 10 characters"),
    ],
)
def test_bad_sign_up_names_the_field_and_keeps_the_rest(
    field: str, value: str, sentence: str
) -> None:
    page = page_of(Client().post(reverse("sign_up"), {**_NEW, field: value}))

    assert_points_at(page, field, sentence)
    kept = {name: page.field(name).get("value", "") for name in ("username", "email")}
    assert kept == {name: {**_NEW, field: value}[name] for name in kept}
    assert not User.objects.exists()


def test_sign_up_tells_all_that_is_wrong_at_once() -> None:
    make_user("Mirela")

    page = page_of(
        Client().post(reverse("sign_up"), {**_NEW, "email": "nowhere", "password": "short"})
    )

    assert_points_at(page, "username", "The username mirela is taken.")
    assert_points_at(page, "email", "Enter a valid email address.")
    assert_points_at(page, "password", "at least 10 characters")


def test_token_tells_all_that_is_wrong_at_once() -> None:
    form = {"name": "lap\ttop", "days": "0"}

    page = page_of(as_person(make_user()).post(reverse("account"), form))

    assert_points_at(page, "name", "printable characters")
    assert_points_at(page, "days", "greater than or equal to 1")
    assert "Choose at least one thing that the token may do." in page.text


def test_webhook_tells_all_that_is_wrong_at_once() -> None:
    page = page_of(as_person(make_user()).post(reverse("webhook_new"), {"url": "ftp://here"}))

    assert_points_at(page, "url", "This cannot be the address of a webhook")
    assert "Choose at least one event." in page.text


def test_upload_tells_all_that_is_wrong_at_once() -> None:
    form = {"archive": zip_file(b"no zip"), "notes": "x" * 5000}

    page = page_of(as_person(make_user()).post(reverse("upload"), form))

    assert_points_at(page, "notes", "at most")
    assert page.field("archive")["aria-invalid"] == "true"


def test_sign_up_under_a_taken_name_is_refused() -> None:
    make_user("Mirela")

    page = page_of(Client().post(reverse("sign_up"), _NEW))

    assert_points_at(page, "username", "The username mirela is taken.")


def test_wrong_password_keeps_the_name() -> None:
    make_user("mirela")

    page = page_of(Client().post(reverse("sign_in"), {"username": "mirela", "password": "no"}))

    assert page.field("username")["value"] == "mirela"
    assert "No account has this username and password." in page.text


def test_sign_in_goes_back_to_where_one_was() -> None:
    make_user("mirela")
    form = {"username": "mirela", "password": PASSWORD, "next": "/bots/new/"}

    assert Client().post(reverse("sign_in"), form)["Location"] == "/bots/new/"


@pytest.mark.parametrize("name", ["sign_up", "theme"])
def test_nobody_is_sent_to_another_site(name: str) -> None:
    form = {**_NEW, "theme": "dark", "next": "https://example.org/"}

    assert Client().post(reverse(name), form)["Location"] == "/"


def test_upload_makes_a_bot_and_shows_its_checks() -> None:
    client = as_person(make_user())
    form = {"archive": zip_file(make_upload("Copper Heron")), "notes": "First."}

    response = client.post(reverse("upload"), form, follow=True)

    page = page_of(response)
    assert Bot.objects.get().name == "Copper Heron"
    assert "being checked" in page.text
    assert "waits: No worker is alive." in page.text


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"no zip", "not a zip archive"),
        (b"", "not a zip archive"),
        (None, "Choose the .zip of your bot."),
    ],
)
def test_bad_archive_says_why_and_keeps_the_notes(data: bytes | None, sentence: str) -> None:
    form = {"notes": "Faster.", **({} if data is None else {"archive": zip_file(data)})}

    page = page_of(as_person(make_user()).post(reverse("upload"), form))

    assert_points_at(page, "archive", sentence)
    assert page.field("notes")["value"] == "Faster."
    assert not BotVersion.objects.exists()


def test_several_archives_are_stored_or_refused_each_by_itself() -> None:
    person = make_user()
    mine = make_version(name="Tidewater", owner=person)
    taken = make_version(name="Grey Owl").bot
    archives = [
        zip_file(make_upload("Copper Heron")),
        zip_file(b"no zip"),
        zip_file(make_upload("Tidewater", salt="new")),
        zip_file(make_upload(taken.name)),
    ]

    page = page_of(as_person(person).post(reverse("upload"), {"archive": archives}))

    assert "What became of 4 archives" in page.text
    assert page.text.count("is being checked") == 2
    assert page.text.count("refused bot.zip") == 2
    assert Bot.objects.owned_by(person).count() == 2
    assert mine.bot.versions.count() == 2


def test_archives_of_one_upload_are_few() -> None:
    archives = [zip_file(b"no zip") for _ in range(MOST_IN_BATCH + 1)]

    page = page_of(as_person(make_user()).post(reverse("upload"), {"archive": archives}))

    assert_points_at(page, "archive", f"Choose at most {MOST_IN_BATCH}.")


def test_next_version_joins_its_bot() -> None:
    version = make_version(name="Tidewater")
    client = as_person(version.bot.owner)
    upload = zip_file(make_upload("Tidewater", salt="new"))

    client.post(reverse("upload_version", args=[version.bot_id]), {"archive": upload})

    assert version.bot.versions.count() == 2


def test_new_version_of_a_foreign_bot_is_not_offered() -> None:
    version = make_version()

    response = as_person(make_user()).get(reverse("upload_version", args=[version.bot_id]))

    assert response.status_code == 404


def test_token_is_shown_just_once() -> None:
    client = as_person(make_user())
    form = {"name": "laptop", "scopes": ["bots:write"], "days": "30"}

    made = client.post(reverse("account"), form)
    later = page_of(client.get(reverse("account")))

    assert page_of(made).text.count("ptl_") >= 1
    assert "no-store" in made["Cache-Control"]
    secret = next(word for word in page_of(made).text.split() if len(word) > 40)
    assert secret not in later.text
    assert "laptop" in later.text


def test_bad_token_form_names_every_field() -> None:
    form = {"name": "", "days": "9999"}

    page = page_of(as_person(make_user()).post(reverse("account"), form))

    assert "3 things need a change" in page.text
    assert page.field("days")["value"] == "9999"
    assert "#id_scopes" in page.links()


def test_token_is_revoked_from_the_page() -> None:
    user = make_user()
    client = as_person(user)
    client.post(reverse("account"), {"name": "laptop", "scopes": ["bots:write"], "days": "30"})

    token = user.auth_token_set.get()
    client.post(reverse("token_revoke", args=[token.public_id]))

    assert not user.auth_token_set.exists()


def test_new_tournament_is_open_with_the_chosen_bots() -> None:
    versions = [make_version(), make_version()]
    client = as_person(make_user(organiser=True))
    form = {**_CUP, "versions": [str(version.pk) for version in versions], "action_cpu_s": "0.5"}
    del form["rated"]

    response = client.post(_NEW_CUP, form, follow=True)

    made = Tournament.objects.get()
    assert made.entries.count() == 2
    assert made.limits == {"action_cpu_s": 0.5}
    assert "Cup is open for entries." in page_of(response).text


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("name", "", "This field is required."),
        ("cycles", "0", "greater than or equal to 1"),
        ("cycles", "many", "Enter a whole number."),
        ("entries_per_author", "0", "greater than or equal to 1"),
        ("action_cpu_s", "999", "less than or equal to"),
    ],
)
def test_bad_tournament_names_the_field_and_keeps_the_rest(
    field: str, value: str, sentence: str
) -> None:
    client = as_person(make_user(organiser=True))

    page = page_of(client.post(_NEW_CUP, {**_CUP, field: value}))

    assert_points_at(page, field, sentence)
    assert page.field(field).get("value", "") == value
    assert page.field("match_cpu_s")["value"] == "20"
    assert not Tournament.objects.exists()


def test_only_organisers_are_shown_the_tournament_form() -> None:
    response = as_person(make_user()).get(_NEW_CUP)

    assert response.status_code == 403
    assert "Only organisers may create tournaments." in page_of(response).text


def test_retired_bot_is_not_offered_to_a_tournament() -> None:
    retired = make_version(state=VersionState.RETIRED)
    client = as_person(make_user(organiser=True))

    page = page_of(client.get(_NEW_CUP))

    assert retired.label not in page.text
