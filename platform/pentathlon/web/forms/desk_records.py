"""The form that takes a record from a desk."""

from django import forms

from pentathlon.core.errors import InvalidInput
from pentathlon.matches.desk_records.services import CheckedRecord, check_record
from pentathlon_engines import strict_json
from pentathlon_engines.errors import BadJson


class RecordForm(forms.Form):
    """A record that the `pentathlon` command has written."""

    record = forms.FileField(
        allow_empty_file=True,
        help_text="A .json file, for example from pentathlon play with --out.",
        widget=forms.FileInput({"accept": ".json,application/json"}),
        error_messages={"required": "Choose the .json file of the record."},
    )

    def check_record(self) -> CheckedRecord:
        """Return the verified record of a valid form; replaying the game may take long."""
        try:
            sent = strict_json.loads(self.cleaned_data["record"].read())
        except BadJson as error:
            raise InvalidInput(
                f"This file is not JSON: {error}. Choose the one that pentathlon wrote.",
                code="bad_record",
                field="record",
            ) from error
        return check_record(sent)
