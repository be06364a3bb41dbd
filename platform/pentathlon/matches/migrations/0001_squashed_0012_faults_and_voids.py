import uuid

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):
    """Begin a new database with the tables that the replaced migrations lead to."""

    initial = True

    replaces = [
        ("matches", "0001_initial"),
        ("matches", "0002_lifecycle"),
        ("matches", "0003_seat_facts"),
        ("matches", "0004_clock_of_the_database"),
        ("matches", "0005_blamed_version"),
        ("matches", "0006_revoked_results"),
        ("matches", "0007_indexes_for_growth"),
        ("matches", "0008_alias"),
        ("matches", "0009_starved_hosts"),
        ("matches", "0010_held_lanes"),
        ("matches", "0011_latest_of_game"),
        ("matches", "0012_faults_and_voids"),
    ]

    dependencies = [
        ("bots", "0009_candidates"),
    ]

    operations = [
        migrations.CreateModel(
            name="HeldLane",
            fields=[
                ("lane", models.PositiveBigIntegerField(primary_key=True, serialize=False)),
            ],
        ),
        migrations.CreateModel(
            name="MatchSeat",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("seat", models.PositiveSmallIntegerField()),
                ("rank", models.PositiveSmallIntegerField(null=True)),
                ("score", models.IntegerField(null=True)),
                ("fault_kind", models.CharField(blank=True, max_length=16)),
                ("fault_ply", models.PositiveIntegerField(null=True)),
                ("fault_detail", models.CharField(blank=True, max_length=300)),
                ("cpu_ms", models.PositiveIntegerField(default=0)),
                ("wall_ms", models.PositiveIntegerField(default=0)),
                ("memory_peak_mb", models.FloatField(default=0)),
                ("exit_status", models.IntegerField(null=True)),
                ("stderr_bytes", models.PositiveBigIntegerField(db_default=0, default=0)),
                ("stdout_bytes", models.PositiveBigIntegerField(db_default=0, default=0)),
                ("actions", models.PositiveIntegerField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name="Worker",
            fields=[
                ("name", models.CharField(max_length=80, primary_key=True, serialize=False)),
                ("slots", models.PositiveSmallIntegerField()),
                ("games", models.JSONField()),
                ("runtimes", models.JSONField()),
                ("sandbox", models.CharField(max_length=12)),
                ("layers", models.JSONField()),
                ("version", models.CharField(max_length=40)),
                ("is_draining", models.BooleanField(default=False)),
                ("started_at", models.DateTimeField()),
                ("seen_at", models.DateTimeField()),
                ("held_slots", models.PositiveSmallIntegerField(db_default=0, default=0)),
                ("starved", models.FloatField(db_default=0, default=0)),
            ],
        ),
        migrations.CreateModel(
            name="Match",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("validation", "validation of an upload"),
                            ("tournament", "tournament"),
                        ],
                        max_length=12,
                    ),
                ),
                ("game", models.CharField(max_length=30)),
                ("rules_version", models.PositiveIntegerField()),
                ("options", models.JSONField(default=dict)),
                ("seed", models.BigIntegerField()),
                ("limits", models.JSONField(default=dict)),
                ("rated", models.BooleanField(default=False)),
                ("on_hold", models.BooleanField(default=False)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("pending", "waiting"),
                            ("running", "running"),
                            ("done", "done"),
                            ("void", "void"),
                        ],
                        default="pending",
                        max_length=8,
                    ),
                ),
                ("state_reason", models.CharField(blank=True, max_length=300)),
                ("attempts_made", models.PositiveIntegerField(default=0)),
                ("token", models.UUIDField(null=True)),
                ("worker", models.CharField(blank=True, max_length=80)),
                ("lease_until", models.DateTimeField(null=True)),
                ("sent_at", models.DateTimeField(null=True)),
                ("ply", models.PositiveIntegerField(default=0)),
                ("outcome_reason", models.CharField(blank=True, max_length=30)),
                ("sandbox", models.CharField(blank=True, max_length=12)),
                ("chain", models.CharField(blank=True, max_length=64)),
                (
                    "created_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
                ("started_at", models.DateTimeField(null=True)),
                ("finished_at", models.DateTimeField(null=True)),
                ("host_faults", models.PositiveSmallIntegerField(db_default=0, default=0)),
                ("lane", models.PositiveBigIntegerField(db_default=0, default=0)),
                ("is_revoked", models.BooleanField(db_default=False, default=False)),
                ("alias", models.CharField(db_default="", default="", max_length=32)),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("state", "pending")),
                        fields=["sent_at"],
                        name="matches_sent",
                    ),
                    models.Index(
                        condition=models.Q(("state", "running")),
                        fields=["lease_until"],
                        name="matches_running",
                    ),
                    models.Index(fields=["game", "state", "-id"], name="matches_by_game"),
                    models.Index(
                        condition=models.Q(
                            ("on_hold", False), ("sent_at", None), ("state", "pending")
                        ),
                        fields=["kind", "lane", "id"],
                        name="matches_unsent",
                    ),
                    models.Index(
                        condition=models.Q(("state", "done")),
                        fields=["-finished_at", "-id"],
                        name="matches_latest",
                    ),
                    models.Index(
                        condition=models.Q(("state", "done")),
                        fields=["lane", "-finished_at"],
                        name="matches_latest_of_lane",
                    ),
                    models.Index(
                        condition=models.Q(("state", "pending")),
                        fields=["lane", "id"],
                        name="matches_waiting",
                    ),
                    models.Index(fields=["lane", "-id"], name="matches_of_lane"),
                    models.Index(
                        condition=models.Q(("state", "done")),
                        fields=["game", "-finished_at", "-id"],
                        name="matches_latest_of_game",
                    ),
                    models.Index(
                        condition=models.Q(("state", "void")),
                        fields=["lane", "-id"],
                        name="matches_void_of_lane",
                    ),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state", "running"), _negated=True),
                            models.Q(("lease_until__isnull", False), ("token__isnull", False)),
                            _connector="OR",
                        ),
                        name="matches_running_has_lease",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state", "done"), _negated=True),
                            ("finished_at__isnull", False),
                            _connector="OR",
                        ),
                        name="matches_done_has_time",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="SeatLog",
            fields=[
                (
                    "seat",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="log",
                        serialize=False,
                        to="matches.matchseat",
                    ),
                ),
                ("text", models.TextField(blank=True)),
                ("notes", models.JSONField(default=list)),
                ("trace", models.JSONField(null=True)),
            ],
        ),
        migrations.AddField(
            model_name="matchseat",
            name="match",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="seats",
                to="matches.match",
            ),
        ),
        migrations.AddField(
            model_name="matchseat",
            name="version",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="seats",
                to="bots.botversion",
            ),
        ),
        migrations.CreateModel(
            name="Attempt",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("token", models.UUIDField(default=uuid.uuid4, unique=True)),
                ("worker", models.CharField(max_length=80)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("running", "running"),
                            ("accepted", "result accepted"),
                            ("expired", "lease expired"),
                            ("failed", "failed on the host"),
                            ("returned", "given back by a worker that was asked to stop"),
                        ],
                        default="running",
                        max_length=8,
                    ),
                ),
                ("reason", models.CharField(blank=True, max_length=300)),
                ("result_hash", models.CharField(blank=True, max_length=64)),
                (
                    "started_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
                ("ended_at", models.DateTimeField(null=True)),
                ("blamed_version", models.PositiveBigIntegerField(null=True)),
                ("was_too_slow", models.BooleanField(db_default=False, default=False)),
                (
                    "match",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="attempts",
                        to="matches.match",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("match", "number"), name="matches_attempt_number"
                    )
                ],
            },
        ),
        migrations.AddIndex(
            model_name="matchseat",
            index=models.Index(fields=["version", "-match"], name="matches_of_version"),
        ),
        migrations.AddIndex(
            model_name="matchseat",
            index=models.Index(
                condition=models.Q(("rank__isnull", False)),
                fields=["version", "-match"],
                name="matches_ended_of_version",
            ),
        ),
        migrations.AddIndex(
            model_name="matchseat",
            index=models.Index(
                condition=models.Q(("fault_kind", ""), _negated=True),
                fields=["version", "-id"],
                name="matches_faults_of_version",
            ),
        ),
        migrations.AddIndex(
            model_name="matchseat",
            index=models.Index(
                condition=models.Q(("fault_kind", ""), _negated=True),
                fields=["-id"],
                name="matches_faults",
            ),
        ),
        migrations.AddConstraint(
            model_name="matchseat",
            constraint=models.UniqueConstraint(
                fields=("match", "seat"), name="matches_one_bot_per_seat"
            ),
        ),
    ]
