from django.db import migrations


class Migration(migrations.Migration):
    """The app `fleet` has the model now; its table stays as it is."""

    dependencies = [
        ("matches", "0012_faults_and_voids"),
        ("fleet", "0001_initial"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[migrations.DeleteModel(name="Worker")],
        ),
    ]
