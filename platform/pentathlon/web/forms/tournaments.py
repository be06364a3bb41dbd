"""Forms for organisers, and for authors who enter a bot."""

from functools import partial
from typing import Any

from django import forms
from django.db.models import Q

from pentathlon.accounts.models import User
from pentathlon.bots.models import BotVersion, BotVersionQuerySet
from pentathlon.bots.services import LONGEST_REASON
from pentathlon.tournaments.documents.checks import (
    LONGEST_NAME,
    MOST_ENTRIES_PER_AUTHOR,
    find_versions,
    gather_errors,
)
from pentathlon.tournaments.guards import is_organiser_of
from pentathlon.tournaments.models import ENTRIES_PER_AUTHOR, Tournament
from pentathlon.tournaments.organising.arrangement import Arrangement
from pentathlon.tournaments.organising.drafts import Draft
from pentathlon.tournaments.people_rows import Team, TeamMember
from pentathlon.web.forms.plans import OptionFields, PlanForm, formats_of, seats_of
from pentathlon_engines.contract.info import GameInfo
from pentathlon_engines.tournament.document import TournamentDocument
from pentathlon_engines.tournament.formats.interface import Format

_MOST_CHOICES = 500


class TournamentForm(PlanForm):
    """Everything that makes a tournament of one game in one format."""

    name = forms.CharField(max_length=LONGEST_NAME)
    versions = forms.TypedMultipleChoiceField(
        label="Bots",
        coerce=int,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="Authors can enter more until you start.",
    )
    table_seats = forms.IntegerField(label="Seats at a table")
    entries_per_author = forms.IntegerField(
        label="Bots per author",
        min_value=1,
        max_value=MOST_ENTRIES_PER_AUTHOR,
        initial=ENTRIES_PER_AUTHOR,
        help_text="How many bots each author may enter.",
    )
    rated = forms.BooleanField(
        label="Results also count on the game’s leaderboard", required=False, initial=True
    )

    def __init__(
        self,
        data: Any = None,  # Any: what Django's forms take
        *,
        info: GameInfo,
        actor: User,
        kind: str = "",
        draft: Draft | None = None,
        is_repeat: bool = False,
    ) -> None:
        formats = formats_of(info)
        if not kind and draft is not None:
            drafted = draft.document.scheduler.partition("/")[0]
            kind = drafted if drafted in formats else ""
        super().__init__(data, formats=formats, kind=kind)
        self._game = info.key
        self._is_repeat = is_repeat
        self._options = OptionFields(info)
        self.fields.update(self._options.fields)
        self.fields["table_seats"] = _seats_field(self.scheduling, info)
        choices = dict(_choices(_eligible(info.key).filter(_admitted_to_organiser(actor))))
        if draft is not None:
            self.initial = self._initial(draft)
            entered = BotVersion.objects.listed().filter(pk__in=draft.versions)
            choices = dict(_choices(entered)) | choices
        self.fields["versions"].choices = list(choices.items())  # type: ignore[attr-defined]

    def _initial(self, draft: Draft) -> dict[str, Any]:  # Any: what Django's fields show
        """Return the values of a draft, as far as its game and format have these fields."""
        shown = {
            "name": draft.name,
            "versions": draft.versions,
            "entries_per_author": draft.entries_per_author,
            "rated": draft.rated and self.may_be_rated,
            **self.initial_plan(draft.document),
        }
        if draft.document.game == self._game:
            shown |= self._options.initial(draft.document.options)
            if draft.document.scheduler == self.scheduling.name:
                shown["table_seats"] = draft.document.table_seats
        return shown

    @property
    def options(self) -> list[forms.BoundField]:
        """The fields of the game's options."""
        return [self[name] for name in self._options.fields]

    def draft(self, arrangement: Arrangement) -> Draft:
        """Return the requested tournament, with this arrangement."""
        names = ("name", "versions", "rated", "entries_per_author")
        values = {name: self.cleaned_data[name] for name in names}
        return Draft(document=self.document, arrangement=arrangement, **values)

    @property
    def document(self) -> TournamentDocument:
        """The document, with only the options and limits that differ from the defaults."""
        return TournamentDocument(
            game=self._game,
            table_seats=self.cleaned_data["table_seats"],
            options=self._options.values(self.cleaned_data),
            **self.plan,
        )

    def field_of(self, name: str | None) -> str | None:
        """Return the field that shows an error of the service; None for the form as a whole."""
        part, _, rest = (name or "").partition(".")
        if part == "options":
            return self._options.field_of(rest.partition(".")[0])
        return super().field_of("versions" if part == "entries" else name)

    def clean(self) -> dict[str, Any]:  # Any: cleaned values
        """Check the document as well, whatever else is wrong, so that all errors show at once."""
        cleaned = super().clean()
        is_repeat = self._is_repeat and not cleaned.get("rated")
        chosen = cleaned.get("versions", ())
        known = partial(find_versions, chosen, game=self._game, is_repeat=is_repeat)
        self.show_errors(gather_errors([known]))
        if {"table_seats", *self.scheduling.parameters} <= cleaned.keys():
            entries = len(cleaned.get("versions", ()))
            self.show_problems(self.document, entries=entries)
        return cleaned


