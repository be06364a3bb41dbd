"""A tag with the command that installs the engines of this site."""

from typing import Any

from django import template
from django.http import HttpRequest
from django.urls import reverse

from pentathlon.web.wheel import engines_wheel

register = template.Library()


@register.simple_tag(takes_context=True)
def install_command(context: dict[str, Any], extra: str = "cli") -> str:  # Any: a template's
    """Return the shell command that installs the engines from this site and checks their hash."""
    request: HttpRequest = context["request"]
    wheel = engines_wheel()
    address = request.build_absolute_uri(reverse("wheel", args=[wheel.name]))
    return f"pip install 'pentathlon-engines[{extra}] @ {address}#sha256={wheel.sha256}'"
