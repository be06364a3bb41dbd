from django.db import migrations, models
from django.db.models import F


def take_for_verified(apps, schema_editor):  # type: ignore[no-untyped-def]  # as Django has it
    """Take existing addresses for verified: an update must not lock their owners out."""
    people = apps.get_model("accounts", "User").objects.using(schema_editor.connection.alias)
    people.exclude(email="").update(verified_email=F("email"))


class Migration(migrations.Migration):
    why_it_may_lock = "it writes the rows of people once: some thousands, within a second"

    dependencies = [
        ("accounts", "0006_accountdeletion"),
    ]

    operations = [
        migrations.AddField(
            model_name="user",
            name="verified_email",
            field=models.EmailField(
                blank=True, db_default="", default="", editable=False, max_length=254
            ),
        ),
        migrations.RunPython(take_for_verified, migrations.RunPython.noop),
    ]
