from django.apps import AppConfig


class CommonConfig(AppConfig):
    name = "pentathlon.common"
    label = "common"
