from importlib import import_module

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

_naming = import_module("pentathlon.matches.migrations.0023_name_validated_versions")


class Migration(migrations.Migration):
    """Do at once what the replaced migrations do."""

    replaces = [
        ("matches", "0013_worker_moves_to_fleet"),
        ("matches", "0014_live_of_lane"),
        ("matches", "0015_course"),
        ("matches", "0016_challenges"),
        ("matches", "0017_ladder_matches"),
        ("matches", "0018_hidden_lanes"),
        ("matches", "0019_attempts_of_tokens"),
        ("matches", "0020_attempts_by_token"),
        ("matches", "0021_reserved_matches"),
        ("matches", "0022_validated_version"),
        ("matches", "0023_name_validated_versions"),
        ("matches", "0024_index_of_validations"),
    ]

    dependencies = [
        ("matches", "0012_faults_and_voids"),
        ("fleet", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[migrations.DeleteModel(name="Worker")],
        ),
        migrations.CreateModel(
            name="HiddenLane",
            fields=[
                ("lane", models.PositiveBigIntegerField(primary_key=True, serialize=False)),
                ("hides_from", models.DateTimeField(null=True)),
                ("hides_until", models.DateTimeField(null=True)),
            ],
        ),
        migrations.AddField(
            model_name="attempt",
            name="worker_token",
            field=models.PositiveBigIntegerField(null=True),
        ),
        migrations.AddField(
            model_name="match",
            name="course",
            field=models.CharField(blank=True, db_default="", max_length=32),
        ),
        migrations.AddField(
            model_name="match",
            name="reserved_for",
            field=models.PositiveBigIntegerField(null=True),
        ),
        migrations.AddField(
            model_name="match",
            name="validated_version",
            field=models.PositiveBigIntegerField(null=True),
        ),
        migrations.AlterField(
            model_name="match",
            name="kind",
            field=models.CharField(
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
        migrations.AddIndex(
            model_name="attempt",
            index=models.Index(
                condition=models.Q(("worker_token__isnull", False)),
                fields=["worker_token", "id"],
                name="matches_attempt_of_token",
            ),
        ),
        migrations.AddIndex(
            model_name="match",
            index=models.Index(
                condition=models.Q(("state", "running")),
                fields=["lane"],
                name="matches_live_of_lane",
            ),
        ),
        migrations.AddIndex(
            model_name="match",
            index=models.Index(
                condition=models.Q(("validated_version__isnull", False)),
                fields=["validated_version", "id"],
                name="matches_validations",
            ),
        ),
        migrations.AddField(
            model_name="hiddenlane",
            name="organiser",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.RunPython(_naming.name_versions, migrations.RunPython.noop),
    ]
