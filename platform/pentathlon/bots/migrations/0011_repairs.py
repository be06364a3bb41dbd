from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("bots", "0010_trusted_builds"),
    ]

    operations = [
        migrations.AddField(
            model_name="botversion",
            name="repairs",
            field=models.JSONField(db_default=[], default=list, editable=False),
        ),
    ]
