import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from pentathlon.accounts.names import digest_of


def take_names(apps, schema_editor):  # type: ignore[no-untyped-def]  # as Django has it
    """Note the names that people have; of names that look alike, the first has it."""
    database = schema_editor.connection.alias
    people = apps.get_model("accounts", "User").objects.using(database).order_by("pk")
    taken = apps.get_model("accounts", "TakenName")
    rows = [
        taken(kind="author", digest=digest_of(name), holder_id=pk)
        for pk, name in people.values_list("pk", "username").iterator()
    ]
    taken.objects.using(database).bulk_create(rows, batch_size=500, ignore_conflicts=True)


class Migration(migrations.Migration):
    why_it_may_lock = "it writes into a table that nobody else knows yet"

    dependencies = [
        ("accounts", "0010_keys_of_visitors"),
    ]

    operations = [
        migrations.CreateModel(
            name="TakenName",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[("author", "people and teams"), ("bot", "bots")], max_length=10
                    ),
                ),
                ("digest", models.CharField(max_length=64)),
                (
                    "holder",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("kind", "digest"), name="accounts_name_once")
                ],
            },
        ),
        migrations.RunPython(take_names, migrations.RunPython.noop),
    ]
