import pytest
from django.contrib import admin
from django.db.models import Model
from django.test import Client

from pentathlon.accounts.models import ApiToken, User
from pentathlon.bots.models import Bot, BotVersion
from tests.factories import make_token, make_user, make_version

pytestmark = pytest.mark.django_db
OURS = (User, ApiToken, Bot, BotVersion)


@pytest.fixture
def administrator(client: Client) -> Client:
    version = make_version()
    make_token(version.bot.owner)
    client.force_login(User.objects.create_superuser("root"))
    return client


@pytest.mark.parametrize("model", OURS)
def test_lists_and_rows_can_be_looked_at(model: type[Model], administrator: Client) -> None:
    base = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
    row = model._default_manager.all()[0]

    assert administrator.get(base).status_code == 200
    assert administrator.get(f"{base}{row.pk}/change/").status_code == 200


@pytest.mark.parametrize("model", [ApiToken, BotVersion])
def test_what_people_make_is_not_made_here(model: type[Model], administrator: Client) -> None:
    base = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"

    assert administrator.get(f"{base}add/").status_code == 403


def test_stranger_is_sent_to_sign_in(client: Client) -> None:
    client.force_login(make_user())

    assert all(client.get(f"/admin/{m._meta.app_label}/").status_code == 302 for m in OURS)
    assert set(OURS) <= set(admin.site._registry)
