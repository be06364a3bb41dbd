from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone
from pytest_django import Settings

from pentathlon.accounts import services
from pentathlon.accounts.models import ApiToken, Scope, User
from pentathlon.core.errors import Conflict, InvalidInput, NotFound
from tests.factories import PASSWORD, make_token, make_user

pytestmark = pytest.mark.django_db


def register(**changes: str) -> User:
    return services.register(
        **{"username": "ada", "email": "ada@Example.ORG", "password": PASSWORD, **changes}
    )


def test_new_person_can_sign_in_with_the_password() -> None:
    person = register()

    assert person.check_password(PASSWORD)
    assert person.email == "ada@example.org"
    assert not person.is_staff


@pytest.mark.parametrize("everybody", [True, False])
def test_setting_decides_whether_new_people_organise(
    everybody: bool,
    settings: Settings,
) -> None:
    settings.ORGANISERS_ARE_EVERYBODY = everybody

    assert register().is_organiser is everybody


@pytest.mark.parametrize(
    ("field", "value", "code"),
    [
        ("username", "", "bad_username"),
        ("username", "ab", "bad_username"),
        ("username", "a" * 31, "bad_username"),
        ("username", "ada lovelace", "bad_username"),
        ("username", "-ada", "bad_username"),
        ("username", "ada/../x", "bad_username"),
        ("username", "\u0430da", "bad_username"),
        ("username", "ada\n", "bad_username"),
        ("email", "", "bad_email"),
        ("email", "ada", "bad_email"),
        ("password", "", "weak_password"),
        ("password", "password", "weak_password"),
        ("password", "1234567890", "weak_password"),
        ("password", "ada@example.org", "weak_password"),
    ],
)
def test_unusable_values_are_refused_by_field(field: str, value: str, code: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        register(**{field: value})

    assert (refusal.value.field, refusal.value.code) == (field, code)
    assert not User.objects.exists()


def test_username_is_taken_in_any_case() -> None:
    register()

    with pytest.raises(Conflict) as refusal:
        register(username="ADA")

    assert refusal.value.code == "username_taken"


def test_token_keeps_only_a_digest() -> None:
    token, secret = services.create_token(
        actor=make_user(), name=" laptop ", scopes=["bots:write"], days=30
    )

    assert secret.startswith("ptl_")
    assert secret not in str(ApiToken.objects.values().get())
    assert token.name == "laptop"
    assert token.scopes == ["bots:write"]
    assert token.expiry is not None
    assert timedelta(days=29) < token.expiry - timezone.now() <= timedelta(days=30)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", "  "),
        ("name", "x" * 61),
        ("scopes", ["bots:write", "everything"]),
        ("days", 0),
        ("days", 366),
    ],
)
def test_unusable_token_is_refused_by_field(field: str, value: object) -> None:
    wanted = {"name": "laptop", "scopes": [], "days": 1, field: value}

    with pytest.raises(InvalidInput) as refusal:
        services.create_token(actor=make_user(), **wanted)  # type: ignore[arg-type]  # on purpose

    assert refusal.value.field == field
    assert not ApiToken.objects.exists()


def test_number_of_tokens_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "MOST_TOKENS", 1)
    person = make_user()
    make_token(person)

    with pytest.raises(Conflict) as refusal:
        make_token(person)

    assert refusal.value.code == "too_many_tokens"


def test_revoked_token_is_gone() -> None:
    token, _ = make_token(make_user())

    services.revoke_token(actor=token.user, public_id=token.public_id)

    assert not ApiToken.objects.exists()


def test_tokens_of_others_are_not_found() -> None:
    token, _ = make_token(make_user())

    for public_id in (token.public_id, uuid4()):
        with pytest.raises(NotFound):
            services.revoke_token(actor=make_user(), public_id=public_id)

    assert ApiToken.objects.exists()


def test_use_is_noted_once_a_minute() -> None:
    token, _ = make_token(make_user(), scopes=[Scope.BOTS_WRITE])

    services.note_token_use(token=token)
    token.refresh_from_db()
    first = token.last_used_at
    services.note_token_use(token=token)
    token.refresh_from_db()

    assert first is not None
    assert token.last_used_at == first
