from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = (("matches", "0007_indexes_for_growth"),)

    operations = (
        migrations.AddField(
            model_name="match",
            name="alias",
            field=models.CharField(db_default="", default="", max_length=32),
        ),
    )
