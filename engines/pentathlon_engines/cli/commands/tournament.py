"""`pentathlon tournament`: play a tournament on this machine, or preview it."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple

import typer

import pentathlon_engines
from pentathlon_engines import GAMES, strict_json
from pentathlon_engines.cli.arguments import find_launcher, find_player, read_limits, read_object
from pentathlon_engines.cli.client.connection import connect_as_person
from pentathlon_engines.cli.failure import CHECK_FAILED, INTERRUPTED, CommandFailed
from pentathlon_engines.cli.options import (
    AsJson,
    BotLimits,
    Concurrency,
    GameOptions,
    Sandbox,
    complete_bot,
    complete_game,
)
from pentathlon_engines.cli.output.streams import print_json, say
from pentathlon_engines.cli.output.tables import print_table
from pentathlon_engines.cli.tournament.bots import (
    complete_document,
    make_document,
    read_params,
    seat_entries,
)
from pentathlon_engines.cli.tournament.run import (
    TournamentRun,
    describe_round,
    show_standings,
    summarize_tournament,
)
from pentathlon_engines.desk.match_pool import Setting
from pentathlon_engines.desk.standings import standings
from pentathlon_engines.errors import BadJson
from pentathlon_engines.light_json import read_data
from pentathlon_engines.match.launcher import Launcher
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.runner import SeatBot
from pentathlon_engines.seeds import commitment_to
from pentathlon_engines.tournament.document import TournamentDocument
from pentathlon_engines.tournament.dry_run import DryRun, make_dry_run

_S_PER_HOUR: Final = 3600
_START_S: Final = 0.1
"""The CPU time that a small Python bot needs to start."""
_QUICK_S: Final = 0.001
"""The CPU time of an answer by a bot that does not search."""
_SHORT_HASH: Final = 15
Source = Annotated[
    str,
    typer.Argument(
        metavar="DOCUMENT|GAME",
        help="A document, as GET /api/v1/tournaments/N/document/ returns it, or a game.",
        autocompletion=complete_game,
    ),
]
Entered = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="BOT BOT...",
        help="The bots; with a document, folders of the bots that its entries name.",
        autocompletion=complete_bot,
    ),
]
Kind = Annotated[
    str | None,
    typer.Option("--format", help="round_robin, gauntlet, swiss, knockout, finals or ab_test."),
]
Params = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME=VALUE", help="A parameter of the format: rounds=5."),
]
Seed = Annotated[int | None, typer.Option(min=0, help="Draw schedule and seeds from this number.")]
Secret = Annotated[
    str | None,
    typer.Option(metavar="HEX", help="The secret of a closed tournament, to use its seeds."),
]
Records = Annotated[
    Path | None,
    typer.Option(
        help="The folder of records, state and report. A stopped tournament resumes from it."
    ),
]
DryRunOnly = Annotated[
    bool,
    typer.Option(
        "--dry-run", help="Show pairings, sizes, CPU hours and the finish; play nothing."
    ),
]
Measuring = Annotated[
    str | None,
    typer.Option(
        "--site",
        metavar="ADDRESS",
        help="With --dry-run: estimate with the durations measured on this site.",
    ),
]


class Effort(NamedTuple):
    """CPU hours, and seconds until the end: the least and the most, equal where measured."""

    basis: str
    """Where the figures come from: "measured" or "estimated"."""
    cpu_hours: tuple[float, float]
    takes_s: tuple[float, float] | None
    """The fewest and the most seconds until the end; None if unknown (see `remark`)."""
    remark: str

    def to_json(self) -> dict[str, Any]:  # Any: JSON
        """Return the effort as JSON."""
        takes_s = None if self.takes_s is None else list(self.takes_s)
        return {
            "basis": self.basis,
            "cpu_hours": list(self.cpu_hours),
            "takes_s": takes_s,
            "remark": self.remark,
        }

    def lines(self, now: datetime) -> list[str]:
        """Return the effort as lines for people."""
        hours = _range(*(f"{each:.2g}" for each in self.cpu_hours))
        lines = [f"CPU hours, {self.basis}: {hours}."]
        if self.takes_s is not None:
            ends = [now + timedelta(seconds=each) for each in self.takes_s]
            when = _range(*(f"{each:%d %B %H:%M}" for each in ends), word=" and ")
            start = "about" if ends[0] == ends[1] or " and " not in when else "between"
            lines.append(f"Finish, {self.basis}: {start} {when}, if it starts now.")
        return [*lines, *filter(None, [self.remark])]


def estimate_effort(document: TournamentDocument, *, matches: int, concurrency: int) -> Effort:
    """Estimate the effort from the requests of a match, for quick bots and for slow ones."""
    info = GAMES[document.game].info
    sizes = read_data(pentathlon_engines.__file__, f"{document.game}/match_sizes.json")
    requests, seats = sizes["requests"][1], document.table_seats or info.default_seats
    limits = Limits.from_json(dict(document.limits))
    start_s = seats * _START_S
    least_s = start_s + requests * _QUICK_S
    most_s = start_s + min(requests * limits.action_cpu_s, seats * limits.match_cpu_s)
    spent_s = [matches * each for each in (least_s, max(least_s, most_s))]
    return Effort(
        basis="estimated",
        cpu_hours=(spent_s[0] / _S_PER_HOUR, spent_s[1] / _S_PER_HOUR),
        takes_s=(spent_s[0] / concurrency, spent_s[1] / concurrency),
        remark=f"Nothing was measured: a match of {info.title} asks about {requests} times; bots "
        f"may answer at once or use all of their limits. {concurrency} at a time.",
    )


def measured_effort(document: Mapping[str, Any], *, site: str) -> Effort | None:  # Any: JSON
    """Ask a site what a document's matches would take there; None if it has measured none."""
    told = connect_as_person(site).post("tournaments/dry-run/", {"document": dict(document)})
    if told["cpu_hours"] is None:
        return None
    takes_s = told["takes_s"]
    return Effort(
        basis="measured",
        cpu_hours=(told["cpu_hours"], told["cpu_hours"]),
        takes_s=None if takes_s is None else (takes_s, takes_s),
        remark=told["reason"]
        or f"By the latest {told['measured_matches']} matches there, with all free slots.",
    )


