import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("bots", "0004_clock_of_the_database"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="botversion",
            name="stopped_at",
            field=models.DateTimeField(null=True),
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
        migrations.AlterField(
            model_name="botversion",
            name="state",
            field=models.CharField(
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
    ]
