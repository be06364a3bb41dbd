from django.apps import AppConfig


class DatasetsConfig(AppConfig):
    name = "pentathlon.datasets"
    label = "datasets"
