"""Fields of forms; the hidden ones are Django's token and the key of the form.

This library is built in (settings.py): `{% csrf_token %}` writes both fields, in all templates, so
that no form can be without a key.
"""

from typing import Any

from django import template
from django.forms import BoundField, CheckboxInput, CheckboxSelectMultiple
from django.template.context import RequestContext
from django.template.defaulttags import CsrfTokenNode
from django.utils.html import format_html
from django.utils.safestring import SafeString

from pentathlon.accounts.models import User
from pentathlon.web.form_keys import FIELD, new_form_key

register = template.Library()


@register.simple_tag(takes_context=True)
def csrf_token(context: RequestContext) -> SafeString:
    """Write the hidden fields of a form that is posted."""
    token = CsrfTokenNode().render(context)
    if not token:
        return SafeString()
    reader = context.get("user")
    key = new_form_key(reader if isinstance(reader, User) else None)
    return format_html('{}<input type="hidden" name="{}" value="{}">', token, FIELD, key)


@register.inclusion_tag("web/parts/field.html")
def field(bound: BoundField) -> dict[str, Any]:  # Any: the context of a template
    """Lay out one field: label, input, hint and errors."""
    widget = bound.field.widget
    return {
        "field": bound,
        "is_group": isinstance(widget, CheckboxSelectMultiple),
        "is_single_choice": isinstance(widget, CheckboxInput),
    }
