"""Forms about teams."""

from django import forms

from pentathlon.tournaments.team_rows import LONGEST_TEAM


class TeamForm(forms.Form):
    """The name of a new team."""

    name = forms.CharField(
        max_length=LONGEST_TEAM, help_text="Everybody sees it. No other team may have it."
    )


class InviteMemberForm(forms.Form):
    """The person whom a team invites."""

    person = forms.CharField(
        label="User name",
        max_length=150,
        help_text="Nobody else sees the invitation before they accept.",
        widget=forms.TextInput({"autocapitalize": "none"}),
    )
