from django.db import migrations


class Migration(migrations.Migration):
    """Rename a model, but not its table, which processes of the previous release read."""

    dependencies = (("common", "0001_initial"),)

    operations = (
        migrations.SeparateDatabaseAndState(
            state_operations=(
                migrations.RenameModel(old_name="Lease", new_name="Leadership"),
                migrations.AlterModelTable(name="leadership", table="common_lease"),
            ),
        ),
    )
