from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("matches", "0009_starved_hosts"),
    ]

    operations = [
        migrations.CreateModel(
            name="HeldLane",
            fields=[
                ("lane", models.PositiveBigIntegerField(primary_key=True, serialize=False)),
            ],
        ),
    ]
