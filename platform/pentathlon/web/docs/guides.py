"""The list of the guides under /docs/, from which the contents page and their links come.

A new guide needs a line in `SHELVES`, an address in `urls.py` (view `docs.guide`, unless it needs
a context) and a template `web/docs/NAME.html` that extends `web/docs/page.html`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from django.urls import reverse
from django.utils.safestring import SafeString
from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from pentathlon.core.documents import PageRenderer, leads_out
from pentathlon_engines import GAMES

_KEPT: Final = 256
"""How many texts are kept as HTML."""
_LONGEST_SUMMARY: Final = 200
_HIGHEST: Final = 3
_BREAKS: Final = ("softbreak", "hardbreak")


class Guide(NamedTuple):
    """One line of the contents. Its `about` is plain text, like everything here."""

    name: str
    """The name of its route in `urls.py`, or the address itself if the page is of another kind."""
    title: str
    about: str
    arguments: tuple[str, ...] = ()

    @property
    def address(self) -> str:
        """Return the address of the page."""
        return self.name if self.is_elsewhere else reverse(self.name, args=self.arguments)

    @property
    def is_elsewhere(self) -> bool:
        """Return whether this is a page without the links that guides have."""
        return self.name.startswith("/")


class Shelf(NamedTuple):
    """Guides for one kind of reader; `key` is the anchor of the shelf on the contents page."""

    key: str
    title: str
    guides: tuple[Guide, ...]


class Place(NamedTuple):
    """The place of a guide: its shelf, and its neighbours."""

    guide: Guide
    shelf: Shelf
    previous: Guide | None
    next: Guide | None


SHELVES: Final = (
    Shelf(
        "authors",
        "For authors of bots",
        (
            Guide(
                "first_bot",
                "Your first bot",
                "Ten minutes from the installation to a rated match and a better bot.",
            ),
            Guide(
                "bot_guide", "Write a bot", "What a bot is, what it reads, and what it answers."
            ),
            Guide(
                "why_lost",
                "Why did I lose?",
                "Every fault with its cause and its remedy, and matches lost without a fault.",
            ),
            Guide(
                "kit", "The author’s kit", "The pentathlon command: install, try, submit, follow."
            ),
            Guide("ci", "Continuous integration", "Check, submit and compare at every change."),
            Guide(
                "learning", "Learning", "Datasets, environments, and a trained bot step by step."
            ),
            Guide("/datasets/", "Datasets", "Decisions of closed tournaments and seasons."),
            Guide(
                "reference_bots",
                "Reference bots",
                "The built-in opponents, and how strong they are.",
            ),
            Guide("protocol", "The bot protocol", "Every message, every limit, every fault."),
            Guide(
                "api_guide",
                "Use the API",
                "Tokens, lists, refusals, sending again, rates, what may change.",
            ),
            Guide(
                "/api/docs/", "The API", "Upload bots, run tournaments, read results by program."
            ),
            Guide("webhooks_guide", "Webhooks", "Get notified of events: signed, retried."),
            Guide(
                "account_guide",
                "Your account",
                "Password, sessions, second factors, and what to do when they are lost.",
            ),
            Guide(
                "apps_guide",
                "Sign in with Pentathlon",
                "Apps that act for people: consent, tokens, a program that runs.",
            ),
            Guide("limits", "Limits", "How much one client, address and account may ask for."),
        ),
    ),
    Shelf(
        "games",
        "For authors: game by game",
        tuple(
            Guide(
                "game_bots",
                f"Bots for {game.info.title}",
                "What they read and write, field by field, and a first strategy.",
                (game.info.key,),
            )
            for game in GAMES.values()
        ),
    ),
    Shelf(
        "organisers",
        "For organisers",
        (
            Guide(
                "organiser_guide",
                "Run a tournament",
                "Formats, states, controls, hidden results, seeds.",
            ),
        ),
    ),
    Shelf(
        "spectators",
        "For spectators",
        (
            Guide("how_it_works", "How it works", "What happens between an upload and a rating."),
            Guide(
                "rating_guide",
                "How ratings work",
                "Strength and its uncertainty in plain words, pairing, seasons, divisions.",
            ),
            Guide(
                "ranking_rule", "The Pentathlon ranking", "How authors are ranked over all games."
            ),
            Guide(
                "win_chances",
                "Win chances",
                "The curve over a replay: chances, blunders, turning points, accuracy.",
            ),
            Guide("verify", "Verify a result", "Play any match again on your own machine."),
        ),
    ),
    Shelf(
        "rules",
        "Rules of the games",
        tuple(
            Guide(
                "rules",
                game.info.title,
                f"Pictures, the law and worked examples; version {game.info.version}.",
                (game.info.key,),
            )
            for game in GAMES.values()
        ),
    ),
    Shelf(
        "operators",
        "For operators",
        (
            Guide(
                "operator_guide",
                "Run the platform",
                "Processes, settings, workers, health, backups, upgrades, troubles.",
            ),
            Guide("capacity", "Capacity", "How many matches an installation carries."),
            Guide("runbook", "Runbook", "What to do when an alert fires."),
            Guide("/workers/", "Workers", "Which machines play here, and what they offer."),
            Guide("/status/", "Status", "Whether all parts run, and how much waits."),
        ),
    ),
)


def place_of(address: str) -> Place:
    """Return the place of the guide at an address; raise KeyError for any other page."""
    return _places()[address]


@cache
def _places() -> dict[str, Place]:
    steps = [(guide, shelf) for shelf in SHELVES for guide in shelf.guides]
    pages = [(guide, shelf) for guide, shelf in steps if not guide.is_elsewhere]
    after = {left.address: right for (left, _), (right, _) in pairwise(pages)}
    before = {right.address: left for (left, _), (right, _) in pairwise(pages)}
    return {
        guide.address: Place(guide, shelf, before.get(guide.address), after.get(guide.address))
        for guide, shelf in pages
    }


class RefusedUpload(NamedTuple):
    """The meaning of a code, and its remedy."""

    meaning: str
    mend: str


REFUSALS: Final = {
    "not_a_zip": RefusedUpload("The file is not a zip archive.", "Let `submit` pack the folder."),
    "no_manifest": RefusedUpload(
        "There is no `bot.toml`, or more than one folder has one; the sentence names those found.",
        "Pack one bot’s folder, with a file of exactly that name.",
    ),
    "bad_manifest": RefusedUpload(
        "`bot.toml` has a field that is wrong; the sentence names it.",
        "Compare it with one that `init` writes.",
    ),
    "unknown_game": RefusedUpload(
        "`games` names a game that is not here.", "Use the keys of the games."
    ),
    "unknown_language": RefusedUpload(
        "`language` names a language that we do not offer.", "Use one of the list, or a `command`."
    ),
    "bad_name": RefusedUpload("A file’s name cannot be used here.", "Rename the file."),
    "duplicate_name": RefusedUpload("Two entries have one name.", "Pack the folder again."),
    "link_in_archive": RefusedUpload("An entry is a link.", "Put the file itself there."),
    "special_file": RefusedUpload("An entry is neither a file nor a folder.", "Leave it out."),
    "encrypted": RefusedUpload("An entry is encrypted.", "Pack it without a password."),
    "unknown_compression": RefusedUpload(
        "An unusual way of packing.", "Use deflate, the default."
    ),
    "bad_model": RefusedUpload(
        "The file that `model` names is neither ONNX nor safetensors.", "Export it again."
    ),
    "too_many_files": RefusedUpload(
        "The archive has too many entries.", "Leave out what the bot does not need."
    ),
    "bad_archive": RefusedUpload(
        "There is another problem; the sentence names it.", "Pack it again."
    ),
    "too_large": RefusedUpload(
        "It, or a file in it, is larger than allowed.", "Leave out data, or store it smaller."
    ),
    "manifest_changed": RefusedUpload("The build changed `bot.toml`.", "Leave that file alone."),
    "nothing_built": RefusedUpload(
        "The build made no file that starts the bot.", "Let `-o` name what `command` starts."
    ),
}


@lru_cache(maxsize=_KEPT)
def render_text(text: str) -> SafeString:
    """Return a text of somebody as HTML."""
    html: str = _parser().render(text).strip()
    return SafeString(html)


def summary_of(text: str) -> str:
    """Return the beginning of a text in one line, without its marks."""
    line = " ".join("".join(_words(_parser().parse(text))).split())
    return line if len(line) <= _LONGEST_SUMMARY else f"{line[: _LONGEST_SUMMARY - 1].rstrip()}…"


class _TextRenderer(PageRenderer):
    """Renders as on our pages, but trusts nothing."""

    def heading_open(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
    ) -> str:
        """Open a heading below those of the page."""
        return f"<{_level(tokens[idx])}>"

    def heading_close(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
    ) -> str:
        """Close a heading."""
        return f"</{_level(tokens[idx])}>\n"

    def image(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """Return the description of an image instead of the image."""
        return escapeHtml(tokens[idx].content)

    def link_open(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
    ) -> str:
        """Return a link to another site that we do not vouch for."""
        if leads_out(tokens[idx]):
            tokens[idx].attrSet("rel", "nofollow ugc noopener")
        return super().link_open(tokens, idx, options, env)


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}, renderer_cls=_TextRenderer).enable("table")


def _level(heading: Token) -> str:
    return f"h{max(_HIGHEST, int(heading.tag.removeprefix('h')))}"


def _words(tokens: Sequence[Token]) -> Iterator[str]:
    for token in tokens:
        if token.children is None:
            yield " "
        for child in token.children or ():
            yield " " if child.type in _BREAKS else child.content
