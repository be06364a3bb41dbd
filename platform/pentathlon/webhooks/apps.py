from django.apps import AppConfig


class WebhooksConfig(AppConfig):
    name = "pentathlon.webhooks"
    label = "webhooks"
