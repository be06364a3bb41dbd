"""Compare two versions on the site: one challenge after another until a sequential test decides.

The site plays the matches, unrated and behind rated ones, and computes the test from all
challenges of the two. So nothing is lost when this program ends: the same command continues.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pentathlon_engines.cli.arguments import common_game
from pentathlon_engines.cli.client.connection import Json, find_bot_named, find_version, me
from pentathlon_engines.cli.client.http_site import Site
from pentathlon_engines.cli.client.patience import Patience
from pentathlon_engines.cli.client.submission import Follower, out_of_time, pack, upload_version
from pentathlon_engines.cli.failure import HOST_OR_SERVER, CommandFailed, SiteRefused
from pentathlon_engines.cli.output.sprt import Comparison
from pentathlon_engines.cli.output.streams import is_terminal, say, show_on_one_line
from pentathlon_engines.strength.sprt import Sprt, SprtDecision

_FIRST_BLOCKS: Final = 20
"""The blocks before the first look of the test; more of them might be played in vain."""
_NEXT_BLOCKS: Final = 12
_PAIR: Final = 2
_CELLS: Final = 5
_RUNNING: Final = "running"
_LATEST: Final = 20
_MOST_VERSIONS: Final = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two versions on a site and the game in which they meet."""

    new: Json
    old: Json
    game: str
    is_own: bool
    """Whether both versions belong to the person who asks."""

    @property
    def opponent(self) -> dict[str, int]:
        """The field that names the old version: another author's is named by its bot alone."""
        own, foreign = {"against": self.old["id"]}, {"bot": self.old["bot"]["id"]}
        return own if self.is_own else foreign


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerRun:
    """The progress of a comparison, and the address of its page."""

    comparison: Comparison
    page: str
    note: str = ""
    """Why the comparison stopped before the test decided; empty otherwise."""


def find_pair(
    site: Site, new: str, old: str | None, *, game: str | None, timeout_s: float
) -> Pair:
    """Return the two versions; upload NEW as a candidate if its files are not there yet."""
    mine = _find_new(site, new, timeout_s)
    bot = mine["bot"] if old is None else _bot_named(site, old)
    if old is not None and "@" in old:
        other = find_version(site, old)
    else:
        other = _active_version(site, bot, but=mine["id"])
    is_own = bool(other["bot"]["owner"]["username"] == me(site))
    if not is_own and other["id"] != _active_version(site, bot, but=0)["id"]:
        raise CommandFailed(
            f"You can meet only the version that plays for another author's bot, and "
            f"{other['label']} is not that version.",
            try_next=f"the same command with {bot['name']}",
        )
    if other["id"] == mine["id"]:
        raise CommandFailed(
            f"{new} and {other['label']} have the same files: there is nothing to compare.",
            try_next="pentathlon compare --help",
        )
    return Pair(
        new=mine, old=other, game=common_game(mine["games"], other["games"], game), is_own=is_own
    )


