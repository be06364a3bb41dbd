"""Showing the error of a service at the field that caused it."""

from collections.abc import Callable
from typing import TypeVar

from django import forms

from pentathlon.common.errors import DomainError

T = TypeVar("T")


def call_service(form: forms.BaseForm, call: Callable[[], T]) -> T | None:
    """Return what the service returns; on an error, add it to the form and return None."""
    try:
        return call()
    except DomainError as error:
        form.add_error(error.field if error.field in form.fields else None, error.detail)
        return None
