"""Forms for the arrangement of a tournament, for events, and for changed entries."""

from datetime import datetime
from functools import cache
from typing import Any, Final
from zoneinfo import ZoneInfo, available_timezones

from django import forms
from django.db.models import Q
from django.forms.utils import flatatt
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from pentathlon.accounts.models import User
from pentathlon.bots.models import BotVersion
from pentathlon.bots.services import LONGEST_REASON
from pentathlon.tournaments.documents.checks import LONGEST_NAME, MOST_ENTRIES_PER_AUTHOR
from pentathlon.tournaments.entries.eligibility import ENTRY_LANGUAGES, EntryRules
from pentathlon.tournaments.models import ENTRIES_PER_AUTHOR, UNSTARTED, Entry
from pentathlon.tournaments.organising.arrangement import LONGEST_DESCRIPTION, Arrangement
from pentathlon.tournaments.organising.changes import Setup, is_old
from pentathlon.web.forms.plans import PlanForm, formats_of, seats_of
from pentathlon_engines import GAMES
from pentathlon_engines.tournament.document import TournamentDocument
from pentathlon_engines.tournament.formats.interface import Format

UTC: Final = "UTC"
_PLACES: Final = (
    *("Africa/", "America/", "Antarctica/", "Arctic/", "Asia/", "Atlantic/", "Australia/"),
    *("Europe/", "Indian/", "Pacific/"),
)
_MOST_CHOICES = 500
_RULES = (
    *("languages", "newest_only", "uploaded_from", "new_bots_from", "most_versions"),
    *("fewest_matches", "entries_per_team"),
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


def _moment(label: str, hint: str = "") -> forms.DateTimeField:
    widget = forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")
    return forms.DateTimeField(label=label, required=False, widget=widget, help_text=hint)


def _number(label: str) -> forms.IntegerField:
    return forms.IntegerField(label=label, required=False, min_value=1)


class ArrangementForm(ZonedForm):
    """Text, dates, secrecy and rules of entry; all of it optional."""

    field_order: tuple[str, ...] = ("description", "zone")

    description = forms.CharField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 6, "maxlength": LONGEST_DESCRIPTION}),
        help_text="Markdown: paragraphs, headings, lists, tables, links; no images.",
    )
    closes_entries_at = _moment("Entries close", "Later, only you enter bots.")
    starts_at = _moment("Starts automatically")
    hides_results = forms.BooleanField(
        label="Hide all results until I release them (unrated only)", required=False
    )
    freezes_at = _moment("Hide results from", "Results until then stay visible. Unrated only.")
    releases_at = _moment("Release hidden results", "Empty: when you press the button.")
    by_invitation = forms.BooleanField(label="Only invited authors may enter", required=False)
    invited = forms.CharField(
        label="Invited authors",
        required=False,
        max_length=10_000,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="User names, separated by spaces.",
    )
    languages = forms.MultipleChoiceField(
        label="Only bots in",
        required=False,
        choices=[(each, each) for each in ENTRY_LANGUAGES],
        widget=forms.CheckboxSelectMultiple,
        help_text="None chosen: any language.",
    )
    newest_only = forms.BooleanField(label="Only the newest version of a bot", required=False)
    uploaded_from = _moment("Only versions uploaded from")
    new_bots_from = _moment("Only bots first uploaded from")
    most_versions = _number("Maximum versions of a bot")
    fewest_matches = _number("Minimum rated matches of a version")
    entries_per_team = _number("Bots per team")

    def __init__(
        self,
        data: Any = None,  # Any: what Django's forms take
        *,
        stored: Arrangement | None = None,
        **settings: Any,  # Any: arguments of the form beside this one
    ) -> None:
        super().__init__(data, **settings)
        self._stored = stored
        if stored is not None:
            self.initial = {**self.initial, **initial_arrangement(stored)}

    def clean_description(self) -> str:
        """Return the text with the ends of lines that it is stored with."""
        text: str = self.cleaned_data["description"]
        return text.replace("\r\n", "\n")

    @property
    def arrangement(self) -> Arrangement:
        """The requested arrangement."""
        values = {name: self._exact(name, value) for name, value in self.cleaned_data.items()}
        rules = {name: values.pop(name) for name in _RULES}
        rules["languages"] = tuple(rules["languages"])
        values["invited"] = tuple(values["invited"].split())
        known = Arrangement.__dataclass_fields__.keys() & values.keys()
        arranged = {name: values[name] for name in known}
        return Arrangement(entry_rules=EntryRules(**rules), **arranged)

    def _exact(self, name: str, value: Any) -> Any:  # Any: a cleaned value
        """Return a time that was not changed as it is stored, with its seconds."""
        stored = self.initial.get(name) if self._stored else None
        is_same = isinstance(stored, datetime) and stored.replace(second=0, microsecond=0) == value
        return stored if is_same else value

    def clean(self) -> dict[str, Any]:  # Any: cleaned values
        """Add all problems of the arrangement at once; the rating is checked by the service."""
        cleaned = super().clean() or {}
        if not any(name in self.errors for name in ArrangementForm.base_fields):
            for problem in self.arrangement.problems(rated=False):
                if self._stored and is_old(problem, self._stored, self.arrangement):
                    continue
                name = (problem.field or "").removeprefix("entry_rules.")
                self.add_error(name if name in self.fields else None, problem.detail)
        return cleaned


