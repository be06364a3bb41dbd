import django.db.models.deletion
import django.db.models.functions.datetime
import django.db.models.functions.text
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        # First: the fewer tables there are, the sooner the package changes its own.
        ("oauth2_provider", "0022_refreshtoken_token_family_index"),
    ]

    operations = [
        migrations.CreateModel(
            name="Archive",
            fields=[
                ("damaged_at", models.DateTimeField(editable=False, null=True)),
                (
                    "content_hash",
                    models.CharField(max_length=71, primary_key=True, serialize=False),
                ),
                ("data", models.BinaryField()),
                ("unpacked_bytes", models.PositiveIntegerField()),
                ("files", models.PositiveIntegerField()),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("damaged_at__isnull", False)),
                        fields=["content_hash"],
                        name="bots_damaged_archive",
                    )
                ],
            },
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
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="bots",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("name", models.CharField(max_length=64)),
                ("is_reference", models.BooleanField(db_default=False, default=False)),
                (
                    "created_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        django.db.models.functions.text.Lower("name"), name="bots_name_any_case"
                    )
                ],
            },
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
                (
                    "bot",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="versions",
                        to="bots.bot",
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                (
                    "archive",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="versions",
                        to="bots.archive",
                    ),
                ),
                (
                    "model",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="modelled_versions",
                        to="bots.archive",
                    ),
                ),
                (
                    "built",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="built_versions",
                        to="bots.archive",
                    ),
                ),
                ("is_build_trusted", models.BooleanField(db_default=True, default=True)),
                (
                    "built_by",
                    models.CharField(blank=True, db_default="", default="", max_length=80),
                ),
                (
                    "second_build",
                    models.CharField(blank=True, db_default="", default="", max_length=71),
                ),
                ("manifest", models.JSONField()),
                ("repairs", models.JSONField(db_default=[], default=list, editable=False)),
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
                (
                    "stopped_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("is_seated", models.BooleanField(db_default=False, default=False)),
                ("is_candidate", models.BooleanField(db_default=False, default=False)),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("is_seated", False), ("state", "eligible")),
                        fields=["id"],
                        name="bots_version_unseated",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("bot", "number"), name="bots_version_number"),
                    models.UniqueConstraint(
                        fields=("bot", "archive"), name="bots_version_content"
                    ),
                ],
            },
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
        migrations.CreateModel(
            name="VersionGame",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="games",
                        to="bots.botversion",
                    ),
                ),
                ("game", models.CharField(max_length=30)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("version", "game"), name="bots_version_game")
                ],
            },
        ),
    ]
