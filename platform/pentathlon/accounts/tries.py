"""How often passwords may be tried, by the API and on pages together."""

import hashlib

from django.http import HttpRequest

from pentathlon.common.rates import count, home_of


def count_try(request: HttpRequest) -> int:
    """Count a try from this address; return for how many seconds it is refused, 0 if it counts."""
    return count("sign_ins", home_of(request.META.get("REMOTE_ADDR", "")))


def count_try_for(username: str) -> int:
    """Count a try for this account, from wherever; return as `count_try` does."""
    # A digest: what is written into this field may be anything, a password too.
    name = hashlib.sha256(username.strip().lower().encode("utf-8", "replace")).hexdigest()
    return count("sign_ins_of_account", name)
