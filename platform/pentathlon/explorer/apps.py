from django.apps import AppConfig


class ExplorerConfig(AppConfig):
    name = "pentathlon.explorer"
    label = "explorer"
