from django.db import migrations


class Migration(migrations.Migration):
    """Rename a model; its table keeps its name, which processes of the release before read."""

    dependencies = (("common", "0001_initial"),)

    operations = (
        migrations.SeparateDatabaseAndState(
            state_operations=(
                migrations.RenameModel(old_name="Lease", new_name="Leadership"),
                migrations.AlterModelTable(name="leadership", table="common_lease"),
            ),
        ),
    )
