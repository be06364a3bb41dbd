from django.apps import AppConfig

from pentathlon.matches.endings import follow_corrections, follow_endings


class RivalryConfig(AppConfig):
    name = "pentathlon.rivalry"
    label = "rivalry"

    def ready(self) -> None:
        """Count results soon after matches end, and again if they are revoked."""
        # Models exist only from here on.
        from pentathlon.rivalry.services import queue_results  # noqa: PLC0415

        follow_endings(queue_results)
        follow_corrections(queue_results)