class ServerComparison:
    """Plays two versions on a site until the test decides or a limit is reached."""

    def __init__(self, site: Site, pair: Pair, *, most_matches: int, timeout_s: float) -> None:
        self._site = site
        self._pair = pair
        self._most = most_matches
        self._page = site.page(f"bots/{pair.new['bot']['id']}/")
        self._patience = Patience(
            timeout_s,
            what="The comparison did not finish in time. The requested matches are still played.",
            try_next="the same command again, to continue",
        )
        self._shown = -1
        self._reason = ""

    @property
    def page(self) -> str:
        """The address of its page."""
        return self._page

    def run(self) -> ServerRun:
        """Request challenges and follow them; the same pair continues an earlier comparison."""
        latest = self._latest()
        blocks = -1
        while True:
            if latest is not None:
                latest = self._follow(latest)
            found = self._read(latest)
            if found.decision != SprtDecision.UNDECIDED or found.matches >= self._most:
                return self._ended(found)
            if latest is not None and latest["state"] == "cancelled" and blocks >= 0:
                return self._ended(found, "The challenge was cancelled.")
            if sum(found.counts) == blocks:
                raise CommandFailed(
                    "None of its last blocks could be played to the end.",
                    try_next=self._page,
                    exit_code=HOST_OR_SERVER,
                )
            blocks = sum(found.counts)
            room = self._room(found)
            if not room:
                return self._ended(found, "Your quota of challenge matches is used up for today.")
            latest = self._ask_for(room)

    def _ended(self, found: Comparison, note: str = "") -> ServerRun:
        return ServerRun(comparison=found, page=self._page, note=note)

    def _latest(self) -> Json | None:
        """Return the last challenge between the two, if there was one."""
        pair = self._pair
        query = {"version": pair.new["id"], "opponent": pair.old["id"], "game": pair.game}
        rows = self._site.rows("challenges/", most=_LATEST, **query)
        found: Json | None = next((row for row in rows if not row["others"]), None)
        if found is not None:
            say(f"{found['version']['label']} has met {found['opponent']['label']} before.")
        return found

    def _room(self, found: Comparison) -> int:
        """Return how many blocks to ask for now, by the quota and what is left to play."""
        quota: Json = self._site.get("challenges/quota/")
        left: int = quota["left"]
        say(
            f"{left} of your {quota['limit']} challenge matches a day are left; the quota renews "
            f"at {quota['renews_at']}."
        )
        blocks = _NEXT_BLOCKS if any(found.counts) else _FIRST_BLOCKS
        return min(blocks, left // _PAIR, max(1, (self._most - found.matches) // _PAIR))

    def _ask_for(self, blocks: int) -> Json:
        pair = self._pair
        payload = {"version": pair.new["id"], **pair.opponent, "game": pair.game, "blocks": blocks}
        try:
            made: Json = self._site.post("challenges/", payload)
        except SiteRefused as error:
            if error.refusal != "too_many_challenges":
                raise
            raise CommandFailed(
                str(error), try_next="the same command later", exit_code=HOST_OR_SERVER
            ) from error
        page = self._site.page(f"challenges/{made['id']}/")
        say(f"{pair.new['label']} meets {pair.old['label']} with {blocks} seeds: {page}")
        return made

    def _follow(self, challenge: Json) -> Json:
        """Wait until a challenge ends, showing the state of the test."""
        self._page = self._site.page(f"challenges/{challenge['id']}/")
        address = f"challenges/{challenge['id']}/"
        for row in self._patience.answers(lambda: self._look(address)):
            is_over = row["state"] != _RUNNING
            self._show(row, is_over=is_over)
            if is_over:
                return row
        raise AssertionError  # answers() ends with a failure

    def _look(self, address: str) -> Json:
        challenge: Json = self._site.get(address)
        if challenge["done"] == 0 and challenge["state"] == _RUNNING:
            self._say_why()
        return challenge

    def _show(self, challenge: Json, *, is_over: bool) -> None:
        found = self._read(challenge)
        blocks = sum(found.counts)
        if blocks != self._shown:
            self._patience.note_news()
        if is_terminal():
            show_on_one_line(str(found))
        elif blocks != self._shown and (is_over or found.test.is_look(blocks)):
            say(str(found))
        self._shown = blocks

    def _say_why(self) -> None:
        """Print why the first pending match is waiting, if the reason has changed."""
        waiting = self._site.rows(
            "matches/", most=1, state="pending", kind="challenge", version=self._pair.new["id"]
        )
        reason = self._site.get(f"matches/{waiting[0]['id']}/")["waiting"] if waiting else None
        sentence = reason["sentence"] if reason else ""
        if sentence and sentence != self._reason:
            say(f"Waiting: {sentence}")
            self._reason = sentence

    def _read(self, challenge: Json | None) -> Comparison:
        reading = None if challenge is None else challenge.get("reading")
        counts = tuple(reading["counts"]) if reading else (0,) * _CELLS
        decision = reading["decision"] if reading else SprtDecision.UNDECIDED
        return Comparison(
            new=self._pair.new["label"],
            old=self._pair.old["label"],
            test=Sprt(),
            decision=SprtDecision(decision),
            counts=counts,
            matches=_PAIR * sum(counts),
        )


def _find_new(site: Site, new: str, timeout_s: float) -> Json:
    source = Path(new)
    if not source.exists():
        return find_version(site, new)
    archive = pack(source)
    version = upload_version(site, archive, source=source, candidate=True)
    patience = Patience(timeout_s, **out_of_time(version))
    return Follower(site, version, patience).to_its_verdict()


def _bot_named(site: Site, name: str) -> Json:
    return find_bot_named(site, name.partition("@")[0])


def _active_version(site: Site, bot: Json, *, but: int) -> Json:
    """Return the newest version that may play for a bot and is no candidate, except `but`."""
    rows: Iterable[Json] = site.rows(
        "versions/", most=_MOST_VERSIONS, bot=bot["id"], state="eligible", candidate="false"
    )
    found = max((row for row in rows if row["id"] != but), key=_number, default=None)
    if found is None:
        raise CommandFailed(
            f"No other version plays for {bot['name']}: there is nothing to compare with.",
            try_next="pentathlon bots --all",
        )
    return found


def _number(version: Json) -> int:
    number: int = version["number"]
    return number
