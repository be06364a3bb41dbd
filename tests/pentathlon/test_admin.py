import pytest
from django.contrib import admin
from django.contrib.auth.models import Group, Permission
from django.db.models import Model
from django.test import Client, RequestFactory

from pentathlon.accounts.audit.admin import AuditedAdmin
from pentathlon.accounts.audit.models import AuditAction, AuditedKind, AuditEvent
from pentathlon.accounts.audit.services import note_action
from pentathlon.accounts.models import ApiToken, User
from pentathlon.bots.models import Bot, BotVersion
from pentathlon.fleet.models import WorkerToken
from tests.factories import make_staff, make_token, make_user, make_version

pytestmark = pytest.mark.django_db
MAY = {
    User: {"add", "change"},
    Group: {"add", "change", "delete"},
    ApiToken: {"delete"},  # that is how it is revoked
    Bot: {"change"},  # its name
    WorkerToken: {"add", "change"},  # to see it; revoking is an action
}
"""All that even a superuser may do, by model. Ledger, results, replays and what people did are
changed by services, which leave traces."""
OURS = (User, ApiToken, AuditEvent, Bot, BotVersion)


@pytest.fixture
def administrator(client: Client) -> Client:
    version = make_version()
    make_token(version.bot.owner)
    note_action(AuditAction.SEASON_END, actor=None, kind=AuditedKind.SEASON, object_id=1)
    client.force_login(User.objects.create_superuser("root"))
    return client


def _list_of(model: type[Model]) -> str:
    return f"/admin/{model._meta.app_label}/{model._meta.model_name}/"


def test_lists_and_rows_can_be_looked_at(administrator: Client) -> None:
    for model in OURS:
        row = model._default_manager.all()[0]

        for page in ("", f"{row.pk}/change/"):
            assert administrator.get(f"{_list_of(model)}{page}").status_code == 200, (model, page)


def test_what_people_make_is_not_made_here(administrator: Client) -> None:
    for model in (ApiToken, AuditEvent, BotVersion):
        assert administrator.get(f"{_list_of(model)}add/").status_code == 403, model


def test_stranger_is_sent_to_sign_in(client: Client) -> None:
    client.force_login(make_user())

    assert all(client.get(f"/admin/{m._meta.app_label}/").status_code == 302 for m in OURS)
    assert set(OURS) <= set(admin.site._registry)


def test_admin_writes_only_what_may_be_edited() -> None:
    request = RequestFactory().get("/admin/")
    request.user = make_staff(superuser=True)

    permissions = {
        model: {name for name, has in site.get_model_perms(request).items() if has} - {"view"}
        for model, site in admin.site._registry.items()
    }

    assert {model: may for model, may in permissions.items() if may} == MAY


@pytest.mark.parametrize("model", [User, Bot, BotVersion])
def test_what_results_belong_to_is_not_deleted(model: type[Model], administrator: Client) -> None:
    row = model._default_manager.all()[0]
    base = f"/admin/{model._meta.app_label}/{model._meta.model_name}"
    chosen = {"action": "delete_selected", "_selected_action": row.pk, "post": "yes"}

    assert administrator.post(f"{base}/{row.pk}/delete/", {"post": "yes"}).status_code == 403
    administrator.post(f"{base}/", chosen)

    assert model._default_manager.filter(pk=row.pk).exists()


def test_bot_changes_nothing_but_its_name(administrator: Client) -> None:
    bot = Bot.objects.all()[0]
    wanted = {"name": "a-better-name", "owner": make_user().pk, "is_reference": "on"}

    administrator.post(f"/admin/bots/bot/{bot.pk}/change/", wanted)

    changed = Bot.objects.get(pk=bot.pk)
    assert changed.name == "a-better-name"
    assert (changed.owner_id, changed.is_reference) == (bot.owner_id, bot.is_reference)


def test_roles_that_the_administration_gives_are_audited(administrator: Client) -> None:
    person = make_user()
    address = f"/admin/accounts/user/{person.pk}/change/"
    form = administrator.get(address).context["adminform"].form
    fields = {name: value for name, value in form.initial.items() if value is not None}
    wanted = {**fields, "is_organiser": "on", "date_joined_0": "2026-01-01"}

    answer = administrator.post(address, {**wanted, "date_joined_1": "00:00:00"})

    assert answer.status_code == 302, answer.context["errors"]
    events = AuditEvent.objects.filter(person=person)
    root = User.objects.get(username="root")
    assert set(events.values_list("actor", "action")) == {
        (root.pk, AuditAction.ROLE_GIVE),
        (root.pk, AuditAction.ADMIN_CHANGE),
    }
    assert events.get(action=AuditAction.ROLE_GIVE).details == {"role": "organiser"}


def test_deleted_rows_are_audited(administrator: Client) -> None:
    token, _ = make_token(make_user())
    other, _ = make_token(token.user)
    base = "/admin/accounts/apitoken/"

    administrator.post(f"{base}{token.pk}/delete/", {"post": "yes"})
    chosen = {"action": "delete_selected", "_selected_action": other.pk, "post": "yes"}
    administrator.post(base, chosen)

    events = AuditEvent.objects.filter(action=AuditAction.ADMIN_DELETE)
    assert {each.person for each in events} == {token.user}
    assert len(events) == 2


def test_whatever_can_be_edited_here_is_audited() -> None:
    request = RequestFactory().get("/admin/")
    request.user = make_staff(superuser=True)
    edited = {
        model
        for model, site in admin.site._registry.items()
        if site.has_change_permission(request) or site.has_delete_permission(request)
    }

    # The two steps of a worker token are services, which write into the log themselves.
    assert all(isinstance(admin.site._registry[m], AuditedAdmin) for m in edited - {WorkerToken})


def test_staff_without_all_rights_cannot_take_them(client: Client) -> None:
    staff = make_staff()
    staff.user_permissions.set(Permission.objects.filter(content_type__app_label="accounts"))
    root, person = make_staff(superuser=True), make_user()
    client.force_login(staff)

    own = client.post(f"/admin/accounts/user/{staff.pk}/change/", {"is_superuser": "on"})
    other = client.post(f"/admin/accounts/user/{root.pk}/password/", {"password1": "x"})
    page = client.get(f"/admin/accounts/user/{person.pk}/change/")

    assert (own.status_code, other.status_code, page.status_code) == (403, 403, 200)
    assert not {"is_staff", "is_superuser"} & set(page.context["adminform"].form.fields)
