from rest_framework import serializers

from pentathlon.accounts.models import User


class PersonSerializer(serializers.ModelSerializer[User]):
    """A person, with their public fields."""

    class Meta:
        model = User
        fields = ("id", "username")
        read_only_fields = fields
