"""The form of the capacity page; its values are in the address."""

from __future__ import annotations

from django import forms

from pentathlon_engines import GAMES


class CapacityForm(forms.Form):
    """A game, how much of it is played, and on what."""

    game = forms.ChoiceField(label="Game")
    matches_a_day = forms.IntegerField(
        label="Matches a day", min_value=1, max_value=1_000_000_000, initial=100_000
    )
    plies = forms.IntegerField(
        label="Plies of a match",
        min_value=1,
        max_value=10_000,
        required=False,
        help_text="If left out, the measured value.",
    )
    cores = forms.IntegerField(
        label="Cores for workers", min_value=1, max_value=100_000, initial=8
    )
    database_cores = forms.IntegerField(
        label="Cores of the database", min_value=1, max_value=1_000, initial=4
    )

    def __init__(self, *args: object, **settings: object) -> None:
        super().__init__(*args, **settings)  # type: ignore[arg-type]  # only handed on
        titles = [(key, game.info.title) for key, game in GAMES.items()]
        self.fields["game"] = forms.ChoiceField(label="Game", choices=titles, initial="tuned")
