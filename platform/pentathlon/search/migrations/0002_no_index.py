from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("search", "0001_initial")]

    operations = [
        migrations.DeleteModel(name="IndexedKind"),
        migrations.DeleteModel(name="NameTerm"),
    ]
