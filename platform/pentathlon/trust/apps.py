from django.apps import AppConfig

from pentathlon.matches.endings import follow_endings


class TrustConfig(AppConfig):
    name = "pentathlon.trust"
    label = "trust"

    def ready(self) -> None:
        """Draw spot checks soon after matches end."""
        # Models exist only from here on.
        from pentathlon.trust.spot_checks import sample_results  # noqa: PLC0415

        follow_endings(sample_results)
