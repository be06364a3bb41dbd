"""Settings of the test run: the real ones, with cheap passwords and plain static files.

Without DATABASE_URL and REDIS_URL a private PostgreSQL and Valkey start here, before
Django looks for them, and stop with this process. Other processes of the run inherit both.
"""

import atexit
import os
import re
from contextlib import ExitStack

from pentathlon.local.servers.runtime import shared_bytecode
from pentathlon.local.servers.valkey import exported_servers

_servers = ExitStack()
_servers.enter_context(shared_bytecode())
_servers.enter_context(exported_servers())
atexit.register(_servers.close)
if worker := os.environ.get("PYTEST_XDIST_WORKER"):
    # Each process of the run has its own numbered database on the broker.
    address, number = os.environ["REDIS_URL"], int(worker.removeprefix("gw")) + 1
    form = r"\?db={}" if address.startswith("unix:") else "/{}"
    os.environ["REDIS_URL"] = re.sub(form.format(r"\d+") + "$", "", address) + form.format(
        number
    ).lstrip("\\")

from pentathlon.settings import *  # noqa: E402, F403  the real settings, once there are servers

SECRET_KEY = "tests only: " + "0" * 40
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":  # noqa: F405
    # A file, not memory: threads and other processes share it.
    DATABASES["default"]["TEST"] = {"NAME": DATA_FOLDER / "test.sqlite3"}  # noqa: F405
STEP_S = 3600.0  # no step is cut because the machine is busy
SPOT_CHECKS = 0  # drawn by chance: queries could not be counted
RATES = dict.fromkeys(RATES, "1000000/min")  # noqa: F405
STATIC_ROOT.mkdir(parents=True, exist_ok=True)  # noqa: F405  else WhiteNoise warns
