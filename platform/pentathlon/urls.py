"""Addresses: operations here, everything else in the apps."""

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path
from django_prometheus.exports import ExportToDjangoView

from pentathlon import health

urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", health.alive, name="healthz"),
    path("readyz", health.Readiness.as_view(), name="readyz"),
    path("metrics", ExportToDjangoView, name="metrics"),
    path("admin/", admin.site.urls),
    path("api/", include("api.urls")),
    path("", include("pentathlon.web.urls")),
]
