from django.apps import AppConfig


class SearchConfig(AppConfig):
    name = "pentathlon.search"
    label = "search"
