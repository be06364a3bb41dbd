import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    why_it_may_lock = "that a number may be null is a change of the catalogue alone"

    dependencies = [
        ("tournaments", "0005_block_index"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="entry",
            name="is_settled",
            field=models.BooleanField(db_default=True, default=True),
        ),
        migrations.AddField(
            model_name="entry",
            name="left_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="entry",
            name="left_by",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="entry",
            name="reason",
            field=models.CharField(blank=True, db_default="", max_length=300),
        ),
        migrations.AddField(
            model_name="entry",
            name="revokes_results",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddField(
            model_name="entry",
            name="state",
            field=models.CharField(
                choices=[
                    ("active", "takes part"),
                    ("withdrawn", "withdrawn"),
                    ("disqualified", "disqualified"),
                ],
                db_default="active",
                default="active",
                max_length=12,
            ),
        ),
        migrations.AlterField(
            model_name="entry",
            name="number",
            field=models.PositiveIntegerField(null=True),
        ),
    ]
