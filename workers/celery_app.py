"""The Celery application. README.md says how a worker is started, `tasks` what it does."""

import os

from celery import Celery
from kombu.transport import TRANSPORT_ALIASES

from pentathlon.env import export
from pentathlon.roles import Role, take_role

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "pentathlon.settings")
# Django's checks would load every page and operation, half of the work of a worker's start.
export("CELERY_SKIP_CHECKS", "1")
take_role(Role.WORKER)

app = Celery("pentathlon")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["workers"])
# Celery's own setting does not do: the scheme of a broker at a socket names a transport, too.
TRANSPORT_ALIASES.update(
    dict.fromkeys(("redis", "rediss"), "workers.hint_transport:HintTransport")
)
