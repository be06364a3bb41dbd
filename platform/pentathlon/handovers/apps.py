from django.apps import AppConfig


class HandoversConfig(AppConfig):
    name = "pentathlon.handovers"
    label = "handovers"
