from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("bots", "0009_candidates"),
    ]

    operations = [
        migrations.AddField(
            model_name="botversion",
            name="is_build_trusted",
            field=models.BooleanField(db_default=True, default=True),
        ),
    ]
