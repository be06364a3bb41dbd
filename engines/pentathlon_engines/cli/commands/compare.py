"""`pentathlon compare`: is the new version better than the old one?"""

from contextlib import ExitStack
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Final, NamedTuple, NoReturn

import typer

from pentathlon_engines import GAMES
from pentathlon_engines.cli import arguments
from pentathlon_engines.cli.client.connection import connect_as_person
from pentathlon_engines.cli.client.http_site import Site
from pentathlon_engines.cli.failure import INTERRUPTED, CommandFailed
from pentathlon_engines.cli.options import (
    AsJson,
    BotLimits,
    Concurrency,
    GameOptions,
    Sandbox,
    SiteOption,
    complete_bot,
    complete_game,
)
from pentathlon_engines.cli.output.sprt import Comparison, print_comparison, show_comparison
from pentathlon_engines.cli.output.streams import say
from pentathlon_engines.cli.server_comparison import ServerComparison, find_pair
from pentathlon_engines.cli.tournament.bots import complete_document, make_document
from pentathlon_engines.cli.tournament.run import TournamentRun
from pentathlon_engines.commentary.words import count
from pentathlon_engines.contract.game import Game
from pentathlon_engines.desk.match_pool import Setting
from pentathlon_engines.desk.tournament import DeskTournament
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.runner import SeatBot
from pentathlon_engines.strength.sprt import Sprt, SprtDecision
from pentathlon_engines.tournament.document import TournamentDocument
from pentathlon_engines.tournament.formats.ab_test import AbTest

_PAIR: Final = 2
_ELO: Final = 400

BotName = Annotated[
    str, typer.Argument(help="A folder or a built-in name.", autocompletion=complete_bot)
]
OldBot = Annotated[
    str | None,
    typer.Argument(
        help="The same; with --server a bot or version there, by default the one that plays for "
        "NEW's bot.",
        autocompletion=complete_bot,
    ),
]
GameKey = Annotated[
    str | None, typer.Option(help="The game, if both play several.", autocompletion=complete_game)
]
Null = Annotated[
    float | None, typer.Option(help="The score at which NEW counts as not better; 0.5 by default.")
]
Alternative = Annotated[
    float | None, typer.Option(help="The score at which NEW counts as better; 0.55 by default.")
]
MaxGames = Annotated[
    int, typer.Option(min=40, max=50_000, help="End undecided after this many matches.")
]
Records = Annotated[
    Path | None, typer.Option(help="Keep records here; a stopped test continues from them.")
]
OnServer = Annotated[bool, typer.Option("--server", help="Let the site's workers play, unrated.")]
FailUnder = Annotated[
    float | None,
    typer.Option(
        min=0,
        max=1,
        help="Exit with 0 if NEW scores at least this share of the points, such as 0.48.",
    ),
]
Timeout = Annotated[
    float, typer.Option(min=1, help="With --server: the maximum number of seconds to wait.")
]


def compare(
    new: BotName,
    old: OldBot = None,
    *,
    server: OnServer = False,
    fail_under: FailUnder = None,
    game: GameKey = None,
    null: Null = None,
    alternative: Alternative = None,
    elo0: Annotated[float | None, typer.Option(help="--null as a lead in Elo.")] = None,
    elo1: Annotated[float | None, typer.Option(help="--alternative as a lead in Elo.")] = None,
    max_games: MaxGames = 2_080,
    concurrency: Concurrency = 1,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Draw the seeds from this number.")
    ] = None,
    options: GameOptions = None,
    limits: BotLimits = None,
    records: Records = None,
    sandbox: Sandbox = False,
    timeout: Timeout = 3600,
    site: SiteOption = None,
    as_json: AsJson = False,
) -> None:
    """Play NEW against OLD until a sequential test decides; exit with 0 if NEW is better, else 1.

    Every seed is played in both seats. The test looks after 20 blocks of two matches, then after
    every 4. With --fail-under, the share of the points decides the exit code: a version that is
    about as good passes.

    With --server, NEW is uploaded as a candidate if its files are not there yet; it takes no place
    on a ladder. The matches count against your quota of challenges. Running the same command again
    continues the test.

    Example: pentathlon compare ./my-bot ./my-bot-v1 --game tuned --concurrency 2
    """
    if server:
        here = (null, alternative, elo0, elo1, options, limits, records, seed)
        _refuse_options_of_the_desk(any(value is not None for value in here) or sandbox)
        asked = _OnServer(game, max_games, fail_under, timeout)
        _compare_on_server(connect_as_person(site), new, old, asked, as_json=as_json)
    rules, bots = _pair(new, _named(old, new), game)
    scores = (_score(null, elo0, "null", "elo0"), _score(alternative, elo1, "alternative", "elo1"))
    chosen = arguments.read_object(options, option="--options")
    planned = _plan(rules, bots, _params(scores, max_games), chosen, arguments.read_limits(limits))
    setting = Setting(
        game=rules,
        options=planned.options,
        limits=arguments.read_limits(limits),
        launcher=arguments.find_launcher(sandbox=sandbox),
        bots=bots,
    )
    secret = None if seed is None else sha256(f"compare {seed}".encode()).digest()
    with ExitStack() as stack:
        path = records or Path(stack.enter_context(TemporaryDirectory(prefix="pentathlon-")))
        run = _make_run(planned, bots, path, secret)
        kept = setting if records is None else run.keeping(setting)
        run.play(kept, concurrency=concurrency, describe=None if as_json else _describe)
    _end(run, records=records, fail_under=fail_under, as_json=as_json)


def _make_run(
    planned: TournamentDocument, bots: list[SeatBot], path: Path, secret: bytes | None
) -> TournamentRun:
    return TournamentRun(
        planned,
        published=planned.to_json(),
        path=path,
        secret=secret,
        hashes=[bot.hash for bot in bots],
    )


