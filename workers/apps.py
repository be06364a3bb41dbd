from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules


class WorkersConfig(AppConfig):
    name = "workers"

    def ready(self) -> None:
        """Have Django know our checks, which read models: they can't be imported earlier."""
        autodiscover_modules("checks")
