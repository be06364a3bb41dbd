import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    """Let visitors, who have no account, send a form once, too."""

    why_it_may_lock = "The table holds the answers of one day, so that an index takes moments."

    dependencies = [
        ("accounts", "0009_organiser_entries"),
    ]

    operations = [
        migrations.AlterField(
            model_name="idempotencyrecord",
            name="person",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="idempotency_records",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddConstraint(
            model_name="idempotencyrecord",
            constraint=models.UniqueConstraint(
                condition=models.Q(("person", None)),
                fields=("key",),
                name="accounts_answer_visitor_once",
            ),
        ),
    ]
