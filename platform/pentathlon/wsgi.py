"""Pages and the API, for any WSGI server."""

import os
from typing import Any, cast

from django.core.wsgi import get_wsgi_application

from pentathlon.core.server.proxies import take_off_inner_headers
from pentathlon.roles import Role, take_role

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "pentathlon.settings")
take_role(Role.WEB)
application = take_off_inner_headers(
    cast(Any, get_wsgi_application())
)  # Any: it has types of its own