class EntryForm(forms.Form):
    """The choice of a bot version to enter: authors see their side's, organisers all they may."""

    version = forms.TypedChoiceField(label="Bot", coerce=int)
    team = forms.TypedChoiceField(
        label="For",
        coerce=int,
        empty_value=None,
        required=False,
        help_text="All members of a team may withdraw and replace its bot.",
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
        teams = Team.objects.none() if actor is None else Team.objects.joined_by(actor)
        if not teams.exists():
            del self.fields["team"]
            return
        self.fields["team"].choices = [  # type: ignore[attr-defined]  # a choice field
            ("", "its author alone"),
            *teams.order_by("name").values_list("pk", "name"),
        ]


class DisqualifyForm(forms.Form):
    """The reason for disqualifying a bot from a tournament, and whether results still count."""

    reason = forms.CharField(max_length=LONGEST_REASON, help_text="Everybody will read it.")
    revoke = forms.BooleanField(
        label="Take its results back",
        required=False,
        help_text="Its finished matches no longer count, neither here nor on the leaderboard.",
    )


class OrderForm(forms.Form):
    """The reason for making a block or a round void, or for playing it again."""

    reason = forms.CharField(max_length=LONGEST_REASON, help_text="Everybody will read it.")


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


def _seats_field(scheduling: Format, info: GameInfo) -> forms.IntegerField:
    seats = seats_of(scheduling, info)
    usual = info.default_seats if info.default_seats in seats else seats[0]
    field = forms.IntegerField(
        label="Seats at a table", min_value=seats[0], max_value=seats[-1], initial=usual
    )
    if len(seats) == 1:
        field.widget = forms.HiddenInput()
    return field


def _eligible(game: str) -> BotVersionQuerySet:
    return BotVersion.objects.eligible(game).listed()


def _enterable(actor: User | None, tournament: Tournament) -> BotVersionQuerySet:
    """Return the versions that may come in by one of the actor's doors."""
    if actor is None:
        return BotVersion.objects.none()
    versions = _eligible(tournament.game).exclude(entries__tournament=tournament)
    if is_organiser_of(actor, tournament):
        return versions.filter(_admitted_to_organiser(actor))
    members = TeamMember.objects.accepted().filter(team__in=Team.objects.joined_by(actor))
    of_teams = Q(bot__owner__in=members.values("person"), is_candidate=False)
    return versions.filter(Q(bot__owner=actor) | of_teams)


def _admitted_to_organiser(actor: User) -> Q:
    """Return the condition of versions that an organiser may enter, as the door has it."""
    of_others = Q(bot__owner__takes_organiser_entries=True, is_candidate=False)
    return Q(bot__owner=actor) | of_others


def _choices(versions: BotVersionQuerySet) -> list[tuple[str, str]]:
    ordered = versions.order_by("bot__name", "-number")[:_MOST_CHOICES]
    return [
        (str(version.pk), f"{version.label} · {version.bot.owner.username}") for version in ordered
    ]
