from django.db import migrations, models


class Migration(migrations.Migration):
    why_it_may_lock = "that a number may be null is a change of the catalogue alone"

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
