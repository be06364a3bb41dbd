"""Addresses: operations here, everything else in the apps."""

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path
from django.views.generic import RedirectView

from pentathlon import metrics
from pentathlon.web.views.sign_in import admin_sign_in

urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", metrics.alive, name="healthz"),
    path("readyz", metrics.ready, name="readyz"),
    path("admin/login/", admin_sign_in),
    path("admin/password_change/", RedirectView.as_view(pattern_name="password_change")),
    path("admin/", admin.site.urls),
    path("api/", include("api.urls")),
    path("", include("pentathlon.web.urls")),
]

handler400 = "pentathlon.web.views.errors.bad_request"
handler500 = "pentathlon.web.views.errors.server_error"