def _range(least: str, most: str, *, word: str = " to ") -> str:
    return least if least == most else f"{least}{word}{most}"


def tournament(
    document: Source,
    bots: Entered = None,
    *,
    kind: Kind = None,
    param: Params = None,
    seats: Annotated[
        int | None, typer.Option(min=2, help="The number of seats at a table.")
    ] = None,
    options: GameOptions = None,
    limits: BotLimits = None,
    seed: Seed = None,
    secret: Secret = None,
    records: Records = None,
    concurrency: Concurrency = 1,
    dry_run: DryRunOnly = False,
    site: Measuring = None,
    sandbox: Sandbox = False,
    as_json: AsJson = False,
) -> None:
    """Play a tournament here: any format and document of a server, unrated.

    After Ctrl-C, the same command resumes where it stopped.

    Example: pentathlon tournament tuned ./mine greedy random --format swiss --concurrency 2
    """
    file, entered = Path(document), None
    if document in GAMES:
        entered = [find_player(name, game=GAMES[document]) for name in bots or ()]
        data: Any = make_document(
            GAMES[document],
            entered,
            kind=kind,
            params=read_params(param or ()),
            options=read_object(options, option="--options"),
            limits=read_limits(limits).to_json() if limits else {},
            seats=seats,
        )
    else:
        _refuse_settings(
            document, format=kind, param=param, seats=seats, options=options, limits=limits
        )
        data = _read_json(file, f"pentathlon tournament {file}")
    planned = _checked(data, file=file, as_json=as_json)
    if dry_run:
        _show_dry_run(planned, concurrency=concurrency, site=site, as_json=as_json)
        return
    _refuse_site(document, site)
    if entered is None:
        entered = _find_bots(planned, list(bots or ()), file=file)
    name = file.stem if document not in GAMES else f"{document}-{kind or 'round_robin'}"
    run = TournamentRun(
        planned,
        published=data if data.get("commitment") else planned.to_json(),
        path=records or Path(f"{name}-records"),
        secret=_secret(planned, seed=seed, secret=secret),
        hashes=[bot.hash for bot in entered],
    )
    setting = run.keeping(_set_up(planned, entered, find_launcher(sandbox=sandbox)))
    _play(run, setting, concurrency=concurrency, name=name, as_json=as_json)


def _set_up(planned: TournamentDocument, bots: list[SeatBot], launcher: Launcher) -> Setting:
    return Setting(
        game=GAMES[planned.game],
        options=planned.options,
        limits=Limits.from_json(dict(planned.limits)),
        launcher=launcher,
        bots=bots,
    )


