from django.apps import AppConfig


class RankingsConfig(AppConfig):
    name = "pentathlon.rankings"
    label = "rankings"
