"""Forms about bots: the upload."""

from django import forms

from pentathlon.bots.services import LONGEST_NOTES


class UploadForm(forms.Form):
    """The files of a bot version, and what changed."""

    archive = forms.FileField(
        label="Archive",
        allow_empty_file=True,
        help_text="A .zip with bot.toml at the top. Name and games are read from it.",
        widget=forms.FileInput({"accept": ".zip,application/zip"}),
        error_messages={"required": "Choose the .zip of your bot."},
    )
    notes = forms.CharField(
        label="What changed",
        required=False,
        max_length=LONGEST_NOTES,
        help_text="One line, shown on the bot’s page.",
    )

    candidate = forms.BooleanField(
        label="Keep it as a candidate",
        required=False,
        help_text="It joins no ladder and nobody meets it, until you activate it on its page.",
    )

    @property
    def content(self) -> bytes:
        """The bytes of the archive of a valid form."""
        data: bytes = self.cleaned_data["archive"].read()
        return data
