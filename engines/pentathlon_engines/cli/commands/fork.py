"""`pentathlon fork`: continue from a ply of a record with any bots."""

from typing import Annotated

import typer

from pentathlon_engines import GAMES
from pentathlon_engines.cli.arguments import find_launcher, find_player, read_limits
from pentathlon_engines.cli.failure import CommandFailed
from pentathlon_engines.cli.options import (
    AsJson,
    Bots,
    RecordOption,
    RecordSource,
    Sandbox,
    SiteOption,
)
from pentathlon_engines.cli.output.matches import (
    ply_progress,
    show_match,
    summarize_match,
)
from pentathlon_engines.cli.output.streams import print_json, say
from pentathlon_engines.cli.records import find_verified, write_record_file
from pentathlon_engines.errors import BadRecord
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.record.rerun import fork_at
from pentathlon_engines.runner import play_match


def fork(
    match: RecordSource,
    bots: Bots,
    *,
    ply: Annotated[int, typer.Option(min=0, help="Continue after this many events.")],
    limits: Annotated[
        str | None, typer.Option(help="Limits per bot, as JSON. Default: those of the record.")
    ] = None,
    record: RecordOption = None,
    sandbox: Sandbox = False,
    site: SiteOption = None,
    as_json: AsJson = False,
) -> None:
    """Continue from a ply of a record with other bots, to see what they would have done.

    Chance continues with the seed of the record. The new record names the old one and the ply. It
    can be verified and is never rated.

    Example: pentathlon fork 126 --ply 12 ./my-bot greedy --record other.json
    """
    source = find_verified(match, site)
    try:
        start = fork_at(source, ply)
    except BadRecord as error:
        raise CommandFailed(
            f"{match} cannot be forked: {error}.", try_next=f"pentathlon replay {match}"
        ) from error
    rules = GAMES[source["game"]]
    if len(bots) != source["seats"]:
        raise CommandFailed(
            f"This match has {source['seats']} seats, not {len(bots)}.",
            try_next=f"pentathlon fork {match} --ply {ply}{' random' * source['seats']}",
        )
    report = play_match(
        game=rules,
        options=source["options"],
        seats=[find_player(name, game=rules) for name in bots],
        seed=source["seed"],
        limits=read_limits(limits) if limits else Limits.from_json(source["limits"]),
        launcher=find_launcher(sandbox=sandbox),
        match=f"fork-{source['chain'][:16]}-{ply}",
        on_tick=ply_progress(as_json=as_json),
        fork=start,
    )
    if record is not None:
        write_record_file(record, report.record)
    if as_json:
        print_json({**summarize_match(report, record), "fork": start.point})
        return
    show_match(report)
    if record is not None:
        say(f"Record written. Step through it: pentathlon replay {record} --ply {ply}")
