from django.db import migrations, models
from django.db.models import Q

from pentathlon.common.indexes import AddIndexOnline, RemoveIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("matches", "0006_revoked_results"),
    ]

    operations = [
        AddIndexOnline(
            model_name="match",
            index=models.Index(
                fields=("-finished_at", "-id"),
                condition=Q(state="done"),
                name="matches_latest",
            ),
        ),
        AddIndexOnline(
            model_name="match",
            index=models.Index(
                fields=("lane", "-finished_at"),
                condition=Q(state="done"),
                name="matches_latest_of_lane",
            ),
        ),
        AddIndexOnline(
            model_name="match",
            index=models.Index(
                fields=("lane", "id"),
                condition=Q(state="pending"),
                name="matches_waiting",
            ),
        ),
        AddIndexOnline(
            model_name="match",
            index=models.Index(fields=("lane", "-id"), name="matches_of_lane"),
        ),
        AddIndexOnline(
            model_name="matchseat",
            index=models.Index(
                fields=("version", "-match"),
                condition=Q(rank__isnull=False),
                name="matches_ended_of_version",
            ),
        ),
        AddIndexOnline(
            model_name="matchseat",
            index=models.Index(
                fields=("version", "-id"),
                condition=~Q(fault_kind=""),
                name="matches_faults_of_version",
            ),
        ),
        RemoveIndexOnline(model_name="match", name="matches_recent"),
    ]
