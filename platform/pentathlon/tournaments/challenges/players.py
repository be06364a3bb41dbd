"""Who may meet whom in a challenge, and in which game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pentathlon.accounts.models import User
from pentathlon.bots.doors import Door, check_door
from pentathlon.bots.models import OUT_OF_PLAY, Bot, BotVersion, VersionState
from pentathlon.core.errors import Conflict, InvalidInput
from pentathlon_engines import GAMES
from pentathlon_engines.commentary.words import count_range
from pentathlon_engines.contract.registry import unknown_game


@dataclass(frozen=True, slots=True, kw_only=True)
class ChallengeTable:
    """The versions at the table, and the game that they play."""

    game: str
    version: BotVersion
    opponent: BotVersion
    others: tuple[BotVersion, ...]

    @property
    def players(self) -> tuple[int, ...]:
        """The ids of all versions at the table, the challenger's first."""
        return tuple(each.pk for each in (self.version, self.opponent, *self.others))


def choose_players(
    *,
    actor: User,
    version_id: int,
    bot_id: int | None,
    against_id: int | None,
    other_ids: Sequence[int],
    game: str | None,
) -> ChallengeTable:
    """Return who meets whom; refuse a table that cannot be played.

    The opponent is another author's bot, or another version of the actor's own.
    """
    version = _own_version(actor, version_id, field="version")
    if bot_id is not None and against_id is None:
        bot = _foreign_bot(actor, bot_id, field="bot")
        key = _check_game(version, game)
        opponent = active_version(bot, game=key, field="bot")
    elif against_id is not None and bot_id is None:
        opponent = _own_version(actor, against_id, field="against")
        key = _check_game(version, game)
        _check_other(version, opponent, game=key)
    else:
        raise InvalidInput(
            "Name either a bot of somebody else's in bot, or a version of your own in against.",
            code="one_opponent",
            field="bot",
        )
    _check_in_play(version, field="version")
    others = _others(actor, other_ids, game=key, opponent=opponent)
    _check_seats(key, seats=2 + len(others))
    return ChallengeTable(game=key, version=version, opponent=opponent, others=others)


def active_version(bot: Bot, *, game: str, field: str) -> BotVersion:
    """Return the version that plays for a bot: the newest that may play and is no candidate.

    Raises:
        InvalidInput: `other_game`.
        Conflict: `bot_retired` or `no_active_version`.
    """
    playing = bot.versions.in_line().listed().order_by("-number")
    versions = [each for each in playing if game in each.game_keys]
    title = GAMES[game].info.title
    if not versions:
        raise InvalidInput(f"{bot.name} does not play {title}.", code="other_game", field=field)
    active = next((each for each in versions if each.state == VersionState.ELIGIBLE), None)
    if active is not None:
        return active
    if all(each.state in OUT_OF_PLAY for each in versions):
        raise Conflict(
            f"{bot.name} is out of play: none of its versions plays {title} any more.",
            code="bot_retired",
            field=field,
        )
    raise Conflict(
        f"No version of {bot.name} may play {title} yet: the newest one is "
        f"{versions[0].get_state_display()}.",
        code="no_active_version",
        field=field,
    )


def _own_version(actor: User, version_id: int, *, field: str) -> BotVersion:
    version = BotVersion.objects.listed().filter(pk=version_id).first()
    if version is None:
        raise InvalidInput(
            f"There is no bot version {version_id}.", code="unknown_version", field=field
        )
    check_door(Door.OWN, version, actor=actor, field=field)
    return version


def _foreign_bot(actor: User, bot_id: int, *, field: str) -> Bot:
    bot = Bot.objects.select_related("owner").filter(pk=bot_id).first()
    if bot is None:
        raise InvalidInput(f"There is no bot {bot_id}.", code="unknown_bot", field=field)
    if bot.owner_id == actor.pk:
        raise InvalidInput(
            f"{bot.name} is your own bot. To compare two versions of yours, name the other one in "
            "against.",
            code="own_bot",
            field=field,
        )
    return bot


def _check_game(version: BotVersion, game: str | None) -> str:
    """Return the game that is asked for, or the only one that the version plays."""
    keys = [key for key in version.game_keys if key in GAMES]
    if game is None:
        if len(keys) == 1:
            return keys[0]
        raise InvalidInput(
            f"Say which game: {version.label} plays {', '.join(keys)}.",
            code="game_needed",
            field="game",
        )
    if game not in GAMES:
        raise InvalidInput(f"There is {unknown_game(game)}.", code="unknown_game", field="game")
    _check_plays(version, game=game, field="version")
    return game


def _check_other(version: BotVersion, opponent: BotVersion, *, game: str) -> None:
    if version.pk == opponent.pk:
        raise InvalidInput(
            f"{version.label} cannot meet itself: choose another version.",
            code="same_version",
            field="against",
        )
    _check_plays(opponent, game=game, field="against")
    _check_in_play(opponent, field="against")


def _check_plays(version: BotVersion, *, game: str, field: str) -> None:
    if game not in version.game_keys:
        raise InvalidInput(
            f"{version.label} does not play {GAMES[game].info.title}; it plays "
            f"{', '.join(version.game_keys)}.",
            code="other_game",
            field=field,
        )


def _check_in_play(version: BotVersion, *, field: str) -> None:
    if version.state != VersionState.ELIGIBLE:
        raise Conflict(
            f"{version.label} is {version.get_state_display()}: choose a version that may play.",
            code="not_eligible",
            field=field,
        )


def _others(
    actor: User, bot_ids: Sequence[int], *, game: str, opponent: BotVersion
) -> tuple[BotVersion, ...]:
    if len({opponent.bot_id, *bot_ids}) <= len(bot_ids):
        raise InvalidInput(
            "Each bot can sit in one chair only.", code="duplicate_bots", field="others"
        )
    bots = (_foreign_bot(actor, bot_id, field="others") for bot_id in bot_ids)
    return tuple(active_version(bot, game=game, field="others") for bot in bots)


def _check_seats(game: str, *, seats: int) -> None:
    lowest, highest = GAMES[game].info.seats
    if not lowest <= seats <= highest:
        bots = count_range(lowest, highest, "bot")
        raise InvalidInput(
            f"{GAMES[game].info.title} is played by {bots}; with these others it would be "
            f"{seats}.",
            code="bad_seats",
            field="others",
        )
