from django.apps import AppConfig


class TournamentsConfig(AppConfig):
    name = "pentathlon.tournaments"
    label = "tournaments"
