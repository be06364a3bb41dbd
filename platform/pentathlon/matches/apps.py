from django.apps import AppConfig

from pentathlon.matches.endings import follow_endings


class MatchesConfig(AppConfig):
    name = "pentathlon.matches"
    label = "matches"

    def ready(self) -> None:
        """Notify authors when matches of their bots end."""
        # Models exist only from here on.
        from pentathlon.matches.notices import note_finished  # noqa: PLC0415

        follow_endings(note_finished)
