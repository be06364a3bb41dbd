from api.protocol.endpoint import RowSerializer
from pentathlon.accounts.models import User


class PersonSerializer(RowSerializer[User]):
    """A person, with their public fields."""

    class Meta:
        model = User
        fields = ("id", "username")
