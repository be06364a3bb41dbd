from django.apps import AppConfig


class AnalysesConfig(AppConfig):
    name = "pentathlon.analyses"
    label = "analyses"
