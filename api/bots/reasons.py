from rest_framework import serializers

from pentathlon.matches.dispatch.line import Before
from pentathlon.matches.dispatch.reasons import Reason


class BeforeSerializer(serializers.Serializer[Before]):
    """What goes before a match; both numbers fall."""

    matches = serializers.IntegerField()
    expected_s = serializers.IntegerField(
        allow_null=True, help_text="Seconds until its turn, as matches have lasted lately."
    )


class ReasonSerializer(serializers.Serializer[Reason]):
    """Why a match is not running."""

    code = serializers.CharField(help_text="Stable, such as `no_worker` or `bot_cap`.")
    sentence = serializers.CharField()
    before = BeforeSerializer(
        allow_null=True, help_text="null where its place in the line is not known."
    )
