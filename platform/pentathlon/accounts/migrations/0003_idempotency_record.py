from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    """Rename a model, but not its table, which processes of the previous release read."""

    dependencies = (("accounts", "0002_clock_of_the_database"),)

    operations = (
        migrations.SeparateDatabaseAndState(
            state_operations=(
                migrations.RenameModel(old_name="KeptAnswer", new_name="IdempotencyRecord"),
                migrations.AlterModelTable(name="idempotencyrecord", table="accounts_keptanswer"),
                migrations.AlterField(
                    model_name="idempotencyrecord",
                    name="person",
                    field=models.ForeignKey(
                        on_delete=models.deletion.CASCADE,
                        related_name="idempotency_records",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ),
        ),
    )
