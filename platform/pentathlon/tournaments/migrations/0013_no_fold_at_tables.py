from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tournaments", "0012_rank_intervals"),
    ]

    operations = [
        migrations.AlterField(
            model_name="finalrow",
            name="fold_mu",
            field=models.FloatField(null=True),
        ),
        migrations.AlterField(
            model_name="finalrow",
            name="fold_sigma",
            field=models.FloatField(null=True),
        ),
    ]
