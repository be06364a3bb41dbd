"""`pentathlon check`: test whether a bot follows the protocol and withstands a server."""

from collections.abc import Sequence
from typing import Annotated, Any, Final, NamedTuple

import typer

from pentathlon_engines import GAMES
from pentathlon_engines.cli.arguments import find_bot, find_launcher, find_player
from pentathlon_engines.cli.failure import CHECK_FAILED, CommandFailed
from pentathlon_engines.cli.options import AsJson, Sandbox, complete_bot, complete_game
from pentathlon_engines.cli.output import streams
from pentathlon_engines.cli.output.matches import explain_fault, wrong_answer
from pentathlon_engines.cli.output.tables import print_table
from pentathlon_engines.contract.game import Game
from pentathlon_engines.desk.foreign_imports import foreign_imports
from pentathlon_engines.desk.probes import ProbeReport, ProbeResult, probe_bot
from pentathlon_engines.match import protocol
from pentathlon_engines.match.launcher import Launcher, SandboxLevel
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.record.advice import PACKAGES
from pentathlon_engines.record.record import events_by
from pentathlon_engines.runner import MatchReport, SeatBot, play_match

_NEAR: Final = 0.8
"""The share of a limit beyond which a bot is near it."""


class Finding(NamedTuple):
    """The result of one match of the check."""

    game: str
    seats: int
    seat: int
    ok: bool
    detail: str
    answer: str | None
    """What the bot wrote and what was expected; None unless its answer was the fault."""
    actions: int
    slowest_cpu_ms: int
    match_cpu_ms: int
    memory_peak_mb: float
    log: str


class Measure(NamedTuple):
    """The peak use of a resource, beside its limit."""

    name: str
    used: float
    limit: float
    unit: str

    @property
    def is_near(self) -> bool:
        """Return whether the use is close to the limit."""
        return self.used > _NEAR * self.limit


def check(
    bot: Annotated[
        str,
        typer.Argument(
            help="A folder or zip of a bot, or a built-in name.", autocompletion=complete_bot
        ),
    ],
    game: Annotated[
        str | None, typer.Option(help="Check only this game.", autocompletion=complete_game)
    ] = None,
    sandbox: Sandbox = False,
    as_json: AsJson = False,
) -> None:
    """Play a bot in every seat, stress it as a server might, and compare its use with the limits.

    It plays against random bots, with the fewest and the most seats of each of its games.

    Example: pentathlon check ./my-bot --sandbox
    """
    manifest, contestant = find_bot(bot)
    games = [key for key in manifest.games if game in (None, key)]
    if not games:
        raise CommandFailed(
            f"{manifest.name} plays {', '.join(manifest.games)}, not {game}.",
            try_next=f"pentathlon check {bot}",
        )
    launcher = find_launcher(sandbox=sandbox)
    shows = streams.is_terminal() and not as_json
    findings = []
    for key, seats, seat in _seats_to_try(games):
        if shows:
            streams.show_on_one_line(f"{key}, seat {seat} of {seats}")
        findings.append(_try_seat(GAMES[key], seats, seat, contestant, launcher, as_json=as_json))
    if shows:
        streams.show_on_one_line("what a server may do")
    probed = probe_bot(contestant, game=GAMES[games[0]], launcher=launcher, limits=Limits())
    measures = _measure(findings, probed)
    ok = all(finding.ok for finding in findings) and not any(
        result.is_fault and not result.ok for result in probed.results
    )
    foreign = foreign_imports(contestant.command.folder, manifest.language)
    if as_json:
        told = _summarize(manifest.name, launcher, findings, probed, measures, ok=ok)
        streams.print_json({**told, "foreign_imports": foreign})
    else:
        _show(findings, probed.results, measures)
        if foreign:
            streams.say(f"It imports {', '.join(foreign)}, which no worker has. {PACKAGES}")
        _say_walls(launcher, bot)
    if ok:
        return
    raise CommandFailed(
        f"{manifest.name} does not keep the protocol.",
        try_next=f"pentathlon play {games[0]} {bot} random",
        exit_code=CHECK_FAILED,
    )


def _seats_to_try(games: Sequence[str]) -> list[tuple[str, int, int]]:
    """Return game, seats and seat of each match: the smallest and the largest tables."""
    return [
        (key, seats, seat)
        for key in games
        for seats in sorted(set(GAMES[key].info.seats))
        for seat in range(seats)
    ]


