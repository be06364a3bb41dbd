"""How pages tell people to install what this site runs."""

from typing import Any

from django import template
from django.http import HttpRequest
from django.urls import reverse

from pentathlon.web.wheel import engines_wheel

register = template.Library()


@register.simple_tag(takes_context=True)
def install_command(context: dict[str, Any], extra: str = "cli") -> str:  # Any: a template's
    """Return the shell line that installs the engines from this site, checked by their hash."""
    request: HttpRequest = context["request"]
    wheel = engines_wheel()
    address = request.build_absolute_uri(reverse("wheel", args=[wheel.name]))
    return f"pip install 'pentathlon-engines[{extra}] @ {address}#sha256={wheel.sha256}'"
