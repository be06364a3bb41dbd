from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "pentathlon.accounts"
    label = "accounts"
