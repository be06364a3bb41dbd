from django.apps import AppConfig


class MatchesConfig(AppConfig):
    name = "pentathlon.matches"
    label = "matches"
