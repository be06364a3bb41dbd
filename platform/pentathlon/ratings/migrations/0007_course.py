from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("ratings", "0006_scopes_and_epochs"),
    ]

    operations = [
        migrations.AlterField(
            model_name="pool",
            name="algorithm_version",
            field=models.PositiveIntegerField(default=3),
        ),
        migrations.AddField(
            model_name="ledgerrow",
            name="course",
            field=models.BigIntegerField(null=True),
        ),
        migrations.AlterField(
            model_name="ledgerrow",
            name="reason",
            field=models.CharField(
                blank=True,
                choices=[
                    ("void", "the match is void"),
                    ("no_sandbox", "its bots ran without a sandbox"),
                    ("same_version", "a bot version played against itself"),
                    ("all_failed", "no change: all seats failed"),
                    ("repeat", "no change: the same match as an earlier one, move by move"),
                    ("revoked", "the result was taken back"),
                ],
                db_default="",
                max_length=12,
            ),
        ),
    ]
