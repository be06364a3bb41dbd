"""Forms about webhooks and e-mail."""

from django import forms
from django.conf import settings

from pentathlon.web.forms.errors import check_field
from pentathlon.webhooks.addresses import PORTS, check_url
from pentathlon.webhooks.event_types import EVENT_TYPES, MAILED, USUAL
from pentathlon.webhooks.models import LONGEST_URL


def _choices(names: tuple[str, ...]) -> list[tuple[str, str]]:
    return [(name, f"{name} – {EVENT_TYPES[name].meaning}") for name in names]


class WebhookForm(forms.Form):
    """The address of a webhook, and its events."""

    url = forms.CharField(
        label="Address",
        max_length=LONGEST_URL,
        help_text="An https address that everybody can reach, on port "
        f"{' or '.join(map(str, PORTS))}.",
        widget=forms.TextInput(
            {"inputmode": "url", "autocapitalize": "none", "spellcheck": "false"}
        ),
    )
    events = forms.MultipleChoiceField(
        choices=_choices(tuple(EVENT_TYPES)),
        widget=forms.CheckboxSelectMultiple,
        initial=USUAL,
        error_messages={"required": "Choose at least one event."},
    )

    def clean_url(self) -> str:
        """Refuse an address to which nothing can be posted."""
        loopback = settings.WEBHOOKS_ALLOW_LOOPBACK
        return check_field(lambda: check_url(self.cleaned_data["url"], allows_loopback=loopback))


class MailForm(forms.Form):
    """The events that are sent by e-mail."""

    events = forms.MultipleChoiceField(
        label="Tell me by e-mail",
        choices=_choices(MAILED),
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )
