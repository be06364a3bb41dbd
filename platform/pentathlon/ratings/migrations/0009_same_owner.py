from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("ratings", "0008_fewer_indexes")]

    operations = [
        migrations.AlterField(
            model_name="ledgerrow",
            name="reason",
            field=models.CharField(
                blank=True,
                choices=[
                    ("void", "the match is void"),
                    ("no_sandbox", "its bots ran without a sandbox"),
                    ("same_version", "a bot version played against itself"),
                    ("same_owner", "bots of one author: it counts in its tournament only"),
                    ("all_failed", "no change: all seats failed"),
                    ("repeat", "no change: the same match as an earlier one, move by move"),
                    ("revoked", "the result was taken back"),
                ],
                db_default="",
                max_length=12,
            ),
        )
    ]
