from django.apps import AppConfig


class OAuthConfig(AppConfig):
    name = "pentathlon.oauth"
    label = "oauth"
