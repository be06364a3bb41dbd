"""Forms about bots: the uploads, and the disqualification of a version."""

from __future__ import annotations

from typing import Any, Final

from django import forms
from django.core.files.uploadedfile import UploadedFile

from pentathlon.bots.archives import read_archive
from pentathlon.bots.services import LONGEST_NOTES, LONGEST_REASON
from pentathlon.core.errors import DomainError
from pentathlon.core.server.limits import MOST_IN_BATCH
from pentathlon.web.requests import check_field
from pentathlon_engines.archive.archives import CheckedArchive


class _NotesForm(forms.Form):
    field_order = ("archive", "notes", "candidate")

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


class UploadForm(_NotesForm):
    """The files of a bot version, and a note on what changed."""

    archive = forms.FileField(
        label="Archive",
        allow_empty_file=True,
        help_text="A .zip with bot.toml at the top. Name and games are read from it.",
        widget=forms.FileInput({"accept": ".zip,application/zip"}),
        error_messages={"required": "Choose the .zip of your bot."},
    )

    def clean_archive(self) -> CheckedArchive:
        """Read the archive, or refuse it."""
        return check_field(lambda: read_archive(self.cleaned_data["archive"].read()))


class _ArchivesInput(forms.FileInput):
    allow_multiple_selected = True

    def value_from_datadict(self, _data: Any, files: Any, name: str) -> Any:  # Any: as in Django
        return files.getlist(name)


class _ArchivesField(forms.FileField):
    """One file or more, each of which is checked as a `FileField` does."""

    def clean(
        self, data: Any, initial: Any = None
    ) -> list[UploadedFile[Any]]:  # Any: as in Django
        """Return the files."""
        return [super(_ArchivesField, self).clean(each, initial) for each in data or [None]]


_LONGEST_NAME: Final = 100


class UploadsForm(_NotesForm):
    """The archives of one bot or of several."""

    archive = _ArchivesField(
        label="Archive",
        allow_empty_file=True,
        help_text="A .zip with bot.toml at the top. Name and games are read from it. "
        f"You may choose up to {MOST_IN_BATCH}: each is then a new bot, or the next version of "
        "your bot of that name.",
        widget=_ArchivesInput({"accept": ".zip,application/zip", "multiple": True}),
        error_messages={"required": "Choose the .zip of your bot."},
    )

    def clean_archive(self) -> list[tuple[str, CheckedArchive | DomainError]]:
        """Read the archives; refuse a single bad one here, but one of several by itself."""
        files: list[UploadedFile[Any]] = self.cleaned_data["archive"]
        if len(files) == 1:
            data = files[0].read()
            return [(_name_of(files[0]), check_field(lambda: read_archive(data)))]
        if len(files) > MOST_IN_BATCH:
            raise forms.ValidationError(
                f"These are {len(files)} archives. Choose at most {MOST_IN_BATCH}.",
                code="too_many",
            )
        return [(_name_of(each), _read(each)) for each in files]


def _name_of(file: UploadedFile[Any]) -> str:
    return (file.name or "")[:_LONGEST_NAME]


def _read(file: UploadedFile[Any]) -> CheckedArchive | DomainError:
    try:
        return read_archive(file.read())
    except DomainError as error:
        return error


class ReasonForm(forms.Form):
    """The reason for disqualifying a version."""

    reason = forms.CharField(max_length=LONGEST_REASON, help_text="Everybody will read it.")
