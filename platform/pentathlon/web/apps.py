from django.apps import AppConfig


class WebConfig(AppConfig):
    name = "pentathlon.web"
    label = "web"
