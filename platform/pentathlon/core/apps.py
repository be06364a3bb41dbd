from django.apps import AppConfig


class CommonConfig(AppConfig):
    name = "pentathlon.core"
    label = "common"
