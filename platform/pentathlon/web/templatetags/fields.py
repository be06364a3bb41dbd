"""Tags that lay out forms."""

from typing import Any

from django import template
from django.forms import BoundField, CheckboxInput, CheckboxSelectMultiple

register = template.Library()


@register.inclusion_tag("web/parts/field.html")
def field(bound: BoundField) -> dict[str, Any]:  # Any: the context of a template
    """Lay out one field: label, input, hint and errors."""
    widget = bound.field.widget
    return {
        "field": bound,
        "is_group": isinstance(widget, CheckboxSelectMultiple),
        "is_single_choice": isinstance(widget, CheckboxInput),
    }