def initial_arrangement(arrangement: Arrangement) -> dict[str, Any]:  # Any: what fields show
    """Return the initial values of the form for a stored arrangement."""
    shown = {name: getattr(arrangement, name) for name in Arrangement.__dataclass_fields__}
    rules = shown.pop("entry_rules")
    shown["invited"] = " ".join(arrangement.invited)
    return shown | {name: getattr(rules, name) for name in _RULES}


class EventForm(ArrangementForm, PlanForm):
    """A new event: a tournament of each chosen game, all in one format."""

    name = forms.CharField(max_length=LONGEST_NAME)
    games = forms.MultipleChoiceField(widget=forms.CheckboxSelectMultiple)
    rated = forms.BooleanField(
        label="Results also count on the games’ leaderboards", required=False, initial=True
    )
    entries_per_author = forms.IntegerField(
        label="Bots per author in each game",
        min_value=1,
        max_value=MOST_ENTRIES_PER_AUTHOR,
        initial=ENTRIES_PER_AUTHOR,
    )

    def __init__(
        self,
        data: Any = None,  # Any: what Django's forms take
        *,
        kind: str = "",
    ) -> None:
        super().__init__(data, formats=_formats_of_all(), kind=kind)
        self._seats = {
            key: seats
            for key, game in GAMES.items()
            if (seats := seats_of(self.scheduling, game.info))
        }
        games = self.fields["games"]
        games.choices = [(key, GAMES[key].info.title) for key in self._seats]  # type: ignore[attr-defined]
        games.initial = list(self._seats)

    @property
    def around(self) -> list[forms.BoundField]:
        """The fields of dates, secrecy and rules of entry."""
        return [self[name] for name in ArrangementForm.base_fields]

    @property
    def has_wrong_arrangement(self) -> bool:
        """Whether the arrangement must be shown, because some of its fields need a change."""
        return any(field.errors for field in self.around)

    @property
    def documents(self) -> list[TournamentDocument]:
        """A document for each chosen game, at its usual table if the format has that."""
        return [
            TournamentDocument(game=game, table_seats=self._usual_seats(game), **self.plan)
            for game in self.cleaned_data["games"]
        ]

    def clean(self) -> dict[str, Any]:  # Any: cleaned values
        """Check the documents as well, whatever else is wrong, so that all errors show at once."""
        cleaned = super().clean()
        if {"games", *self.scheduling.parameters} <= cleaned.keys():
            for document in self.documents:
                self.show_problems(document, entries=0)
        return cleaned

    def field_of(self, name: str | None) -> str | None:
        """Return the field that shows an error of the service; None for the form as a whole."""
        return "games" if name == "game" else super().field_of(name)

    def _usual_seats(self, game: str) -> int:
        usual = GAMES[game].info.default_seats
        return usual if usual in self._seats[game] else self._seats[game][0]


def _formats_of_all() -> dict[str, Format]:
    """Return the formats that some game has tables for."""
    return {kind: each for game in GAMES.values() for kind, each in formats_of(game.info).items()}


class SetupForm(ArrangementForm):
    """What can be changed of a tournament that is open for entries."""

    field_order = ("name", "description", "entries_per_author", "zone")

    name = forms.CharField(max_length=LONGEST_NAME)
    entries_per_author = forms.IntegerField(
        label="Bots per author", min_value=1, max_value=MOST_ENTRIES_PER_AUTHOR
    )

    def __init__(
        self,
        data: Any = None,  # Any: what Django's forms take
        *,
        setup: Setup,
    ) -> None:
        super().__init__(data, stored=setup.arrangement)
        self.initial["name"] = setup.name
        self.initial["entries_per_author"] = setup.entries_per_author

    @property
    def setup(self) -> Setup:
        """The requested setup."""
        return Setup(
            name=self.cleaned_data["name"],
            entries_per_author=self.cleaned_data["entries_per_author"],
            arrangement=self.arrangement,
        )

    def field_of(self, name: str | None) -> str | None:
        """Return the field that shows an error of the service; None for the form as a whole."""
        field = (name or "").removeprefix("entry_rules.")
        return field if field in self.fields else None


class InviteForm(forms.Form):
    """The names of authors to invite."""

    invited = forms.CharField(
        label="Authors", max_length=10_000, help_text="User names, separated by spaces."
    )


class ReplaceForm(forms.Form):
    """The version that replaces another."""

    by = forms.TypedChoiceField(label="Plays instead", coerce=int)
    reason = forms.CharField(
        label="Why",
        max_length=LONGEST_REASON,
        required=False,
        help_text="Everybody can read it, with the date.",
    )

    def __init__(
        self,
        data: Any = None,  # Any: what Django's forms take
        *,
        entry: Entry,
        actor: User,
    ) -> None:
        super().__init__(data)
        has_started = entry.tournament.state not in UNSTARTED
        if has_started:
            self.fields["reason"].required = True
        else:
            del self.fields["reason"]
        author = entry.version.bot.owner_id
        side = {author} if entry.team is None else entry.team.member_ids()
        versions = BotVersion.objects.eligible(entry.tournament.game).listed()
        others = versions.exclude(entries__tournament=entry.tournament).filter(
            Q(bot__owner=actor) | Q(is_candidate=False), bot__owner__in={author, *side}
        )
        if has_started:
            others = others.filter(bot=entry.version.bot_id)
        self.fields["by"].choices = [  # type: ignore[attr-defined]  # a choice field
            (version.pk, version.label)
            for version in others.order_by("bot__name", "-number")[:_MOST_CHOICES]
        ]
