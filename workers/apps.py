from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules


class WorkersConfig(AppConfig):
    name = "workers"

    def ready(self) -> None:
        """Register our checks; they read models, so they cannot be imported earlier."""
        autodiscover_modules("checks")
