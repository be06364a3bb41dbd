"""The real settings with cheap passwords, for a web process that sees many sign-ins."""

from pentathlon.settings import *  # noqa: F403

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
