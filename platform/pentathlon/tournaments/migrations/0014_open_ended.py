from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tournaments", "0013_no_fold_at_tables"),
    ]

    operations = [
        migrations.AddField(
            model_name="tournament",
            name="is_open_ended",
            field=models.BooleanField(db_default=False, default=False),
        ),
    ]
