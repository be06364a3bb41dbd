from django.apps import AppConfig


class OperationsConfig(AppConfig):
    """Backup, restore, retention and gauges, for operators of an installation."""

    name = "pentathlon.operations"
