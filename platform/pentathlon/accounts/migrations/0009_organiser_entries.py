from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0008_no_django_sessions"),
    ]

    operations = [
        migrations.AddField(
            model_name="user",
            name="takes_organiser_entries",
            field=models.BooleanField(db_default=True, default=True),
        ),
    ]
