"""The form by which staff let a machine work for the site."""

from django import forms

from pentathlon.fleet.announcements import DEFAULT_SLOTS, MOST_SLOTS, Work
from pentathlon.fleet.tokens import LONGEST_NAME

_WORDS = {
    Work.RATED: "Rated matches: only for machines that you run yourself",
    Work.UNRATED: "Unrated matches, and bots that play with people",
    Work.BUILDS: "Building uploads for validation; rated play builds them again",
    Work.ANALYSES: "Win-chance curves",
}


class JoinForm(forms.Form):
    """A new worker token: its name, its slots, and the work with which it is trusted."""

    name = forms.CharField(
        max_length=LONGEST_NAME, help_text="The name of the machine, or of its operator: “lab 3”."
    )
    slots = forms.IntegerField(
        min_value=1,
        max_value=MOST_SLOTS,
        initial=DEFAULT_SLOTS,
        help_text="How many matches it may play at a time; a machine has one slot for each core.",
    )
    work = forms.MultipleChoiceField(
        label="Trusted with",
        choices=[(work.value, words) for work, words in _WORDS.items()],
        initial=[work.value for work in Work if work is not Work.RATED],
        widget=forms.CheckboxSelectMultiple,
    )