def _named(old: str | None, new: str) -> str:
    if old is None:
        raise CommandFailed(
            "Name a second bot: whom should NEW meet?",
            try_next=f"pentathlon compare {new} --server, or {new} and the folder of another bot",
        )
    return old


class _OnServer(NamedTuple):
    """Options of a comparison on the server."""

    game: str | None
    most_matches: int
    fail_under: float | None
    timeout_s: float


def _refuse_options_of_the_desk(is_any_given: bool) -> None:
    if is_any_given:
        raise CommandFailed(
            "On the site the test is a score of 0.50 against 0.55, with the usual options and "
            "limits and seeds that nobody knows: --server takes --game, --max-games, "
            "--fail-under, --timeout and --site only.",
            try_next="the same command without the other options",
        )


def _compare_on_server(
    site: Site, new: str, old: str | None, asked: _OnServer, *, as_json: bool
) -> NoReturn:
    """Compare on the site's workers, and exit with the code of the result."""
    site.kit()
    pair = find_pair(site, new, old, game=asked.game, timeout_s=asked.timeout_s)
    run = ServerComparison(site, pair, most_matches=asked.most_matches, timeout_s=asked.timeout_s)
    try:
        done = run.run()
    except KeyboardInterrupt as interrupt:
        say(f"\nIt continues on the site: {run.page}\nRun the same command to follow it again.")
        raise typer.Exit(INTERRUPTED) from interrupt
    found = replace(done.comparison, fail_under=asked.fail_under)
    if as_json:
        print_comparison(found, game=pair.game, url=done.page, note=done.note)
    else:
        show_comparison(found, matches=found.matches, page=done.page)
    if done.note:
        say(f"{done.note} Run the same command to continue.")
    if found.decision == SprtDecision.BETTER and pair.new["is_candidate"]:
        say(f"It is a candidate. Next: pentathlon submit {new}")
    raise typer.Exit(found.exit_code)


def _describe(tournament: DeskTournament) -> str:
    return str(_read(tournament))


def _end(
    run: TournamentRun, *, records: Path | None, fail_under: float | None, as_json: bool
) -> None:
    found = replace(_read(run.tournament), fail_under=fail_under)
    if as_json:
        print_comparison(found, interrupted=run.is_interrupted)
    else:
        show_comparison(found, matches=found.matches)
        run.explain_faults()
        if found.repeats * 2 > found.matches:
            say(
                f"{found.repeats} of {found.matches} matches repeat earlier ones: these bots "
                "always answer alike, so this says little about other matches."
            )
    if run.is_interrupted:
        again = "the same command continues" if records else "use --records to be able to continue"
        say(f"Interrupted after {count(found.matches, 'match')}: {again}.")
        raise typer.Exit(INTERRUPTED)
    raise typer.Exit(found.exit_code)


def _read(tournament: DeskTournament) -> Comparison:
    """Return the state of the test from the complete blocks."""
    document = tournament.document
    plan, entries = document.plan(key=bytes(32)), document.field()
    reading = AbTest().read(plan, entries, tournament.blocks)
    names = ("null", "alternative", "alpha", "beta")
    courses = [(match.players, result.course) for match, result in tournament.counting()]
    first, second = document.entries[:_PAIR]
    same = first.bot == second.bot
    return Comparison(
        new=f"{first.bot} (new)" if same else first.bot,
        old=f"{second.bot} (old)" if same else second.bot,
        test=Sprt(**{name: document.params[name] for name in names}),
        decision=reading.decision,
        counts=reading.counts,
        repeats=len(courses) - len(set(courses)),
        matches=len(courses),
    )


def _pair(new: str, old: str, game: str | None) -> tuple[Game, list[SeatBot]]:
    """Return the common game and the two bots."""
    if game is not None:
        arguments.find_game(game)
    (manifest, bot), (other_manifest, other) = arguments.find_bot(new), arguments.find_bot(old)
    key = arguments.common_game(manifest.games, other_manifest.games, game)
    bots = [bot, other]
    if bots[0].hash == bots[1].hash:
        raise CommandFailed(
            f"{new} and {old} have the same files: there is nothing to compare.",
            try_next="pentathlon compare --help",
        )
    return GAMES[key], bots


def _score(score: float | None, elo: float | None, name: str, elo_name: str) -> float | None:
    """Return a hypothesis as a score."""
    if elo is None:
        return score
    if score is not None:
        raise CommandFailed(
            f"--{name} and --{elo_name} set the same value: give only one of them.",
            try_next="pentathlon compare --help",
        )
    return float(1 / (1 + 10 ** (-elo / _ELO)))


_OPTIONS: Final = {
    "/params/null": "--null or --elo0",
    "/params/alternative": "--alternative or --elo1",
}
"""The options that set a member of the document."""


def _params(scores: tuple[float | None, float | None], matches: int) -> dict[str, float]:
    named = zip(("null", "alternative"), scores, strict=True)
    return {"matches": matches} | {name: score for name, score in named if score is not None}


def _plan(
    game: Game,
    bots: list[SeatBot],
    params: dict[str, float],
    options: dict[str, Any],  # Any: the game checks the values
    limits: Limits,
) -> TournamentDocument:
    """Return the document of the test."""
    document = make_document(
        game,
        bots,
        kind="ab_test",
        params=params,
        options=options,
        limits=limits.to_json(),
        seats=_PAIR,
    )
    planned, problems = complete_document(document)
    if planned is None or problems:
        raise CommandFailed(
            "\n".join(
                f"{_OPTIONS.get(problem.pointer, problem.pointer)}: {problem.sentence}"
                for problem in problems
            ),
            try_next="pentathlon compare --help",
        )
    return planned
