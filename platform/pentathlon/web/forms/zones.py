"""Forms that ask in which time zone their times are."""

from functools import cache
from typing import Any, Final
from zoneinfo import ZoneInfo, available_timezones

from django import forms
from django.forms.utils import flatatt
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

UTC: Final = "UTC"
_PLACES: Final = (
    *("Africa/", "America/", "Antarctica/", "Arctic/", "Asia/", "Atlantic/", "Australia/"),
    *("Europe/", "Indian/", "Pacific/"),
)


@cache
def _zones() -> list[tuple[str, str]]:
    """Return UTC, and the zones that are named by a place."""
    places = sorted(name for name in available_timezones() if name.startswith(_PLACES))
    return [(name, name.replace("_", " ")) for name in (UTC, *places)]


class _ZoneSelect(forms.Select):
    """The same list as Django's, which asks two templates for each of some 400 zones."""

    def render(
        self,
        name: str,
        value: Any,  # Any: what Django's widgets take
        attrs: dict[str, Any] | None = None,
        renderer: Any = None,
    ) -> SafeString:
        """Return the list with the zone that is chosen."""
        chosen = str(value)
        options = format_html_join(
            "\n",
            '<option value="{}"{}>{}</option>',
            ((zone, " selected" * (zone == chosen), label) for zone, label in self.choices),
        )
        around = flatatt({"name": name, **self.build_attrs(self.attrs, attrs)})
        return format_html("<select{}>\n{}\n</select>", around, options)


class _ZoneField(forms.ChoiceField):
    """A time zone; browsers may know some by names that the list leaves out."""

    widget = _ZoneSelect

    def valid_value(self, value: object) -> bool:
        """Accept every zone that this machine knows."""
        return value == UTC or value in available_timezones()


class ZonedForm(forms.Form):
    """Reads the times of its fields in the zone that was chosen with them."""

    zone = _ZoneField(
        label="Time zone",
        choices=_zones,
        initial=UTC,
        required=False,
        help_text="All dates below are in this zone. They are stored, and shown to others, as the "
        "same moment in theirs.",
    )

    def __init__(
        self,
        data: Any = None,  # Any: what Django's forms take
        **settings: Any,
    ) -> None:
        super().__init__(data, **settings)
        if not self.is_bound:
            # A script may choose the reader's own zone, and show the times of the fields in it.
            self.fields["zone"].widget.attrs["data-zone"] = UTC

    def _clean_fields(self) -> None:
        wanted = str(self.data.get(self.add_prefix("zone")) or UTC)
        known = wanted if self.fields["zone"].valid_value(wanted) else UTC  # type: ignore[attr-defined]  # a choice field
        with timezone.override(ZoneInfo(known)):
            super()._clean_fields()  # type: ignore[misc]  # the stubs leave it out
