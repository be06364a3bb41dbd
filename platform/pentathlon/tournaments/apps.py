from django.apps import AppConfig

from pentathlon.matches.endings import follow_endings


class TournamentsConfig(AppConfig):
    name = "pentathlon.tournaments"
    label = "tournaments"

    def ready(self) -> None:
        """Settle blocks as soon as their matches end."""
        # Models exist only from here on.
        from pentathlon.tournaments.scheduling.blocks import mark_due  # noqa: PLC0415

        follow_endings(mark_due)
