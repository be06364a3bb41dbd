from django.apps import AppConfig


class FleetConfig(AppConfig):
    name = "pentathlon.fleet"
    label = "fleet"
