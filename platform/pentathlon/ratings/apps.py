from django.apps import AppConfig

from pentathlon.matches.endings import follow_endings


class RatingsConfig(AppConfig):
    name = "pentathlon.ratings"
    label = "ratings"

    def ready(self) -> None:
        """Apply results as soon as matches end."""
        # Models exist only from here on.
        from pentathlon.ratings.services import mark_ready  # noqa: PLC0415

        follow_endings(mark_ready)
