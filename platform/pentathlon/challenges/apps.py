from django.apps import AppConfig

from pentathlon.matches.endings import follow_endings


class ChallengesConfig(AppConfig):
    name = "pentathlon.challenges"
    label = "challenges"

    def ready(self) -> None:
        """Count challenges as soon as their matches end."""
        # Models exist only from here on.
        from pentathlon.challenges.services import count_endings  # noqa: PLC0415

        follow_endings(count_endings)
