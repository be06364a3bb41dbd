from django.db import migrations, models


class Migration(migrations.Migration):
    """Let a log say when it expires, so that no late lane keeps the others."""

    why_it_may_lock = (
        "All rows have null in the new column, so that its index is made by one look at the table."
    )
    dependencies = [
        ("matches", "0029_repeated_lanes"),
    ]

    operations = [
        migrations.AddField(
            model_name="seatlog",
            name="ended_at",
            field=models.DateTimeField(db_index=True, null=True),
        ),
    ]
