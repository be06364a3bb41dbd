import uuid

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("bots", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="DeskRecord",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "author",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="desk_records",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("game", models.CharField(max_length=30)),
                ("rules_version", models.PositiveIntegerField()),
                ("bots", models.JSONField()),
                ("ranks", models.JSONField()),
                ("scores", models.JSONField(null=True)),
                ("faults", models.JSONField(default=list)),
                ("outcome_reason", models.CharField(max_length=30)),
                ("plies", models.PositiveIntegerField()),
                ("chain", models.CharField(max_length=64, unique=True)),
                ("codec", models.CharField(max_length=8)),
                ("data", models.BinaryField()),
                (
                    "created_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["author", "-id"], name="desk_records_of_author"),
                    models.Index(fields=["author", "created_at"], name="desk_records_quota"),
                ],
            },
        ),
        migrations.CreateModel(
            name="HeldLane",
            fields=[
                ("lane", models.PositiveBigIntegerField(primary_key=True, serialize=False)),
            ],
        ),
        migrations.CreateModel(
            name="HiddenLane",
            fields=[
                ("lane", models.PositiveBigIntegerField(primary_key=True, serialize=False)),
                (
                    "organiser",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("hides_from", models.DateTimeField(null=True)),
                ("hides_until", models.DateTimeField(null=True)),
                (
                    "co_organisers",
                    models.ManyToManyField(related_name="+", to=settings.AUTH_USER_MODEL),
                ),
            ],
        ),
        migrations.CreateModel(
            name="LogContinuation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("size", models.PositiveBigIntegerField()),
                (
                    "at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="LogRoot",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("damaged_at", models.DateTimeField(editable=False, null=True)),
                ("day", models.DateField(unique=True)),
                ("size", models.PositiveBigIntegerField()),
                ("note", models.TextField()),
                (
                    "created_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
            ],
            options={
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="LogTile",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("damaged_at", models.DateTimeField(editable=False, null=True)),
                ("level", models.PositiveSmallIntegerField()),
                ("index", models.PositiveBigIntegerField()),
                ("hashes", models.BinaryField()),
                ("digest", models.CharField(blank=True, db_default="", max_length=64)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("level", "index"), name="transparency_tile_once"
                    )
                ],
            },
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
                            ("challenge", "challenge"),
                            ("ladder", "ladder"),
                            ("spot_check", "played again to check a worker"),
                        ],
                        max_length=12,
                    ),
                ),
                ("game", models.CharField(max_length=30)),
                ("rules_version", models.PositiveIntegerField()),
                ("options", models.JSONField(default=dict)),
                ("seed", models.BigIntegerField()),
                ("alias", models.CharField(db_default="", default="", max_length=32)),
                ("limits", models.JSONField(default=dict)),
                ("rated", models.BooleanField(default=False)),
                ("lane", models.PositiveBigIntegerField(db_default=0, default=0)),
                ("validated_version", models.PositiveBigIntegerField(null=True)),
                ("newcomer_of", models.PositiveBigIntegerField(null=True)),
                ("reserved_for", models.PositiveBigIntegerField(null=True)),
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
                ("host_faults", models.PositiveSmallIntegerField(db_default=0, default=0)),
                ("token", models.UUIDField(null=True)),
                ("worker", models.CharField(blank=True, max_length=80)),
                ("lease_until", models.DateTimeField(null=True)),
                ("sent_at", models.DateTimeField(null=True)),
                ("ply", models.PositiveIntegerField(default=0)),
                ("progressed_at", models.DateTimeField(null=True)),
                ("outcome_reason", models.CharField(blank=True, max_length=30)),
                ("sandbox", models.CharField(blank=True, max_length=12)),
                ("chain", models.CharField(blank=True, max_length=64)),
                ("course", models.CharField(blank=True, db_default="", max_length=32)),
                ("referee_build", models.CharField(blank=True, db_default="", max_length=40)),
                ("bots_build", models.CharField(blank=True, db_default="", max_length=40)),
                ("traceparent", models.CharField(blank=True, db_default="", max_length=55)),
                (
                    "created_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
                ("started_at", models.DateTimeField(null=True)),
                ("finished_at", models.DateTimeField(null=True)),
                ("is_revoked", models.BooleanField(db_default=False, default=False)),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("sent_at", None), ("state", "pending")),
                        fields=["kind", "lane", "id"],
                        name="matches_unsent",
                    ),
                    models.Index(
                        condition=models.Q(
                            ("sent_at", None),
                            ("state", "pending"),
                            ("newcomer_of__isnull", False),
                        ),
                        fields=["newcomer_of", "id"],
                        name="matches_of_newcomers",
                    ),
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
                        condition=models.Q(("state", "done")),
                        fields=["-finished_at", "-id"],
                        name="matches_latest",
                    ),
                    models.Index(
                        condition=models.Q(("state", "done")),
                        fields=["game", "-finished_at", "-id"],
                        name="matches_latest_of_game",
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
                    models.Index(
                        condition=models.Q(("state", "pending")),
                        fields=["id"],
                        name="matches_waiting_in_turn",
                    ),
                    models.Index(
                        condition=models.Q(("state", "pending"), _negated=True),
                        fields=["-id"],
                        name="matches_begun",
                    ),
                    models.Index(fields=["lane", "-id"], name="matches_of_lane"),
                    models.Index(
                        condition=models.Q(("state", "running")),
                        fields=["lane"],
                        name="matches_live_of_lane",
                    ),
                    models.Index(
                        condition=models.Q(("state", "void")),
                        fields=["lane", "-id"],
                        name="matches_void_of_lane",
                    ),
                    models.Index(
                        condition=models.Q(("validated_version__isnull", False)),
                        fields=["validated_version", "id"],
                        name="matches_validations",
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
            name="Attempt",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "match",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="attempts",
                        to="matches.match",
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("token", models.UUIDField(default=uuid.uuid4, unique=True)),
                ("worker", models.CharField(max_length=80)),
                ("worker_token", models.PositiveBigIntegerField(null=True)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("running", "running"),
                            ("accepted", "result accepted"),
                            ("expired", "lease expired"),
                            ("failed", "failed on the host"),
                            ("returned", "given back by a worker that was asked to stop"),
                            ("stalled", "taken from a worker that made no progress"),
                        ],
                        default="running",
                        max_length=8,
                    ),
                ),
                ("reason", models.CharField(blank=True, max_length=300)),
                ("blamed_version", models.PositiveBigIntegerField(null=True)),
                ("was_too_slow", models.BooleanField(db_default=False, default=False)),
                ("result_hash", models.CharField(blank=True, max_length=64)),
                (
                    "started_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
                ("ended_at", models.DateTimeField(null=True)),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("worker_token__isnull", False)),
                        fields=["worker_token", "id"],
                        name="matches_attempt_of_token",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("match", "number"), name="matches_attempt_number"
                    )
                ],
            },
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
                (
                    "match",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="seats",
                        to="matches.match",
                    ),
                ),
                ("seat", models.PositiveSmallIntegerField()),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="seats",
                        to="bots.botversion",
                    ),
                ),
                ("rank", models.PositiveSmallIntegerField(null=True)),
                ("score", models.IntegerField(null=True)),
                ("fault_kind", models.CharField(blank=True, max_length=16)),
                ("fault_ply", models.PositiveIntegerField(null=True)),
                ("fault_detail", models.CharField(blank=True, max_length=300)),
                ("cpu_ms", models.PositiveIntegerField(default=0)),
                ("wall_ms", models.PositiveIntegerField(default=0)),
                ("memory_peak_mb", models.FloatField(default=0)),
                ("exit_status", models.IntegerField(null=True)),
                ("stdout_bytes", models.PositiveBigIntegerField(db_default=0, default=0)),
                ("stderr_bytes", models.PositiveBigIntegerField(db_default=0, default=0)),
                ("actions", models.PositiveIntegerField(null=True)),
            ],
            options={
                "indexes": [
                    models.Index(fields=["version", "-match"], name="matches_of_version"),
                    models.Index(
                        condition=models.Q(("rank__isnull", False)),
                        fields=["version", "-match"],
                        name="matches_ended_of_version",
                    ),
                    models.Index(
                        condition=models.Q(("fault_kind", ""), _negated=True),
                        fields=["version", "-id"],
                        name="matches_faults_of_version",
                    ),
                    models.Index(
                        condition=models.Q(("fault_kind", ""), _negated=True),
                        fields=["-id"],
                        name="matches_faults",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("match", "seat"), name="matches_one_bot_per_seat"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="RepeatedLane",
            fields=[
                ("lane", models.PositiveBigIntegerField(primary_key=True, serialize=False)),
            ],
        ),
        migrations.CreateModel(
            name="Replay",
            fields=[
                ("damaged_at", models.DateTimeField(editable=False, null=True)),
                (
                    "match",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="replay",
                        serialize=False,
                        to="matches.match",
                    ),
                ),
                ("codec", models.CharField(max_length=8)),
                ("data", models.BinaryField()),
                (
                    "object_name",
                    models.CharField(blank=True, db_default="", default="", max_length=120),
                ),
                ("raw_bytes", models.PositiveIntegerField()),
                (
                    "created_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
                ("awaits_log", models.BooleanField(db_default=True, default=True)),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("damaged_at__isnull", False)),
                        fields=["match"],
                        name="replays_damaged",
                    ),
                    models.Index(
                        condition=models.Q(("awaits_log", True)),
                        fields=["match"],
                        name="replays_awaiting_log",
                    ),
                    models.Index(
                        condition=models.Q(("object_name", "")),
                        fields=["created_at"],
                        name="replays_in_database",
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
                ("ended_at", models.DateTimeField(db_index=True, null=True)),
            ],
        ),
        migrations.CreateModel(
            name="SigningKey",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("text", models.CharField(max_length=200, unique=True)),
                (
                    "created_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="LogEntry",
            fields=[
                ("damaged_at", models.DateTimeField(editable=False, null=True)),
                ("index", models.PositiveBigIntegerField(primary_key=True, serialize=False)),
                (
                    "match",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="log_entries",
                        to="matches.match",
                    ),
                ),
                ("receipt", models.TextField()),
                ("signature", models.BinaryField()),
                (
                    "key",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="matches.signingkey",
                    ),
                ),
                (
                    "created_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("damaged_at__isnull", False)),
                        fields=["index"],
                        name="transparency_damaged",
                    )
                ],
            },
        ),
    ]
