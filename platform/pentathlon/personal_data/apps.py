from django.apps import AppConfig


class PersonalDataConfig(AppConfig):
    name = "pentathlon.personal_data"
    label = "personal_data"
