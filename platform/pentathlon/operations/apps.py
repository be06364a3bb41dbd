from django.apps import AppConfig


class OperationsConfig(AppConfig):
    """Backup and restore, for those who keep an installation running."""

    name = "pentathlon.operations"
