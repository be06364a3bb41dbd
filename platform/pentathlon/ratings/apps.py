from django.apps import AppConfig


class RatingsConfig(AppConfig):
    name = "pentathlon.ratings"
    label = "ratings"
