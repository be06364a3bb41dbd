"""The forms of the audit log: its filter, and decisions of staff about people."""

from typing import Any

from django import forms

from pentathlon.accounts.audit.actions import AuditAction, AuditedKind
from pentathlon.accounts.models import User
from pentathlon.accounts.roles import LONGEST_REASON, PersonRole, has_role, is_staff


class AuditFilterForm(forms.Form):
    """A filter of events; empty fields match everything."""

    person = forms.CharField(
        max_length=60, required=False, help_text="The person who did it, or whom it affected."
    )
    action = forms.ChoiceField(
        required=False,
        choices=[("", "every action"), *((each.value, each.value) for each in AuditAction)],
    )
    kind = forms.ChoiceField(
        label="Object",
        required=False,
        choices=[("", "every kind"), *((each.value, each.label) for each in AuditedKind)],
    )
    object_id = forms.CharField(label="Its number", max_length=60, required=False)
    since = forms.DateField(
        label="From", required=False, widget=forms.DateInput({"type": "date"}), help_text="UTC."
    )
    until = forms.DateField(
        label="To", required=False, widget=forms.DateInput({"type": "date"}), help_text="UTC."
    )


class DecisionForm(forms.Form):
    """A decision of staff, or an organiser's word, about a person, with its reason."""

    decision = forms.ChoiceField()
    reason = forms.CharField(
        max_length=LONGEST_REASON, help_text="Kept in the audit log; staff and the person read it."
    )

    def __init__(self, data: Any, *, actor: User, person: User) -> None:  # Any: what was posted
        super().__init__(data)
        choices = [("", "choose…"), *decisions_about(person, actor=actor)]
        self.fields["decision"] = forms.ChoiceField(choices=choices)


def decisions_about(person: User, *, actor: User) -> list[tuple[str, str]]:
    """Return the decisions that are possible about a person now, in words."""
    found = []
    for role in PersonRole:
        if role == PersonRole.STAFF and not actor.is_superuser:
            continue
        if role != PersonRole.VOUCHED and not is_staff(actor):
            continue
        has = has_role(person, role)
        verb = "take" if has else "give"
        found.append((f"{verb}-{role.value}", f"{verb} the role of {role.label}"))
    if not is_staff(actor):
        return found
    closing = ("close", "close the account") if person.is_active else ("reopen", "open it again")
    return [*found, closing]
