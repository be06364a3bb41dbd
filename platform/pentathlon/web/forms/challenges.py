"""The form in which an author challenges a bot, or tests one version against another."""

from typing import Any

from django import forms

from pentathlon.accounts.models import User
from pentathlon.bots.models import BotVersion, VersionState
from pentathlon.challenges.services import DEFAULT_BLOCKS
from pentathlon.server.limits import CHALLENGE_BLOCKS
from pentathlon_engines import GAMES

_MOST_CHOICES = 500


class ChallengeForm(forms.Form):
    """Which of the author's versions plays, which game, and how many blocks."""

    version = forms.TypedChoiceField(label="Your version", coerce=int)
    game = forms.ChoiceField()
    blocks = forms.IntegerField(
        min_value=1,
        max_value=CHALLENGE_BLOCKS,
        initial=DEFAULT_BLOCKS,
        help_text=f"1 to {CHALLENGE_BLOCKS}; a block is one seed, played in both seat orders.",
    )

    def __init__(
        self,
        data: Any = None,  # Any: what Django's forms take
        *,
        actor: User,
        games: list[str],
        against: BotVersion | None = None,
        initial: dict[str, Any] | None = None,  # Any: what Django's forms take
    ) -> None:
        super().__init__(data, initial=initial)
        self.fields["version"].choices = _own(actor, games, against)  # type: ignore[attr-defined]
        self.fields["game"].choices = [(key, GAMES[key].info.title) for key in games]  # type: ignore[attr-defined]


def _own(actor: User, games: list[str], against: BotVersion | None) -> list[tuple[str, str]]:
    """Return the actor's versions that may play one of the games, but not the one to be met."""
    eligible = BotVersion.objects.owned_by(actor).filter(state=VersionState.ELIGIBLE)
    playing = eligible.filter(games__game__in=games).distinct()
    found = playing.select_related("bot").defer("validation_log", "manifest")
    ordered = found.order_by("bot__name", "-number")[:_MOST_CHOICES]
    return [(str(each.pk), each.label) for each in ordered if each != against]
