"""Forms for what is arranged around a tournament, for events, and for changed entries."""

from typing import Any

from django import forms

from pentathlon.bots.models import BotVersion
from pentathlon.tournaments.arrangement import Arrangement
from pentathlon.tournaments.checks import LONGEST_NAME, MOST_ENTRIES_PER_AUTHOR
from pentathlon.tournaments.eligibility import ENTRY_LANGUAGES, EntryRules
from pentathlon.tournaments.models import ENTRIES_PER_AUTHOR, Entry
from pentathlon_engines import GAMES

_MOST_CHOICES = 500
_RULES = (
    *("languages", "newest_only", "uploaded_from", "new_bots_from", "most_versions"),
    *("fewest_matches", "entries_per_team"),
)


def _moment(label: str, hint: str = "") -> forms.DateTimeField:
    widget = forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")
    return forms.DateTimeField(
        label=f"{label} (UTC)", required=False, widget=widget, help_text=hint
    )


def _number(label: str) -> forms.IntegerField:
    return forms.IntegerField(label=label, required=False, min_value=1)


class ArrangementForm(forms.Form):
    """Dates, secrecy and rules of entry; all of it optional."""

    closes_entries_at = _moment("Entries close", "Later, only you enter bots.")
    starts_at = _moment("Starts by itself")
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
        help_text="User names, with spaces between.",
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
    most_versions = _number("Only bots with at most so many versions")
    fewest_matches = _number("Only versions with at least so many rated matches")
    entries_per_team = _number("Bots of a team")

    @property
    def arrangement(self) -> Arrangement:
        """What was asked for."""
        values = dict(self.cleaned_data)
        rules = {name: values.pop(name) for name in _RULES}
        rules["languages"] = tuple(rules["languages"])
        values["invited"] = tuple(values["invited"].split())
        known = Arrangement.__dataclass_fields__.keys() & values.keys()
        arranged = {name: values[name] for name in known}
        return Arrangement(entry_rules=EntryRules(**rules), **arranged)

    def clean(self) -> dict[str, Any]:  # Any: cleaned values
        """Add all problems of the arrangement at once; the rating is checked by the service."""
        cleaned = super().clean() or {}
        if not self.errors:
            for problem in self.arrangement.problems(rated=False):
                name = (problem.field or "").removeprefix("entry_rules.")
                self.add_error(name if name in self.fields else None, problem.detail)
        return cleaned


class EventForm(ArrangementForm):
    """A new event: a tournament of each chosen game."""

    name = forms.CharField(max_length=LONGEST_NAME)
    games = forms.MultipleChoiceField(
        choices=[(key, game.info.title) for key, game in GAMES.items()],
        widget=forms.CheckboxSelectMultiple,
        initial=list(GAMES),
    )
    rated = forms.BooleanField(
        label="Results also count on the games’ leaderboards", required=False, initial=True
    )
    entries_per_author = forms.IntegerField(
        label="Bots of an author in each game",
        min_value=1,
        max_value=MOST_ENTRIES_PER_AUTHOR,
        initial=ENTRIES_PER_AUTHOR,
    )
    field_order = ("name", "games", "entries_per_author", "rated")


class InviteForm(forms.Form):
    """Whom to invite."""

    invited = forms.CharField(
        label="Authors", max_length=10_000, help_text="User names, with spaces between."
    )


class ReplaceForm(forms.Form):
    """Which version plays instead of another."""

    by = forms.TypedChoiceField(label="Plays instead", coerce=int)

    def __init__(
        self,
        data: Any = None,  # Any: what Django's forms take
        *,
        entry: Entry,
    ) -> None:
        super().__init__(data)
        side = [entry.version.bot.owner_id, *entry.members.values_list("person", flat=True)]
        versions = BotVersion.objects.eligible(entry.tournament.game).listed()
        others = versions.filter(bot__owner__in=side).exclude(entries__tournament=entry.tournament)
        self.fields["by"].choices = [  # type: ignore[attr-defined]  # a choice field
            (version.pk, version.label)
            for version in others.order_by("bot__name", "-number")[:_MOST_CHOICES]
        ]
