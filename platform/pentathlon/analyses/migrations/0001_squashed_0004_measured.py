import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):
    """Begin a new database with the tables that the replaced migrations lead to."""

    initial = True

    replaces = [
        ("analyses", "0001_initial"),
        ("analyses", "0002_loans"),
        ("analyses", "0003_latest_loan"),
        ("analyses", "0004_measured"),
    ]

    dependencies = [
        ("matches", "0024_index_of_validations"),
    ]

    operations = [
        migrations.CreateModel(
            name="Analysis",
            fields=[
                (
                    "match",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="analysis",
                        serialize=False,
                        to="matches.match",
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "waiting"),
                            ("running", "being computed"),
                            ("done", "done"),
                            ("failed", "cannot be computed"),
                        ],
                        default="waiting",
                        max_length=8,
                    ),
                ),
                ("asked_at", models.DateTimeField(null=True)),
                ("sent_at", models.DateTimeField(null=True)),
                ("token", models.UUIDField(null=True)),
                ("lease_until", models.DateTimeField(null=True)),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("method", models.PositiveSmallIntegerField(default=0)),
                ("curve", models.JSONField(null=True)),
                ("cpu_ms", models.PositiveIntegerField(default=0)),
                ("error", models.CharField(blank=True, max_length=30)),
                (
                    "created_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
                ("ended_at", models.DateTimeField(null=True)),
                ("lent_at", models.DateTimeField(null=True)),
                ("lent_ms", models.PositiveIntegerField(null=True)),
                ("measured", models.JSONField(null=True)),
            ],
            options={
                "verbose_name_plural": "analyses",
                "indexes": [
                    models.Index(
                        condition=models.Q(("state", "waiting")),
                        fields=["asked_at", "-match"],
                        name="analyses_waiting",
                    ),
                    models.Index(
                        condition=models.Q(("state", "running")),
                        fields=["lease_until"],
                        name="analyses_running",
                    ),
                    models.Index(
                        condition=models.Q(("lent_at__isnull", False)),
                        fields=["-lent_at"],
                        name="analyses_lent",
                    ),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state", "done"), _negated=True),
                            ("curve__isnull", False),
                            _connector="OR",
                        ),
                        name="analyses_done_has_curve",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state", "running"), _negated=True),
                            models.Q(("lease_until__isnull", False), ("token__isnull", False)),
                            _connector="OR",
                        ),
                        name="analyses_running_has_lease",
                    ),
                ],
            },
        ),
    ]
