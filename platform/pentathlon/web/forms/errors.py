"""Showing the errors of a service at the fields that caused them."""

from collections.abc import Callable
from typing import TypeVar

from django import forms

from pentathlon.core.errors import DomainError, Problems

T = TypeVar("T")


def call_service(
    form: forms.BaseForm, call: Callable[[], T], *, further: forms.BaseForm | None = None
) -> T | None:
    """Return what the service returns; on errors, add them to the form and return None.

    A form whose fields are not named like the service's maps the names in `field_of`. A `further`
    form of the same page shows the errors of its own fields.
    """
    try:
        return call()
    except DomainError as error:
        for each in error.errors if isinstance(error, Problems) else (error,):
            if further is not None and each.field in further.fields:
                further.add_error(each.field, each.detail)
            else:
                form.add_error(_field_of(form, each), each.detail)
        return None


def check_field(check: Callable[[], T]) -> T:
    """Return what a check of a service returns; its errors belong to the field that is cleaned.

    So a form shows them together with all others, not only once nothing else is wrong.
    """
    try:
        return check()
    except DomainError as error:
        told = error.errors if isinstance(error, Problems) else (error,)
        raise forms.ValidationError([each.detail for each in told]) from error


def _field_of(form: forms.BaseForm, error: DomainError) -> str | None:
    if (find := getattr(form, "field_of", None)) is not None:
        return str(name) if (name := find(error.field)) else None
    return error.field if error.field in form.fields else None