def _play(
    run: TournamentRun, setting: Setting, *, concurrency: int, name: str, as_json: bool
) -> None:
    kept = run.folder.kept
    if kept:
        say(f"{kept} records are in {run.folder.path}: the tournament continues from there.")
    run.play(setting, concurrency=concurrency, describe=None if as_json else describe_round)
    report = run.write_report(name=name)
    if as_json:
        print_json({**summarize_tournament(run), "report": str(report)})
    else:
        show_standings(standings(run.tournament))
        run.explain_faults()
        say(f"Report: {report}")
    if run.is_interrupted:
        say(f"Interrupted: {run.folder.kept} records are kept. Run the same command to continue.")
        raise typer.Exit(INTERRUPTED)


def _refuse_settings(document: str, **given: object) -> None:
    names = [f"--{name}" for name, value in given.items() if value]
    if names:
        raise CommandFailed(
            f"A document has its own settings: leave {' and '.join(names)} out.",
            try_next=f"pentathlon tournament {document}",
        )


def _refuse_site(document: str, site: str | None) -> None:
    if site is not None:
        raise CommandFailed(
            "--site only estimates how long a tournament takes there; the matches are "
            "played here.",
            try_next=f"pentathlon tournament {document} --dry-run --site {site}",
        )


def _secret(planned: TournamentDocument, *, seed: int | None, secret: str | None) -> bytes | None:
    """Return the requested secret, or None to draw one."""
    if secret is None:
        return None if seed is None else sha256(f"pentathlon tournament {seed}".encode()).digest()
    try:
        given = bytes.fromhex(secret)
    except ValueError:
        given = b""
    if planned.commitment is not None and commitment_to(given) != planned.commitment:
        raise CommandFailed(
            "This secret does not match the document's commitment.",
            try_next="its page once it is closed, or leave --secret out",
        )
    return given


def _find_bots(planned: TournamentDocument, names: list[str], *, file: Path) -> list[SeatBot]:
    """Return the bots of a document's entries, and report those whose files differ."""
    found = seat_entries(planned, names, game=GAMES[planned.game], file=file)
    if found.changed:
        say(f"Their files differ from those in the document: {', '.join(found.changed)}.")
    return found.bots


def _checked(data: Any, *, file: Path, as_json: bool) -> TournamentDocument:  # Any: JSON
    """Return the document with all defaults, or say everything that is wrong with it."""
    planned, problems = complete_document(data)
    if planned is not None and not problems:
        return planned
    if as_json:
        print_json({"valid": False, "problems": [problem._asdict() for problem in problems]})
        raise typer.Exit(CHECK_FAILED)
    lines = [f"{problem.pointer or '/'}: {problem.sentence}" for problem in problems]
    raise CommandFailed(
        "\n".join([f"{file} is not a valid tournament:", *lines]),
        try_next=f"correct it, then pentathlon tournament {file} --dry-run",
        exit_code=CHECK_FAILED,
    )


def _show_dry_run(
    planned: TournamentDocument, *, concurrency: int, site: str | None, as_json: bool
) -> None:
    run = make_dry_run(planned)
    effort = None if site is None else measured_effort(planned.to_json(), site=site)
    if effort is None:
        effort = estimate_effort(planned, matches=run.size.expected, concurrency=concurrency)
    if as_json:
        told = {"document": planned.to_json(), **run.to_json(), "effort": effort.to_json()}
        print_json({"valid": True, **told})
        return
    _show(planned, run)
    for line in effort.lines(datetime.now().astimezone()):
        say(line)


def _read_json(file: Path, try_next: str) -> object:
    try:
        return strict_json.loads(file.read_bytes())
    except OSError as error:
        raise CommandFailed(
            f"{file} cannot be read: {error.strerror}.", try_next=try_next
        ) from error
    except BadJson as error:
        raise CommandFailed(f"{file} is not JSON: {error}.", try_next=try_next) from error


def _show(document: TournamentDocument, run: DryRun) -> None:
    names = [
        f"{entry.bot} v{entry.version}" if entry.bot else entry.hash[:_SHORT_HASH]
        for entry in document.entries
    ]
    rows = []
    index = 0
    for number, block in enumerate(run.blocks, start=1):
        for seating in block.seatings:
            index += 1
            seats = " – ".join(names[entry] for entry in seating)
            rows.append((str(block.round), str(number), str(index), seats))
    print_table(("round", "block", "match", "seats"), rows)
    size = run.size
    say(f"Matches: {size.fewest} at least, {size.expected} expected, {size.most} at most.")
    if run.left_out:
        why = "results decide the rest" if run.needs_results else "the list stops here"
        say(f"About {run.left_out} matches are not shown: {why}.")
    say("A server draws sides and order again at the start.")
    for caution in run.cautions:
        say(f"Warning, {caution.pointer}: {caution.sentence}")
