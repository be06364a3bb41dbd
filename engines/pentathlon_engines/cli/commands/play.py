"""`pentathlon play`: play matches on this machine as workers do, or rerun a bundle."""

from dataclasses import replace
from pathlib import Path
from secrets import randbelow
from typing import Annotated

import typer

from pentathlon_engines import GAMES
from pentathlon_engines.cli import arguments
from pentathlon_engines.cli.failure import CommandFailed
from pentathlon_engines.cli.options import (
    AsJson,
    BotLimits,
    Bots,
    Concurrency,
    Debug,
    GameOptions,
    Parameters,
    RecordOption,
    Sandbox,
    Verbose,
    complete_game,
)
from pentathlon_engines.cli.output.live_log import LiveLog
from pentathlon_engines.cli.output.matches import (
    ply_progress,
    show_match,
    summarize_match,
)
from pentathlon_engines.cli.output.streams import print_json, say
from pentathlon_engines.cli.records import write_record_file
from pentathlon_engines.cli.rerun import play_bundle
from pentathlon_engines.cli.series import RecordFolder, play_series
from pentathlon_engines.contract.game import Game
from pentathlon_engines.desk.debugger import DebugLauncher
from pentathlon_engines.desk.match_pool import DeskMatch, Series, Setting, desk_alias
from pentathlon_engines.manifest import built_in_bots
from pentathlon_engines.match.launcher import Launcher
from pentathlon_engines.match.untimed_seat import UntimedSeat
from pentathlon_engines.record.shape import SEED_END
from pentathlon_engines.runner import MatchReport

_GameOrBundle = Annotated[
    str,
    typer.Argument(
        metavar="GAME|BUNDLE",
        help="A game, such as tuned, or the repro bundle of a match.",
        autocompletion=complete_game,
    ),
]


def play(
    game: _GameOrBundle,
    bots: Bots,
    *,
    games: Annotated[
        int | None, typer.Option(min=1, help="Play this many matches, each with a new seed.")
    ] = None,
    swap: Annotated[
        bool, typer.Option("--swap", help="Play every seed in balanced seat orders.")
    ] = False,
    concurrency: Concurrency = 1,
    seed: Annotated[
        int | None,
        typer.Option(min=0, max=SEED_END - 1, help="The first seed; random by default."),
    ] = None,
    options: GameOptions = None,
    limits: BotLimits = None,
    parameters: Parameters = None,
    record: RecordOption = None,
    records: Annotated[
        Path | None, typer.Option(help="Write the record of each match into this folder.")
    ] = None,
    sandbox: Sandbox = False,
    verbose: Verbose = False,
    debug: Debug = False,
    as_json: AsJson = False,
) -> None:
    """Play a match, or many, and print the result.

    With a bundle, repeat a match for one bot; exit with 0 if nothing differs, else with 1.

    Example: pentathlon play tuned ./my-bot greedy --games 200 --swap --concurrency 2
    """
    launcher = arguments.find_launcher(sandbox=sandbox)
    if game not in GAMES and (game.endswith(".zip") or Path(game).is_file()):
        given: dict[str, object] = {"games": games, "swap": swap, "records": records}
        given |= {"seed": seed, "options": options, "limits": limits, "record": record}
        given |= {"set": parameters, "verbose": verbose, "debug": debug}
        _refuse_settings(game, given)
        progress = ply_progress(as_json=as_json)
        play_bundle(Path(game), bots, launcher=launcher, on_tick=progress, as_json=as_json)
        return
    folder = RecordFolder(records, game=game)
    setting = _set_up(
        arguments.find_game(game), bots, options, limits, launcher=launcher, given=parameters or []
    )
    setting = replace(setting, keep=folder.keep)
    seed = randbelow(SEED_END) if seed is None else seed
    if games is None and not swap:
        _refuse(debug and (as_json or sandbox), "--debug is for people, without a sandbox", game)
        play_one = _debug_one if debug else _play_one
        report = play_one(setting, bots, seed=seed, is_silent=as_json, is_verbose=verbose)
        _show(report, record=record, as_json=as_json)
        return
    _refuse(verbose or debug, "-v and --debug show one match, not many", game)
    _refuse(
        record is not None, "--record is for one match; --records writes many into a folder", game
    )
    series = Series(seats=len(bots), matches=games or 1, seed=seed, swaps=swap)
    play_series(setting, series, folder=folder, concurrency=concurrency, as_json=as_json)


def _set_up(
    game: Game,
    bots: list[str],
    options: str | None,
    limits: str | None,
    *,
    launcher: Launcher,
    given: list[str],
) -> Setting:
    chosen = arguments.read_object(options, option="--options")
    # Check this before the first match, so that a wrong table or option counts as wrong use.
    game.start(len(bots), chosen)
    return Setting(
        game=game,
        options=chosen,
        limits=arguments.read_limits(limits),
        launcher=launcher,
        bots=[
            arguments.find_player(name, game=game, parameters=values)
            for name, values in zip(bots, arguments.read_parameters(given, bots), strict=True)
        ],
    )


def _play_one(
    setting: Setting, _: list[str], *, seed: int, is_silent: bool, is_verbose: bool
) -> MatchReport:
    if is_verbose:
        return replace(setting, on_log=LiveLog().take).play(_only_match(setting, seed))
    return setting.play(_only_match(setting, seed), ply_progress(as_json=is_silent))


def _debug_one(setting: Setting, names: list[str], *, seed: int, **_: bool) -> MatchReport:
    own = [seat for seat, name in enumerate(names) if name not in built_in_bots()]
    if not own:
        raise CommandFailed(
            "All of these bots are built in: name the folder of yours to debug it.",
            try_next=f"pentathlon play {setting.game.info.key} ./my-bot greedy --debug",
        )
    live = LiveLog()
    command = setting.bots[own[0]].command
    launcher = DebugLauncher(command, seat=own[0], on_log=live.take, tell=live.tell)
    setting = replace(setting, launcher=launcher, on_log=live.take, seat_kind=UntimedSeat)
    return launcher.run(lambda: setting.play(_only_match(setting, seed)))


def _refuse(is_given: bool, reason: str, game: str) -> None:
    if is_given:
        raise CommandFailed(
            f"{reason}.", try_next=f"pentathlon play {game} ./my-bot greedy --debug"
        )


def _only_match(setting: Setting, seed: int) -> DeskMatch:
    players = tuple(range(len(setting.bots)))
    alias = desk_alias(seed, leg=1)
    return DeskMatch(index=1, block=1, players=players, seed=seed, alias=alias)


def _show(report: MatchReport, *, record: Path | None, as_json: bool) -> None:
    if record is not None:
        write_record_file(record, report.record)
    if as_json:
        print_json(summarize_match(report, record))
        return
    show_match(report)
    if record is not None:
        say(f"Record written. Step through it: pentathlon replay {record}")


def _refuse_settings(bundle: str, given: dict[str, object]) -> None:
    names = [
        f"--{name}" for name, value in given.items() if value is not None and value is not False
    ]
    if names:
        raise CommandFailed(
            f"A bundle has the settings of its match: leave {' and '.join(names)} out.",
            try_next=f"pentathlon play {bundle} BOT",
        )
