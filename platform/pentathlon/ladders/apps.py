from django.apps import AppConfig


class LaddersConfig(AppConfig):
    name = "pentathlon.ladders"
    label = "ladders"
