from django.apps import AppConfig


class DeskRecordsConfig(AppConfig):
    name = "pentathlon.desk_records"
    label = "desk_records"
