from django.apps import AppConfig


class ReplaysConfig(AppConfig):
    name = "pentathlon.replays"
    label = "replays"
