from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("bots", "0008_build_logs"),
    ]

    operations = [
        migrations.AddField(
            model_name="botversion",
            name="is_candidate",
            field=models.BooleanField(db_default=False, default=False),
        ),
    ]
