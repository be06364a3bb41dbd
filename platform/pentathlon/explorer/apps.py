from django.apps import AppConfig

from pentathlon.matches.endings import follow_corrections


class ExplorerConfig(AppConfig):
    name = "pentathlon.explorer"
    label = "explorer"

    def ready(self) -> None:
        """Follow corrections of results."""
        # Models exist only from here on.
        from pentathlon.explorer.services import recount  # noqa: PLC0415

        follow_corrections(recount)