def _try_seat(
    game: Game, seats: int, seat: int, bot: SeatBot, launcher: Launcher, *, as_json: bool
) -> Finding:
    players = [find_player("random", game=game)] * seats
    players[seat] = bot
    report = play_match(
        game=game,
        options=None,
        seats=players,
        seed=seat,
        limits=Limits(),
        launcher=launcher,
        codec=_with_unknown_field,
        match=f"check-{seat}",
    )
    finding = _finding(report, seat)
    if not as_json and not finding.ok:
        for fault in report.record["faults"]:
            if fault["seat"] == seat:
                explain_fault(report, fault)
    return finding


def _with_unknown_field(message: protocol.Message) -> bytes:
    # Later versions of the protocol may add fields, and bots must ignore them.
    return protocol.encode({**message, "x_unknown": {"pass": ["over", None]}})


def _finding(report: MatchReport, seat: int) -> Finding:
    faults = [fault for fault in report.record["faults"] if fault["seat"] == seat]
    own = [event.cpu_ms for event in events_by(report.record, seat)]
    return Finding(
        game=report.record["game"],
        seats=report.record["seats"],
        seat=seat,
        ok=not faults,
        detail="; ".join(f"{fault['kind']}: {fault['detail']}" for fault in faults) or "ok",
        answer=wrong_answer(report, faults[0]) if faults else None,
        actions=len(own),
        slowest_cpu_ms=max(own, default=0),
        match_cpu_ms=sum(own),
        memory_peak_mb=report.usage[seat].memory_peak_mb,
        log=report.logs[seat].decode(errors="replace") if faults else "",
    )


def _measure(findings: Sequence[Finding], probed: ProbeReport) -> list[Measure]:
    limits = Limits()
    peak_mb = max(probed.memory_peak_mb, *(finding.memory_peak_mb for finding in findings))
    slowest_s = max(finding.slowest_cpu_ms for finding in findings) / 1000
    match_s = max(finding.match_cpu_ms for finding in findings) / 1000
    measures = [
        Measure("slowest action, CPU time", slowest_s, limits.action_cpu_s, "s"),
        Measure("longest match, CPU time", match_s, limits.match_cpu_s, "s"),
        Measure("memory", peak_mb, limits.memory_mb, "MiB"),
    ]
    if probed.start is None:
        return measures
    start = Measure("start, CPU time", probed.start.cpu_s, limits.startup_wall_s, "s")
    return [start, *measures]


def _summarize(
    name: str,
    launcher: Launcher,
    findings: Sequence[Finding],
    probed: ProbeReport,
    measures: Sequence[Measure],
    *,
    ok: bool,
) -> dict[str, Any]:
    return {
        "bot": name,
        "ok": ok,
        "sandbox": launcher.level.value,
        "walls_tested": launcher.level is not SandboxLevel.PROCESS,
        "findings": [finding._asdict() for finding in findings],
        "probes": [result._asdict() for result in probed.results],
        "start": None if probed.start is None else probed.start._asdict(),
        "measures": [{**measure._asdict(), "is_near": measure.is_near} for measure in measures],
    }


def _show(
    findings: Sequence[Finding], probes: Sequence[ProbeResult], measures: Sequence[Measure]
) -> None:
    rows = [
        (each.game, str(each.seats), str(each.seat), str(each.actions), each.detail)
        for each in findings
    ]
    print_table(("game", "seats", "seat", "actions", "result"), rows)
    streams.print_text("")
    print_table(("the server …", "result"), [(each.tried, each.detail) for each in probes])
    streams.print_text("")
    print_table(
        ("use", "most", "limit", ""),
        [
            (
                each.name,
                f"{each.used:.3g} {each.unit}",
                f"{each.limit:g} {each.unit}",
                "near its limit" if each.is_near else "",
            )
            for each in measures
        ],
    )
    for each in probes:
        if not each.ok and each.is_fault:
            streams.say(f"{each.tried}: {each.detail}")
            if each.answer:
                streams.say(each.answer)
            streams.say_end_of_log(each.log)


def _say_walls(launcher: Launcher, bot: str) -> None:
    if launcher.level is SandboxLevel.PROCESS:
        streams.say(
            "Walls were not tested: files, network, processes and system calls. Where the "
            f"platform is installed, pentathlon check {bot} --sandbox tests them."
        )
