from django.apps import AppConfig


class BotsConfig(AppConfig):
    name = "pentathlon.bots"
    label = "bots"
