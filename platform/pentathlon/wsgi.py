"""Pages and the API, for any WSGI server."""

import os

from django.core.wsgi import get_wsgi_application

from pentathlon.roles import Role, take_role

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "pentathlon.settings")
take_role(Role.WEB)
application = get_wsgi_application()
