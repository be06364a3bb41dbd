from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("ladders", "0002_batches_of_tournaments")]

    operations = [
        migrations.AddField(
            model_name="laddermember",
            name="followed",
            field=models.PositiveIntegerField(db_default=0, default=0),
        )
    ]
