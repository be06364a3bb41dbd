from django.apps import AppConfig


class AuditConfig(AppConfig):
    name = "pentathlon.audit"
    label = "audit"
