import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    """Do at once what the replaced migrations do."""

    replaces = [
        ("fleet", "0002_untried_runtimes"),
        ("fleet", "0003_worker_tokens"),
        ("fleet", "0004_quarantined_tokens"),
    ]

    dependencies = [
        ("fleet", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="worker",
            name="untried",
            field=models.JSONField(db_default=[], default=list),
        ),
        migrations.AddField(
            model_name="worker",
            name="work",
            field=models.JSONField(db_default=[], default=list),
        ),
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
                (
                    "created_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
                ("last_used_at", models.DateTimeField(null=True)),
                ("revoked_at", models.DateTimeField(null=True)),
                ("quarantined_at", models.DateTimeField(null=True)),
                (
                    "created_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.AddField(
            model_name="worker",
            name="token",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="workers",
                to="fleet.workertoken",
            ),
        ),
    ]
