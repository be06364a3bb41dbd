import django.db.models.deletion
import django.db.models.functions.datetime
import django.db.models.functions.text
from django.conf import settings
from django.db import migrations, models

_ID = models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")
_NOW = django.db.models.functions.datetime.Now()


class Migration(migrations.Migration):
    why_it_may_lock = (
        "it takes away texts that anybody could type, and members whom nobody asked: changes of "
        "the catalogue alone"
    )

    dependencies = [
        ("tournaments", "0019_returning_entries"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.DeleteModel(name="TeamMember"),
        migrations.RemoveField(model_name="entry", name="team"),
        migrations.CreateModel(
            name="Team",
            fields=[
                ("id", _ID),
                ("name", models.CharField(max_length=80)),
                ("created_at", models.DateTimeField(db_default=_NOW, editable=False)),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="teams",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        django.db.models.functions.text.Lower("name"),
                        name="tournaments_team_name",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="TeamMember",
            fields=[
                ("id", _ID.clone()),
                ("invited_at", models.DateTimeField(db_default=_NOW, editable=False)),
                ("accepted_at", models.DateTimeField(null=True)),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="memberships",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="memberships",
                        to="tournaments.team",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("team", "person"), name="tournaments_member_once"
                    )
                ],
            },
        ),
        migrations.AddField(
            model_name="entry",
            name="team",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="entries",
                to="tournaments.team",
            ),
        ),
    ]
