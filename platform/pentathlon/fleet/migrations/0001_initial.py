import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="WorkerToken",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=60, unique=True)),
                ("digest", models.CharField(max_length=128, unique=True)),
                ("work", models.JSONField(default=list)),
                ("slots", models.PositiveSmallIntegerField(db_default=16, default=16)),
                ("told_matches", models.JSONField(db_default=[], default=list)),
                ("passed_hints", models.PositiveIntegerField(db_default=0, default=0)),
                ("passed_since", models.DateTimeField(null=True)),
                ("fruitless_since", models.DateTimeField(null=True)),
                (
                    "created_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "created_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
                ("last_used_at", models.DateTimeField(null=True)),
                ("revoked_at", models.DateTimeField(null=True)),
                ("quarantined_at", models.DateTimeField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name="Worker",
            fields=[
                ("name", models.CharField(max_length=80, primary_key=True, serialize=False)),
                ("slots", models.PositiveSmallIntegerField()),
                ("games", models.JSONField()),
                ("runtimes", models.JSONField()),
                ("untried", models.JSONField(db_default=[], default=list)),
                ("sandbox", models.CharField(max_length=12)),
                ("layers", models.JSONField()),
                ("version", models.CharField(max_length=40)),
                ("is_draining", models.BooleanField(default=False)),
                ("starved", models.FloatField(db_default=0, default=0)),
                ("held_slots", models.PositiveSmallIntegerField(db_default=0, default=0)),
                (
                    "token",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="workers",
                        to="fleet.workertoken",
                    ),
                ),
                ("work", models.JSONField(db_default=[], default=list)),
                ("started_at", models.DateTimeField()),
                ("seen_at", models.DateTimeField()),
            ],
        ),
    ]
