from __future__ import annotations

from typing import Self

from django.db import models
from oauth2_provider.models import AbstractApplication

from pentathlon.accounts.models import User
from pentathlon.accounts.oauth.redirects import is_allowed

LONGEST_NAME = 60
LONGEST_HOMEPAGE = 200


class OAuthAppQuerySet(models.QuerySet["OAuthApp"]):
    """Named queries for apps."""

    def owned_by(self, person: User) -> Self:
        """Return the apps that somebody has registered, the latest first."""
        return self.filter(user=person).order_by("-pk")


class OAuthApp(AbstractApplication):
    """A program of somebody's that people may let act for them here."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, null=True, related_name="+")
    homepage = models.CharField(max_length=LONGEST_HOMEPAGE)
    is_blocked = models.BooleanField(default=False, db_default=False)
    """Whether staff have blocked it; it may do nothing then."""

    objects = OAuthAppQuerySet.as_manager()

    class Meta(AbstractApplication.Meta):
        verbose_name = "app"

    def __str__(self) -> str:
        return str(self.name)

    @property
    def redirects(self) -> list[str]:
        """The addresses to which people may be sent back."""
        return str(self.redirect_uris).split()

    def redirect_uri_allowed(self, uri: str) -> bool:
        """Return whether people may be sent back to this address."""
        return is_allowed(self.redirects, uri)

    def is_usable(self, request: object) -> bool:
        """Return whether the app may do anything."""
        return not self.is_blocked and self.user is not None and self.user.is_active
