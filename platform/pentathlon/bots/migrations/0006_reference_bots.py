from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("bots", "0005_stopped_versions"),
    ]

    operations = [
        migrations.AddField(
            model_name="bot",
            name="is_reference",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddField(
            model_name="botversion",
            name="is_seated",
            field=models.BooleanField(db_default=False, default=False),
        ),
    ]
