from django.apps import AppConfig


class TransparencyConfig(AppConfig):
    name = "pentathlon.transparency"
    label = "transparency"
