import django.db.models.deletion
import django.db.models.functions.datetime
import django.db.models.functions.text
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    """Begin a new database with the tables that the replaced migrations lead to."""

    initial = True

    replaces = [
        ("bots", "0001_initial"),
        ("bots", "0002_unchecked_versions"),
        ("bots", "0003_built"),
        ("bots", "0004_clock_of_the_database"),
        ("bots", "0005_stopped_versions"),
        ("bots", "0006_reference_bots"),
        ("bots", "0007_unseated_versions"),
        ("bots", "0008_build_logs"),
        ("bots", "0009_candidates"),
    ]

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Archive",
            fields=[
                (
                    "content_hash",
                    models.CharField(max_length=71, primary_key=True, serialize=False),
                ),
                ("data", models.BinaryField()),
                ("unpacked_bytes", models.PositiveIntegerField()),
                ("files", models.PositiveIntegerField()),
            ],
        ),
        migrations.CreateModel(
            name="BotVersion",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("manifest", models.JSONField()),
                ("notes", models.CharField(blank=True, max_length=200)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("validating", "being validated"),
                            ("eligible", "may play"),
                            ("rejected", "failed validation"),
                            ("unchecked", "not validated: our machines failed"),
                            ("retired", "no longer scheduled"),
                            ("stopped", "stopped: it fails at its start"),
                            ("disqualified", "disqualified"),
                        ],
                        db_index=True,
                        default="validating",
                        max_length=12,
                    ),
                ),
                ("state_reason", models.CharField(blank=True, max_length=300)),
                ("validation_log", models.TextField(blank=True)),
                (
                    "created_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
                ("validated_at", models.DateTimeField(null=True)),
                ("stopped_at", models.DateTimeField(null=True)),
                ("is_seated", models.BooleanField(db_default=False, default=False)),
                ("is_candidate", models.BooleanField(db_default=False, default=False)),
                (
                    "archive",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="versions",
                        to="bots.archive",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Bot",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=64)),
                (
                    "created_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
                ("is_reference", models.BooleanField(db_default=False, default=False)),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="bots",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="BuildLog",
            fields=[
                (
                    "version",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="build_log",
                        serialize=False,
                        to="bots.botversion",
                    ),
                ),
                ("text", models.TextField(blank=True)),
            ],
        ),
        migrations.AddField(
            model_name="botversion",
            name="bot",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="versions", to="bots.bot"
            ),
        ),
        migrations.AddField(
            model_name="botversion",
            name="built",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="built_versions",
                to="bots.archive",
            ),
        ),
        migrations.AddField(
            model_name="botversion",
            name="stopped_by",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.CreateModel(
            name="VersionGame",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("game", models.CharField(max_length=30)),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="games",
                        to="bots.botversion",
                    ),
                ),
            ],
        ),
        migrations.AddConstraint(
            model_name="bot",
            constraint=models.UniqueConstraint(
                django.db.models.functions.text.Lower("name"), name="bots_name_any_case"
            ),
        ),
        migrations.AddIndex(
            model_name="botversion",
            index=models.Index(
                condition=models.Q(("is_seated", False), ("state", "eligible")),
                fields=["id"],
                name="bots_version_unseated",
            ),
        ),
        migrations.AddConstraint(
            model_name="botversion",
            constraint=models.UniqueConstraint(
                fields=("bot", "number"), name="bots_version_number"
            ),
        ),
        migrations.AddConstraint(
            model_name="botversion",
            constraint=models.UniqueConstraint(
                fields=("bot", "archive"), name="bots_version_content"
            ),
        ),
        migrations.AddConstraint(
            model_name="versiongame",
            constraint=models.UniqueConstraint(
                fields=("version", "game"), name="bots_version_game"
            ),
        ),
    ]
