from django.apps import AppConfig


class LocalConfig(AppConfig):
    name = "pentathlon.local"
    label = "local"
