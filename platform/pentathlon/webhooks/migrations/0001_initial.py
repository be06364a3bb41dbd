import uuid

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

import pentathlon.webhooks.models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="WebhookEndpoint",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="endpoints",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "channel",
                    models.CharField(
                        choices=[("http", "webhook"), ("mail", "e-mail")],
                        default="http",
                        max_length=4,
                    ),
                ),
                ("url", models.CharField(blank=True, max_length=500)),
                ("site", models.CharField(max_length=300)),
                (
                    "salt",
                    models.CharField(default=pentathlon.webhooks.models.new_salt, max_length=64),
                ),
                ("old_salt", models.CharField(blank=True, max_length=64)),
                ("old_until", models.DateTimeField(null=True)),
                ("is_enabled", models.BooleanField(default=True)),
                ("disabled_reason", models.CharField(blank=True, max_length=300)),
                ("disabled_at", models.DateTimeField(null=True)),
                ("failures", models.PositiveIntegerField(default=0)),
                ("failing_since", models.DateTimeField(null=True)),
                ("paused_until", models.DateTimeField(null=True)),
                ("due_at", models.DateTimeField(null=True)),
                ("waiting", models.PositiveIntegerField(default=0)),
                ("missed", models.PositiveIntegerField(default=0)),
                (
                    "created_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
                ("deleted_at", models.DateTimeField(null=True)),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("due_at__isnull", False), ("failing_since", None)),
                        fields=["due_at", "id"],
                        name="webhooks_due",
                    ),
                    models.Index(
                        condition=models.Q(
                            ("due_at__isnull", False), ("failing_since__isnull", False)
                        ),
                        fields=["due_at", "id"],
                        name="webhooks_due_failing",
                    ),
                    models.Index(
                        condition=models.Q(("deleted_at__isnull", False)),
                        fields=["id"],
                        name="webhooks_deleted",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("channel", "mail")),
                        fields=("owner",),
                        name="webhooks_mail_once",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="OutboxEvent",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_id", models.UUIDField(default=uuid.uuid4, editable=False)),
                ("type", models.CharField(max_length=40)),
                ("data", models.JSONField()),
                ("audience", models.JSONField()),
                (
                    "endpoint",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="pings",
                        to="webhooks.webhookendpoint",
                    ),
                ),
                ("spread_after", models.BigIntegerField(default=0, null=True)),
                (
                    "happened_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("spread_after__isnull", False)),
                        fields=["id"],
                        name="webhooks_unspread",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Delivery",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "endpoint",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="deliveries",
                        to="webhooks.webhookendpoint",
                    ),
                ),
                (
                    "event",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="deliveries",
                        to="webhooks.outboxevent",
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "waiting"),
                            ("delivered", "delivered"),
                            ("failed", "given up"),
                        ],
                        default="waiting",
                        max_length=9,
                    ),
                ),
                ("tries", models.PositiveSmallIntegerField(default=0)),
                (
                    "next_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                (
                    "created_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
                ("ended_at", models.DateTimeField(null=True)),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("state", "waiting")),
                        fields=["endpoint", "next_at", "id"],
                        name="webhooks_waiting",
                    ),
                    models.Index(fields=["endpoint", "-id"], name="webhooks_of_endpoint"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("endpoint", "event"), name="webhooks_delivery_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="DeliveryAttempt",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "delivery",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="attempts",
                        to="webhooks.delivery",
                    ),
                ),
                ("status", models.PositiveSmallIntegerField(null=True)),
                ("error", models.CharField(blank=True, max_length=300)),
                ("answer", models.TextField(blank=True)),
                ("duration_ms", models.PositiveIntegerField()),
                (
                    "tried_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Subscription",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "endpoint",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="subscriptions",
                        to="webhooks.webhookendpoint",
                    ),
                ),
                ("event", models.CharField(max_length=40)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("event", "endpoint"), name="webhooks_subscription_once"
                    )
                ],
            },
        ),
    ]
