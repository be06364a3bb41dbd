"""The form in which an author challenges a bot, or tests one version against another."""

from typing import Any

from django import forms

from pentathlon.accounts.models import User
from pentathlon.bots.models import Bot, BotVersion, VersionState
from pentathlon.core.server.limits import CHALLENGE_BLOCKS
from pentathlon.tournaments.challenges.services import DEFAULT_BLOCKS
from pentathlon_engines import GAMES

_MOST_CHOICES = 500
_PAIR = 2


class ChallengeForm(forms.Form):
    """The author's version, the game, and the number of blocks."""

    version = forms.TypedChoiceField(label="Your version", coerce=int)
    game = forms.ChoiceField()
    blocks = forms.IntegerField(
        min_value=1,
        max_value=CHALLENGE_BLOCKS,
        initial=DEFAULT_BLOCKS,
        help_text=f"1 to {CHALLENGE_BLOCKS}; a block is one seed in balanced seat orders.",
    )
    others = forms.TypedMultipleChoiceField(
        label="More bots at the table",
        coerce=int,
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )

    def __init__(
        self,
        data: Any = None,  # Any: what Django's forms take
        *,
        actor: User,
        games: list[str],
        against: BotVersion | None = None,
        bot: Bot | None = None,
        initial: dict[str, Any] | None = None,  # Any: what Django's forms take
    ) -> None:
        super().__init__(data, initial=initial)
        larger = [key for key in games if GAMES[key].info.seats[1] > _PAIR]
        if larger:
            others = self.fields["others"]
            others.choices = _foreign(actor, larger, bot)  # type: ignore[attr-defined]
            others.help_text = (
                f"{_sizes(larger)} None: a table of two. A block of three bots has 6 matches, "
                "of four 8, of five 10: each counts against your matches of a day."
            )
        else:
            del self.fields["others"]
        self.fields["version"].choices = _own(actor, games, against)  # type: ignore[attr-defined]
        self.fields["game"].choices = [(key, GAMES[key].info.title) for key in games]  # type: ignore[attr-defined]


def _foreign(actor: User, games: list[str], bot: Bot | None) -> list[tuple[str, str]]:
    """Return other people's bots with a version that may play one of the games."""
    playing = Bot.objects.filter(
        versions__state=VersionState.ELIGIBLE, versions__games__game__in=games
    )
    found = playing.exclude(owner=actor).select_related("owner").distinct().order_by("name")
    return [
        (str(each.pk), f"{each.name} · {each.owner.username}")
        for each in found[:_MOST_CHOICES]
        if each != bot
    ]


def _sizes(games: list[str]) -> str:
    sizes = (
        f"{GAMES[key].info.title} has up to {GAMES[key].info.seats[1]} seats" for key in games
    )
    return f"{'; '.join(sizes)}."


def _own(actor: User, games: list[str], against: BotVersion | None) -> list[tuple[str, str]]:
    """Return the actor's versions that may play one of the games, except the one to be met."""
    eligible = BotVersion.objects.owned_by(actor).filter(state=VersionState.ELIGIBLE)
    playing = eligible.filter(games__game__in=games).distinct()
    found = playing.select_related("bot").defer("validation_log", "manifest")
    ordered = found.order_by("bot__name", "-number")[:_MOST_CHOICES]
    return [(str(each.pk), each.label) for each in ordered if each != against]
