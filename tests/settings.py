"""Settings of the test run: the real ones, with cheap passwords and plain static files."""

from pentathlon.settings import *  # noqa: F403  the real settings are the point

SECRET_KEY = "tests only: " + "0" * 40
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
