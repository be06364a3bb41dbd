from django.db import migrations, models


class Migration(migrations.Migration):
    why_it_may_lock = (
        "The new check reads the ledger once under its lock. Whoever needs the ledger meanwhile "
        "waits or tries again."
    )
    dependencies = [
        ("matches", "0006_revoked_results"),
        ("ratings", "0001_initial"),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="ledgerrow",
            name="ratings_applied_has_seq",
        ),
        migrations.AddField(
            model_name="ledgerrow",
            name="reason",
            field=models.CharField(
                blank=True,
                choices=[
                    ("void", "the match is void"),
                    ("no_sandbox", "its bots ran without a sandbox"),
                    ("same_version", "a bot version played against itself"),
                    ("all_failed", "no change: all seats failed"),
                    ("revoked", "the result was taken back"),
                ],
                db_default="",
                max_length=12,
            ),
        ),
        migrations.AddField(
            model_name="pool",
            name="fingerprint",
            field=models.CharField(blank=True, db_default="", max_length=64),
        ),
        migrations.AddField(
            model_name="pool",
            name="is_stale",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddField(
            model_name="pool",
            name="recomputes",
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
        migrations.AlterField(
            model_name="ledgerrow",
            name="state",
            field=models.CharField(
                choices=[
                    ("waiting", "not finished, or not applied yet"),
                    ("applied", "applied"),
                    ("skipped", "void or unrated: changes nothing"),
                    ("revoked", "taken back: counts no more"),
                ],
                default="waiting",
                max_length=8,
            ),
        ),
        migrations.AlterField(
            model_name="pool",
            name="algorithm_version",
            field=models.PositiveIntegerField(default=2),
        ),
        migrations.AddConstraint(
            model_name="ledgerrow",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("seq__isnull", False), ("state", "applied")),
                    ("state", "revoked"),
                    models.Q(("seq__isnull", True), ("state__in", ("waiting", "skipped"))),
                    _connector="OR",
                ),
                name="ratings_applied_has_seq",
            ),
        ),
    ]
