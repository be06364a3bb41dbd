"""Letters as they arrive."""

import re
from urllib.parse import parse_qs, urlsplit

from django.core import mail

from pentathlon.accounts.letters import send_letters

SITE = "http://testserver"


def delivered() -> list[tuple[str, str]]:
    """Send what waits; return to whom it went, with what it is about."""
    send_letters()
    sent = [(each.to[0], str(each.subject)) for each in mail.outbox]
    mail.outbox.clear()
    return sent


def delivered_address() -> str:
    """Send what waits; return the one address that leads somewhere, without the site."""
    send_letters()
    (found,) = [
        link
        for each in mail.outbox
        for link in re.findall(rf"{SITE}(\S+\?link=\S+)", str(each.body))
    ]
    mail.outbox.clear()
    return str(found)


def link_in(address: str) -> str:
    """Return the link that an address holds."""
    return parse_qs(urlsplit(address).query)["link"][0]
