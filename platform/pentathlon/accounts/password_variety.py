from django.core.exceptions import ValidationError

from pentathlon.accounts.models import User

FEWEST: int = 4


class PasswordVariety:
    """Refuses passwords that repeat a few characters: twelve spaces are long, and no secret."""

    def validate(self, password: str, user: User | None = None) -> None:
        """Raise ValidationError unless the password has enough different non-space characters."""
        if len({character for character in password if not character.isspace()}) < FEWEST:
            raise ValidationError(self.get_help_text(), code="password_without_variety")

    def get_help_text(self) -> str:
        """Describe what a password must have."""
        return f"A password has at least {FEWEST} different characters besides spaces."
