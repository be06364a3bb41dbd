"""Forms about bots: the upload, and the disqualification of a version."""

from django import forms

from pentathlon.bots.archives import read_archive
from pentathlon.bots.services import LONGEST_NOTES, LONGEST_REASON
from pentathlon.web.forms.errors import check_field
from pentathlon_engines.archive.archives import CheckedArchive


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
        help_text="It joins no ladder and cannot be challenged until you activate it on its page.",
    )

    def clean_archive(self) -> CheckedArchive:
        """Read the archive, or refuse it."""
        return check_field(lambda: read_archive(self.cleaned_data["archive"].read()))


class ReasonForm(forms.Form):
    """Why a version is disqualified."""

    reason = forms.CharField(max_length=LONGEST_REASON, help_text="Everybody will read it.")
