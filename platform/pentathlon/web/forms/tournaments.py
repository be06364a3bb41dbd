"""Forms for organisers, and for authors who enter a bot."""

from typing import Any

from django import forms

from pentathlon.accounts.models import User
from pentathlon.bots.models import BotVersion, BotVersionQuerySet
from pentathlon.bots.services import LONGEST_REASON
from pentathlon.tournaments.checks import (
    LIMIT_RANGES,
    LONGEST_NAME,
    MOST_ENTRIES_PER_AUTHOR,
)
from pentathlon.tournaments.models import ENTRIES_PER_AUTHOR, Tournament
from pentathlon.tournaments.replacing import LONGEST_TEAM
from pentathlon_engines.contract.info import GameInfo
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.tournament.document import TournamentDocument
from pentathlon_engines.tournament.formats.registry import newest_format

_LIMITS = ("action_cpu_s", "match_cpu_s")
_USUAL = Limits()
_MOST_CHOICES = 500
_MOST_CYCLES = 100


class TournamentForm(forms.Form):
    """Everything that makes a tournament of one game."""

    name = forms.CharField(max_length=LONGEST_NAME)
    versions = forms.TypedMultipleChoiceField(
        label="Bots",
        coerce=int,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="Authors can enter more until you start.",
    )
    cycles = forms.IntegerField(
        min_value=1,
        max_value=_MOST_CYCLES,
        initial=1,
        help_text="How often all meet, each time from every seat.",
    )
    table_seats = forms.IntegerField(label="Seats at a table")
    entries_per_author = forms.IntegerField(
        label="Bots of an author",
        min_value=1,
        max_value=MOST_ENTRIES_PER_AUTHOR,
        initial=ENTRIES_PER_AUTHOR,
        help_text="How many authors may enter themselves.",
    )
    action_cpu_s = forms.FloatField(
        label="CPU seconds an action",
        min_value=LIMIT_RANGES["action_cpu_s"][0],
        max_value=LIMIT_RANGES["action_cpu_s"][1],
        initial=_USUAL.action_cpu_s,
    )
    match_cpu_s = forms.FloatField(
        label="CPU seconds a match",
        min_value=LIMIT_RANGES["match_cpu_s"][0],
        max_value=LIMIT_RANGES["match_cpu_s"][1],
        initial=_USUAL.match_cpu_s,
    )
    rated = forms.BooleanField(
        label="Results also count on the game’s leaderboard", required=False, initial=True
    )

    def __init__(
        self,
        data: Any = None,  # Any: what Django's forms take
        *,
        info: GameInfo,
    ) -> None:
        super().__init__(data)
        self._game = info.key
        low, high = info.seats
        seats = forms.IntegerField(
            label="Seats at a table", min_value=low, max_value=high, initial=info.default_seats
        )
        if low == high:
            seats.widget = forms.HiddenInput()
        self.fields["table_seats"] = seats
        self.fields["versions"].choices = _choices(_eligible(info.key))  # type: ignore[attr-defined]

    @property
    def arguments(self) -> dict[str, Any]:  # Any: arguments of the service
        """What the service takes besides the document."""
        names = ("name", "versions", "rated", "entries_per_author")
        return {name: self.cleaned_data[name] for name in names}

    @property
    def document(self) -> TournamentDocument:
        """The document, with only the limits that differ from the usual ones."""
        values, usual = self.cleaned_data, _USUAL.to_json()
        return TournamentDocument(
            game=self._game,
            table_seats=values["table_seats"],
            params={"cycles": values["cycles"]},
            scheduler=newest_format("round_robin", seats=values["table_seats"]),
            limits={name: values[name] for name in _LIMITS if values[name] != usual[name]},
        )


class EntryForm(forms.Form):
    """The choice of a bot version to enter: authors see their own, the organiser sees all."""

    version = forms.TypedChoiceField(label="Bot", coerce=int)
    team = forms.CharField(
        max_length=LONGEST_TEAM, required=False, help_text="Its name, if you are several."
    )
    members = forms.CharField(
        label="Others of the team",
        max_length=1000,
        required=False,
        help_text="User names. They may withdraw and replace the bot.",
    )

    def __init__(
        self,
        data: Any = None,  # Any: what Django's forms take
        *,
        actor: User | None,
        tournament: Tournament,
    ) -> None:
        super().__init__(data)
        self.fields["version"].choices = _choices(_enterable(actor, tournament))  # type: ignore[attr-defined]


class DisqualifyForm(forms.Form):
    """Why a bot is disqualified from a tournament, and whether its results still count."""

    reason = forms.CharField(max_length=LONGEST_REASON, help_text="Everybody will read it.")
    revoke = forms.BooleanField(
        label="Take its results back",
        required=False,
        help_text="Its finished matches count no more, neither here nor on the leaderboard.",
    )


class CancelForm(forms.Form):
    """The name of the tournament to cancel, typed by hand."""

    name = forms.CharField(label="Name of the tournament")

    def __init__(
        self,
        data: Any = None,  # Any: what Django's forms take
        *,
        name: str,
    ) -> None:
        super().__init__(data)
        self._name = name

    def clean_name(self) -> str:
        """Accept nothing but the exact name."""
        typed: str = self.cleaned_data["name"].strip()
        if typed != self._name:
            raise forms.ValidationError(f"Type {self._name} to cancel it.")
        return typed


def _eligible(game: str) -> BotVersionQuerySet:
    return BotVersion.objects.eligible(game).listed()


def _enterable(actor: User | None, tournament: Tournament) -> BotVersionQuerySet:
    if actor is None:
        return BotVersion.objects.none()
    versions = _eligible(tournament.game).exclude(entries__tournament=tournament)
    return versions if actor.pk == tournament.owner_id else versions.owned_by(actor)


def _choices(versions: BotVersionQuerySet) -> list[tuple[str, str]]:
    ordered = versions.order_by("bot__name", "-number")[:_MOST_CHOICES]
    return [
        (str(version.pk), f"{version.label} · {version.bot.owner.username}") for version in ordered
    ]
