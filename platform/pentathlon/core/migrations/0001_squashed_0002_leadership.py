from django.db import migrations, models


class Migration(migrations.Migration):
    """Begin a new database with the tables that the replaced migrations lead to."""

    initial = True

    replaces = [
        ("common", "0001_initial"),
        ("common", "0002_leadership"),
    ]

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="Leadership",
            fields=[
                ("name", models.CharField(max_length=40, primary_key=True, serialize=False)),
                ("holder", models.CharField(max_length=80)),
                ("until", models.DateTimeField()),
            ],
            options={
                "db_table": "common_lease",
            },
        ),
    ]
