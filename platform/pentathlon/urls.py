"""Addresses: operations here, everything else in the apps."""

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path

from pentathlon import health
from pentathlon.web.throttle import throttle_sign_ins

urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", health.alive, name="healthz"),
    path("readyz", health.ready, name="readyz"),
    path("admin/login/", throttle_sign_ins(admin.site.login)),
    path("admin/", admin.site.urls),
    path("api/", include("api.urls")),
    path("", include("pentathlon.web.urls")),
]

handler400 = "pentathlon.web.views.errors.bad_request"
handler500 = "pentathlon.web.views.errors.server_error"
