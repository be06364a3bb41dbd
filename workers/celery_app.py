"""The Celery application of every worker. README.md says how one is started, `tasks` what it does.

A worker of a site (PENTATHLON_SERVER) never imports Django; one beside the database does.
"""

import logging.config
import os
import sys

from celery import Celery
from kombu.transport import TRANSPORT_ALIASES

from pentathlon import logs
from pentathlon.env import BadEnvironment, export, read_environment
from pentathlon.roles import Role, take_role

try:
    _environment = read_environment()
except BadEnvironment as error:
    sys.exit(str(error))
IS_REMOTE = _environment.server is not None
"""Whether this worker reaches the platform over HTTP."""
PORT = "workers.remote.adapter" if IS_REMOTE else "workers.direct"
"""The module that opens the worker's port."""

if IS_REMOTE:
    logging.config.dictConfig(logs.configuration(_environment))
    logs.configure_structlog()
else:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "pentathlon.settings")
    # Django's checks would load every page and operation, half of the work of a worker's start.
    export("CELERY_SKIP_CHECKS", "1")
take_role(Role.WORKER)

# Celery's own setting does not do: the scheme of a broker at a socket names a transport, too.
_redis = "TakingTransport" if IS_REMOTE else "HintTransport"
TRANSPORT_ALIASES.update(
    dict.fromkeys(("redis", "rediss"), f"workers.hint_transport:{_redis}"),
    site="workers.remote.transport:SiteTransport",
)
app = Celery("pentathlon", fixups=[] if IS_REMOTE else None)
app.config_from_object("pentathlon.fleet.queues")
app.conf.imports = ("workers.tasks",)
