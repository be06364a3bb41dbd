from django.db import migrations

from pentathlon.accounts.names import digest_of


def take_names(apps, schema_editor):  # type: ignore[no-untyped-def]  # as Django has it
    """Note the names that bots have; of names that look alike, the first has it."""
    database = schema_editor.connection.alias
    bots = apps.get_model("bots", "Bot").objects.using(database).order_by("pk")
    taken = apps.get_model("accounts", "TakenName")
    rows = [
        taken(kind="bot", digest=digest_of(name), holder_id=owner)
        for name, owner in bots.values_list("name", "owner_id").iterator()
    ]
    taken.objects.using(database).bulk_create(rows, batch_size=500, ignore_conflicts=True)


class Migration(migrations.Migration):
    why_it_may_lock = "it reads bots and writes names, which nobody else has yet"

    dependencies = [
        ("accounts", "0011_taken_names"),
        ("bots", "0011_repairs"),
    ]

    operations = [
        migrations.RunPython(take_names, migrations.RunPython.noop),
    ]
