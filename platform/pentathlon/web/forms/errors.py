"""Forms whose services have the last word: what they refuse is shown at the field."""

from collections.abc import Callable
from typing import TypeVar

from django import forms

from pentathlon.common.errors import DomainError

T = TypeVar("T")


def call_service(form: forms.BaseForm, call: Callable[[], T]) -> T | None:
    """Return what the service answers; if it refuses, note why on the form and return None."""
    try:
        return call()
    except DomainError as error:
        form.add_error(error.field if error.field in form.fields else None, error.detail)
        return None
