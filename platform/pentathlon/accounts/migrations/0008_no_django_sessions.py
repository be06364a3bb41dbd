from django.db import migrations


def forget_rights(apps, schema_editor):  # type: ignore[no-untyped-def]  # as Django has it
    """Delete the rights that the administration would go on offering for the table."""
    kinds = apps.get_model("contenttypes", "ContentType").objects
    kinds.using(schema_editor.connection.alias).filter(app_label="sessions").delete()


class Migration(migrations.Migration):
    """Drop the table of Django's own sessions; those in `accounts_browsersession` took its place."""

    why_it_may_lock = "the release before reads sessions from accounts_browsersession alone"

    dependencies = [
        ("accounts", "0007_verified_email"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]

    operations = [
        migrations.RunSQL("DROP TABLE IF EXISTS django_session", migrations.RunSQL.noop),
        migrations.RunPython(forget_rights, migrations.RunPython.noop),
    ]
